//! What is too much at the same time, or too slow.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use everturn_server::Limits;
use serde_json::json;

use crate::changes::watch;
use crate::client;
use crate::house::House;

#[test]
fn those_who_wait_are_counted_and_the_others_are_not_kept_out() {
    let house = House::with_limits(Limits { waiting: 1, ..Limits::default() });
    house.deploy_guests();
    house.start("park", "i", &json!(null));
    let _one = watch(&house, "");
    let refused = house.get("/v1/workflows/i/wait");
    assert_eq!(refused.code(503), "overloaded");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    assert_eq!(house.get("/v1/events").code(503), "overloaded");
    assert_eq!(house.get("/v1/workflows/i").status, 200);
}

#[test]
fn requests_are_counted_and_health_is_told_nonetheless() {
    let house = House::with_limits(Limits { requests: 0, ..Limits::default() });
    assert_eq!(house.get("/v1/workflows").code(503), "overloaded");
    assert_eq!(house.get("/healthz").status, 200);
}

#[test]
fn components_are_received_one_after_the_other() {
    let house = House::with_limits(Limits { deployments: 0, ..Limits::default() });
    assert_eq!(house.deploy("", b"x").code(503), "overloaded");
}

#[test]
fn a_head_that_does_not_arrive_ends_the_connection() {
    let house = House::with_limits(Limits { head_time: Duration::from_millis(50), ..Limits::default() });
    let mut stream = TcpStream::connect(house.address).unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\n").unwrap();
    let mut rest = Vec::new();
    // The end of the connection, however it is told.
    let _ = stream.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"), "{rest:?}");
}

#[test]
fn a_body_that_does_not_arrive_is_refused() {
    let house = House::with_limits(Limits { body_time: Duration::from_millis(50), ..Limits::default() });
    let headers = [("content-type", "application/json"), ("content-length", "10")];
    assert_eq!(client::send(house.address, "POST /v1/workflows", &headers, b"{").code(408), "too_slow");
}
