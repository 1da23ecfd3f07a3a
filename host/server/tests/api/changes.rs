//! Looking on while things change.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::client::{self, Answer};
use crate::house::House;

/// A stream of server-sent events.
pub(crate) struct Events(BufReader<TcpStream>);

/// Looks on from now on.
pub(crate) fn watch(house: &House, query: &str) -> Events {
    Events::of(client::open(house.address, &format!("GET /v1/events{query}"), &[], &[]))
}

impl Events {
    /// The events of an answer that is a stream of them.
    pub(crate) fn of((answer, reader): (Answer, BufReader<TcpStream>)) -> Self {
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.headers["content-type"], "text/event-stream");
        Self(reader)
    }

    /// The next event: its name and its data. None: the stream has ended.
    pub(crate) fn next(&mut self) -> Option<(String, String)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(event) = line.strip_prefix("event: ") {
                event.trim_end().clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, data.trim_end().to_owned()));
            }
        }
    }

    /// The first change for which something holds.
    pub(crate) fn until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (name, data) = self.next().unwrap();
            assert_eq!(name, "change");
            let change = serde_json::from_str(&data).unwrap();
            if holds(&change) {
                return change;
            }
        }
    }
}

#[test]
fn every_change_is_told() {
    let house = House::new();
    let mut changes = watch(&house, "");
    house.start("doubles", "i", &json!(1));
    let change = changes.until(|change| change["status"] == "completed");
    let shown = house.get("/v1/workflows/i").ok(200);
    assert_eq!(change, json!({"id": "i", "status": "completed", "events": shown["events"], "generation": 0}));
}

#[test]
fn one_may_look_at_one_instance_only() {
    let house = House::new();
    let mut changes = watch(&house, "?id=b");
    house.start("doubles", "a", &json!(1));
    house.end_of("a");
    house.start("doubles", "b", &json!(1));
    let (_, data) = changes.next().unwrap();
    assert!(data.contains(r#""id":"b""#), "{data}");
    assert_eq!(house.get("/v1/events?workflow=b").code(400), "invalid_parameter");
}
