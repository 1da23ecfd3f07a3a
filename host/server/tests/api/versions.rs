//! Which version new starts go to: taken over, tried, undone, given up.

use everturn_tests::guests::{TEST_GUESTS, in_version};
use serde_json::{Value, json};

use crate::client;
use crate::house::House;

/// Asks for something that needs no body.
fn post(house: &House, path: &str) -> client::Answer {
    client::send(house.address, &format!("POST {path}"), &[], &[])
}

/// The workflows of every version, each with this.
fn each(value: &Value) -> Value {
    let names = [
        "generations",
        "journey",
        "numbered_rounds",
        "round_by_round",
        "rounds",
        "steady",
        "tells",
        "two_branches",
        "two_patches",
    ];
    names.iter().map(|name| ((*name).to_owned(), value.clone())).collect::<serde_json::Map<_, _>>().into()
}

/// The workflows of every version.
fn all() -> Value {
    each(&Value::Null).as_object().unwrap().keys().cloned().collect::<Vec<_>>().into()
}

/// The workflows whose new starts go to a version.
fn active(house: &House, version: &str) -> Value {
    house.get(&format!("/v1/deployments/{version}")).ok(200)["activeWorkflows"].clone()
}

#[test]
fn a_version_is_shown_with_what_its_workflows_handle() {
    let house = House::new();
    house.deploy("version=same&successors=same", &in_version("first")).ok(201);
    let shown = house.get("/v1/deployments/one").ok(200);
    assert_eq!((&shown["version"], &shown["successors"]), (&json!("one"), &json!("newest")));
    let described = shown["descriptions"].as_array().unwrap();
    assert_eq!(described.len(), shown["workflows"].as_array().unwrap().len());
    let handles = |kind: &str| described.iter().any(|one| !one[kind].as_array().unwrap().is_empty());
    assert!(handles("signals") && handles("queries") && handles("updates"), "{described:?}");
    assert_eq!(house.get("/v1/deployments/same").ok(200)["successors"], "same");
    assert_eq!(house.get("/v1/deployments/nowhere").code(404), "unknown_version");
    assert_eq!(house.get("/v1/deployments/one?full").code(400), "invalid_parameter");
}

#[test]
fn a_dry_run_changes_nothing_and_its_report_is_kept() {
    let house = House::under_way(&["one"]);
    let dry = house.deploy("version=second&dryRun", &in_version("reordered")).ok(200);
    assert_eq!((&dry["active"], &dry["broken"]), (&json!(false), &json!(false)));
    let report = json!({"compatible": 0, "diverged": 1, "notChecked": 0, "causes": [{
        "kind": "mismatch", "workflow": "journey", "recorded": "activity \"pack\"", "candidate": "activity \"unpack\"",
        "count": 1, "instances": [{"id": "one", "event": 3}],
    }]});
    assert_eq!(dry["report"], report);
    assert_eq!(house.get("/v1/deployments").ok(200)["deployments"].as_array().unwrap().len(), 1);
    let kept = house.get("/v1/gate-reports?version=second").ok(200);
    assert_eq!((&kept["reports"][0]["version"], &kept["reports"][0]["report"]), (&json!("second"), &report));
}

#[test]
fn reports_are_given_newest_first_of_one_version_and_no_more_than_asked_for() {
    let house = House::empty();
    for (version, gate) in [("first", "all"), ("later", "all"), ("first", "off")] {
        house.deploy(&format!("version={version}&gate={gate}"), &in_version(version)).ok(201);
    }
    let versions = |query: &str| {
        let kept = house.get(&format!("/v1/gate-reports{query}")).ok(200);
        kept["reports"].as_array().unwrap().iter().map(|one| one["version"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(versions(""), ["first", "later", "first"]);
    assert_eq!(versions("?version=first"), ["first", "first"]);
    assert_eq!(versions("?limit=2"), ["first", "later"]);
    assert_eq!(versions("?version=later&limit=1"), ["later"]);
    assert_eq!(versions("?version=nowhere"), [""; 0]);
    assert_eq!(house.get("/v1/gate-reports?limit=some").code(400), "invalid_parameter");
}

#[test]
fn a_version_is_activated_tried_and_undone() {
    let house = House::empty();
    assert_eq!(post(&house, "/v1/rollback").code(409), "nothing_to_undo");
    house.deploy_version("first");
    let pinned = house.deploy("version=later&strategy=pin&gate=sample=5&ramp=10", &in_version("later")).ok(201);
    assert_eq!(pinned["active"], true);
    assert_eq!(house.get("/v1/deployments/later").ok(200)["trials"], each(&json!(10)));
    assert_eq!(active(&house, "later"), json!([]));
    let dry = post(&house, "/v1/deployments/later/activate?dryRun").ok(200);
    assert_eq!((&dry["active"], active(&house, "later")), (&json!(false), json!([])));
    assert_eq!(post(&house, "/v1/deployments/later/activate").ok(200)["active"], true);
    assert_eq!(active(&house, "later"), all());
    let undone = post(&house, "/v1/rollback").ok(200);
    assert_eq!(undone, json!({"undone": "later", "workflows": each(&json!("first"))}));
    assert_eq!(active(&house, "first"), all());
    post(&house, "/v1/rollback").ok(200);
    let undone = post(&house, "/v1/rollback").ok(200);
    assert_eq!(undone, json!({"undone": "first", "workflows": each(&Value::Null)}));
    assert_eq!(post(&house, "/v1/rollback").code(409), "nothing_to_undo");
}

#[test]
fn a_version_that_cannot_run_what_is_open_is_stored_and_not_active() {
    let house = House::under_way(&["one"]);
    let deployed = house.deploy_version("panics");
    assert_eq!((&deployed["active"], &deployed["broken"]), (&json!(false), &json!(true)));
    assert_eq!(deployed["report"]["causes"][0]["kind"], "fault");
    assert_eq!((active(&house, "panics"), active(&house, "first")), (json!([]), all()));
}

#[test]
fn what_cannot_be_activated_or_undone_is_refused() {
    let house = House::new();
    assert_eq!(post(&house, "/v1/deployments/nowhere/activate").code(404), "unknown_version");
    for query in
        ["strategy=some", "gate=some", "gate=sample=x", "ramp=0", "ramp=100", "ramp=x", "dryRun=maybe", "env=A=B"]
    {
        let path = format!("/v1/deployments/one/activate?{query}");
        assert_eq!(post(&house, &path).code(400), "invalid_parameter", "{query}");
    }
    assert_eq!(post(&house, "/v1/rollback?all").code(400), "invalid_parameter");
}

#[test]
fn a_version_is_given_up_when_nobody_needs_it() {
    let house = House::under_way(&["one"]);
    let retire = |version: &str| post(&house, &format!("/v1/deployments/{version}/retire"));
    assert_eq!(retire("nowhere").code(404), "unknown_version");
    assert_eq!(retire("first").code(409), "version_needed", "new starts go to it");
    house.deploy("version=later&strategy=pin", &in_version("later")).ok(201);
    assert_eq!(retire("first").code(409), "version_needed", "an instance is open on it");
    house.post("/v1/workflows/one/terminate", &json!({})).ok(202);
    house.end_of("one");
    retire("first").ok(200);
    let shown = house.get("/v1/deployments/first").ok(200);
    assert!(shown["retiredAt"].is_string() && shown.get("descriptions").is_none(), "{shown}");
    assert_eq!(post(&house, "/v1/deployments/first/activate").code(409), "version_needed");
    assert_eq!(post(&house, "/v1/rollback").code(409), "version_needed", "there is nothing to go back to");
}

#[test]
fn an_instance_is_moved_by_hand_if_it_fits() {
    let house = House::under_way(&["one", "ended"]);
    for version in ["later", "reordered"] {
        house.deploy(&format!("version={version}&strategy=pin&gate=off"), &in_version(version)).ok(201);
    }
    house.deploy("version=others", &TEST_GUESTS.bytes().unwrap()).ok(201);
    house.post("/v1/workflows/ended/terminate", &json!({})).ok(202);
    house.end_of("ended");
    let to = |id: &str, version: &str| {
        let answer = house.post(&format!("/v1/workflows/{id}/move"), &json!({"version": version}));
        if answer.status == 200 {
            "moved".to_owned()
        } else {
            format!("{} {}", answer.status, answer.code(answer.status))
        }
    };
    assert_eq!(to("nobody", "later"), "404 not_found");
    assert_eq!(to("one", "nowhere"), "404 unknown_version");
    assert_eq!(to("one", "reordered"), "409 does_not_fit");
    assert_eq!(to("one", "others"), "409 does_not_fit");
    assert_eq!(to("ended", "later"), "409 ended");
    assert_eq!(to("one", "later"), "moved");
    assert_eq!(house.get("/v1/deployments/later/moving?below=1").ok(200)["left"], 0);
    assert_eq!(house.get("/v1/workflows/one").ok(200)["deployment"], "later");
    assert_eq!(house.post("/v1/workflows/one/move", &json!({"to": "later"})).code(400), "invalid_request");
}
