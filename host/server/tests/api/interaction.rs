//! Signals, queries and updates.

use serde_json::json;

use crate::house::House;

fn taking_notes() -> House {
    let house = House::new();
    let mut changes = crate::changes::watch(&house, "?id=i");
    house.start("takes_notes", "i", &json!("zero"));
    changes.until(|change| change["status"] == "running");
    house
}

#[test]
fn a_query_is_answered_and_a_signal_changes_what_it_says() {
    let house = taking_notes();
    let texts = || house.post("/v1/workflows/i/queries/texts", &json!({})).ok(200)["result"].clone();
    assert_eq!(texts(), json!(["zero"]));
    let mut changes = crate::changes::watch(&house, "?id=i");
    assert_eq!(house.post("/v1/workflows/i/signals/note", &json!({"data": "one"})).ok(202), json!({"warnings": []}));
    changes.until(|change| change["id"] == "i");
    assert_eq!(texts(), json!(["zero", "one"]));
    let second = house.post("/v1/workflows/i/queries/text", &json!({"input": 1})).ok(200);
    assert_eq!(second["result"], "one");
}

#[test]
fn an_update_is_answered_or_refused() {
    let house = taking_notes();
    let update = |body| house.post("/v1/workflows/i/updates/add", &body).ok(200);
    assert_eq!(update(json!({"input": "one", "id": "u"})), json!({"accepted": true, "result": 2}));
    assert_eq!(update(json!({"input": "one", "id": "u"})), json!({"accepted": true, "result": 2}), "not done again");
    let refused = update(json!({"input": ""}));
    assert_eq!((&refused["accepted"], &refused["failure"]["type"]), (&json!(false), &json!("Empty")));
    let failed = house.post("/v1/workflows/i/updates/clear", &json!({})).ok(200);
    assert_eq!((&failed["accepted"], &failed["failure"]["message"]), (&json!(true), &json!("2 notes are gone")));
}

#[test]
fn what_cannot_be_is_refused_with_its_code() {
    let house = taking_notes();
    let code = |path: &str, status| house.post(path, &json!({})).ok(status)["error"]["code"].clone();
    assert_eq!(code("/v1/workflows/i/queries/txet", 404), "unknown_handler");
    assert_eq!(code("/v1/workflows/i/signals/ntoe", 404), "unknown_handler");
    assert_eq!(code("/v1/workflows/i/updates/dad", 404), "unknown_handler");
    assert_eq!(code("/v1/workflows/nobody/queries/texts", 404), "not_found");
    assert_eq!(code("/v1/workflows/i/queries/calls_an_activity", 422), "no_answer");
    house.post("/v1/workflows/i/terminate", &json!({})).ok(202);
    house.end_of("i");
    assert_eq!(code("/v1/workflows/i/updates/add", 409), "ended");
    house.post("/v1/workflows/i/queries/texts", &json!({})).ok(200);
}
