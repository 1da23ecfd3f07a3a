//! A host that is killed in the middle of resets: each has happened as a whole, or not at all, and no event is lost by it.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use everturn_tests::guests::TEST_GUESTS;
use serde_json::{Value, json};

use crate::client::Client;
use crate::host::Host;
use crate::{Random, until};

/// How often the host is killed at least; and then until both has happened: the reset was in time, and it was not.
const KILLS: usize = 15;
/// How often at most.
const MOST_KILLS: usize = 500;
/// How many events the instance has seen before.
const EVENTS: usize = 5;

#[test]
fn a_host_that_is_killed_in_a_reset_has_taken_back_all_or_nothing() {
    let mut host = Host::new();
    host.start();
    let client = Client::new(host.url());
    client.deploy_as_it_is(TEST_GUESTS.path());
    let wait = json!({"wait": {"event": "go", "limit": "never"}});
    client.start("script", "a", &json!(vec![wait; EVENTS + 1]));
    for number in 0..EVENTS {
        client.ask("/v1/workflows/a/events/go", &json!({"data": number}));
    }
    let all: Vec<_> = (0..EVENTS).map(|number| json!(number.to_string())).collect();

    let mut random = Random::new();
    let mut before = Value::Null;
    let (mut in_time, mut too_late, mut kills) = (0, 0, 0);
    while kills < KILLS || in_time == 0 || too_late == 0 {
        assert!(kills < MOST_KILLS, "in time: {in_time}, too late: {too_late}");
        until("it has seen all events, in their order", || raised(&client) == all);
        let mut resetting = Command::new(env!("CARGO_BIN_EXE_everturn"))
            .args(["workflow", "reset", "a", "--to", "2", "--host", client.url()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(random.up_to(100)));
        host.kill();
        resetting.wait().unwrap();
        host.start();
        kills += 1;
        until("it has seen all events, in their order", || raised(&client) == all);
        let after = reset(&client);
        if after == before {
            too_late += 1;
        } else {
            in_time += 1;
        }
        before = after;
    }
    println!("kills: {kills}, the history was taken back by {in_time} of them");
    client.ask("/v1/workflows/a/events/go", &json!({"data": EVENTS}));
    let output = client.get("/v1/workflows/a/wait")["output"].clone();
    assert_eq!(output, json!((0..=EVENTS).map(|number| json!({"event": number})).collect::<Vec<_>>()));
}

/// What the events in its history carry.
fn raised(client: &Client) -> Vec<Value> {
    let history = client.get("/v1/workflows/a/history");
    let events = history.as_array().unwrap().iter().filter_map(|event| event.get("eventRaised"));
    events.map(|event| event["input"].clone()).collect()
}

/// The reset that its history has.
fn reset(client: &Client) -> Value {
    let history = client.get("/v1/workflows/a/history");
    let found = history.as_array().unwrap().iter().find_map(|event| event.get("workflowReset")).cloned();
    found.unwrap_or_default()
}
