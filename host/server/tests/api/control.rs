//! Telling instances things: events, end, pause, go on, again.

use serde_json::json;

use crate::client;
use crate::house::House;

#[test]
fn an_event_reaches_its_instance() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    assert_eq!(house.post("/v1/workflows/i/events/go", &json!({"data": {"x": [1]}})).ok(202), json!({"warnings": []}));
    assert_eq!(house.end_of("i")["output"], json!({"x": [1]}));
}

#[test]
fn an_event_without_a_body_carries_null() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    client::send(house.address, "POST /v1/workflows/i/events/GO", &[], &[]).ok(202);
    assert_eq!(house.end_of("i")["output"], json!(null));
}

#[test]
fn an_instance_is_terminated_with_an_output() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    house.post("/v1/workflows/i/terminate", &json!({"output": "enough"})).ok(202);
    let ended = house.end_of("i");
    assert_eq!((&ended["status"], &ended["output"]), (&json!("terminated"), &json!("enough")));
}

#[test]
fn children_are_terminated_too_when_asked_for() {
    let house = House::new();
    let child = json!([{"child": {"name": "park", "input": null, "retry": null}}]);
    let mut changes = crate::changes::watch(&house, "");
    house.start("script", "i", &child);
    let id = changes.until(|change| change["id"] != "i" && change["status"] == "running")["id"].clone();
    let child = house.get("/v1/workflows?parent=i").ok(200)["instances"][0].clone();
    assert_eq!((&child["id"], &child["parent"]["id"]), (&id, &json!("i")));
    house.post("/v1/workflows/i/terminate", &json!({"recursive": true})).ok(202);
    let path = child["id"].as_str().unwrap().replace(':', "%3A");
    assert_eq!(house.end_of(&path)["status"], "terminated");
}

#[test]
fn a_suspended_instance_keeps_what_arrives_and_goes_on_when_resumed() {
    let house = House::new();
    let mut changes = crate::changes::watch(&house, "?id=i");
    house.start("park", "i", &json!(null));
    house.post("/v1/workflows/i/suspend", &json!({"reason": "lunch"})).ok(202);
    changes.until(|change| change["status"] == "suspended");
    house.post("/v1/workflows/i/events/go", &json!({"data": 7})).ok(202);
    assert_eq!(house.get("/v1/workflows/i").ok(200)["status"], "suspended");
    house.post("/v1/workflows/i/resume", &json!({})).ok(202);
    assert_eq!(house.end_of("i")["output"], json!(7));
    let history = house.get("/v1/workflows/i/history").body;
    assert!(history.contains("lunch"), "{history}");
}

#[test]
fn one_that_has_ended_is_told_nothing() {
    let house = House::new();
    house.start("doubles", "i", &json!(1));
    house.end_of("i");
    for verb in ["events/go", "terminate", "suspend", "resume"] {
        assert_eq!(house.post(&format!("/v1/workflows/i/{verb}"), &json!({})).code(409), "ended", "{verb}");
    }
}

#[test]
fn an_instance_is_run_again_from_an_activity_with_another_input() {
    let house = House::new();
    let call = json!([{"activity": {"name": "echo", "input": 1, "retry": null}}]);
    house.start("script", "i", &call);
    house.end_of("i");
    let rerun = json!({"from": 0, "newId": "j", "input": null});
    assert_eq!(house.post("/v1/workflows/i/rerun", &rerun).ok(201), json!({"id": "j", "isNew": true}));
    let (first, second) = (house.end_of("i"), house.end_of("j"));
    assert!(first["output"].to_string().contains('1'), "{first}");
    assert!(second["output"].to_string().contains("null"), "{second}");
    assert_eq!(house.post("/v1/workflows/i/rerun", &json!({"from": 5})).code(409), "cannot_rerun");
    assert_eq!(house.post("/v1/workflows/i/rerun", &json!({"from": 0, "newId": "j"})).code(409), "already_exists");
}

#[test]
fn an_instance_is_reset_and_sees_again_what_it_was_sent() {
    let house = House::new();
    let wait = json!({"wait": {"event": "go", "limit": "never"}});
    house.start("script", "i", &json!([wait, wait]));
    house.post("/v1/workflows/i/events/go", &json!({"data": 1})).ok(202);
    let events = || house.get("/v1/workflows/i").ok(200)["events"].as_u64().unwrap();
    while events() < 5 {}
    let before = events();
    let reset = house.post("/v1/workflows/i/reset", &json!({"to": 2, "reason": "once more"})).ok(200);
    assert_eq!((&reset["takenBack"], &reset["kept"]), (&json!(before), &json!(0)));
    assert_eq!(reset["warnings"], json!([]));
    house.post("/v1/workflows/i/events/go", &json!({"data": 2})).ok(202);
    assert_eq!(house.end_of("i")["output"], json!([{"event": 1}, {"event": 2}]));
    let history = house.get("/v1/workflows/i/history").ok(200);
    let kinds: Vec<_> = history.as_array().unwrap().iter().filter_map(|event| event.get("workflowReset")).collect();
    assert_eq!((kinds.len(), &kinds[0]["toEvent"], &kinds[0]["reason"]), (1, &json!("2"), &json!("once more")));
    assert_eq!(house.post("/v1/workflows/i/reset", &json!({"to": 2})).code(409), "cannot_reset");
    assert_eq!(house.post("/v1/workflows/nobody/reset", &json!({"to": 2})).code(404), "not_found");
    assert_eq!(house.post("/v1/workflows/i/reset", &json!({})).code(400), "invalid_request");
}

#[test]
fn an_event_beyond_the_limit_is_refused() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    let data = json!({"data": "x".repeat(2 * 1024 * 1024)});
    assert_eq!(house.post("/v1/workflows/i/events/go", &data).code(413), "payload_too_large");
}
