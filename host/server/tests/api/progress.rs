//! Looking on while the gate is at work.

use everturn_server::Limits;
use everturn_tests::guests::{APPROVAL, in_version};
use serde_json::{Value, json};

use crate::changes::Events;
use crate::client;
use crate::house::House;

/// The end of the stream is the end of the connection.
const WATCHING: [(&str, &str); 2] = [("accept", "text/event-stream"), ("connection", "close")];

/// Asks for events of a deploy.
fn deploy(house: &House, query: &str, wasm: &[u8]) -> Events {
    let headers = [&WATCHING[..], &[("content-type", "application/wasm")]].concat();
    Events::of(client::open(house.address, &format!("POST /v1/deployments?{query}"), &headers, wasm))
}

/// How far it was, each time it was told, and then its last event.
fn all(mut events: Events) -> (Vec<Value>, (String, Value)) {
    let read = |(name, data): (String, String)| (name, serde_json::from_str(&data).unwrap());
    let mut told = Vec::new();
    let last = loop {
        match read(events.next().unwrap()) {
            (name, data) if name == "progress" => told.push(data),
            last => break last,
        }
    };
    assert_eq!(events.next(), None, "nothing comes after {last:?}");
    (told, last)
}

#[test]
fn who_asks_for_events_is_told_how_far_it_is_and_then_the_answer() {
    let house = House::under_way(&["one", "two"]);
    let (told, (name, deployed)) = all(deploy(&house, "version=second", &in_version("later")));
    assert_eq!((told[0].clone(), name.as_str()), (json!({"phase": "compiling"}), "done"));
    let checked: Vec<_> = told[1..].iter().map(|one| one["checked"].as_u64().unwrap()).collect();
    assert!(checked.is_sorted_by(|one, next| one < next), "{told:?}");
    assert!(told[1..].iter().all(|one| one["phase"] == "replaying" && one["total"] == 2), "{told:?}");
    assert_eq!((&deployed["active"], &deployed["report"]["compatible"]), (&json!(true), &json!(2)));

    let path = "POST /v1/deployments/first/activate?dryRun";
    let (told, (name, activated)) = all(Events::of(client::open(house.address, path, &WATCHING, &[])));
    assert_eq!((told[0].clone(), name.as_str()), (json!({"phase": "compiling"}), "done"));
    assert_eq!((&activated["version"], &activated["active"]), (&json!("first"), &json!(false)));
}

#[test]
fn the_last_event_has_the_body_that_the_answer_would_have() {
    let house = House::under_way(&["one"]);
    let wasm = in_version("reordered");
    let (_, (_, told)) = all(deploy(&house, "version=second&dryRun", &wasm));
    assert_eq!(house.deploy("version=second&dryRun", &wasm).ok(200), told);
    let (_, (name, problem)) = all(deploy(&house, "version=first", &APPROVAL.bytes().unwrap()));
    assert_eq!((name.as_str(), &problem["error"]["code"]), ("problem", &json!("label_in_use")));
    let (_, (name, problem)) = all(deploy(&house, "", b"not wasm"));
    assert_eq!((name.as_str(), &problem["error"]["code"]), ("problem", &json!("component_unusable")));
    let path = "POST /v1/deployments/nowhere/activate";
    let (_, (name, problem)) = all(Events::of(client::open(house.address, path, &WATCHING, &[])));
    assert_eq!((name.as_str(), &problem["error"]["code"]), ("problem", &json!("unknown_version")));
}

#[test]
fn what_cannot_be_read_is_refused_before_there_are_events() {
    let house = House::empty();
    let path = "POST /v1/deployments?gate=some";
    assert_eq!(client::send(house.address, path, &WATCHING, &[]).code(400), "invalid_parameter");
    assert_eq!(client::send(house.address, "POST /v1/deployments", &WATCHING, &[]).code(415), "unsupported_media_type");
}

#[test]
fn a_client_that_leaves_does_not_stop_a_deploy_nor_give_up_its_room() {
    let house = House::with_limits(Limits { deployments: 1, ..Limits::default() });
    let mut events = deploy(&house, "version=first", &in_version("first"));
    assert_eq!(events.next().unwrap().0, "progress");
    drop(events);
    // There is room for another one when it is over, and not before.
    while house.deploy("dryRun", &in_version("first")).status == 503 {}
    let shown = house.get("/v1/deployments/first").ok(200);
    assert_eq!(shown["activeWorkflows"], shown["workflows"], "it is the active one");
}
