//! Starting workflows.

use serde_json::json;

use crate::house::House;

#[test]
fn a_workflow_is_started_runs_and_is_found_where_the_answer_says() {
    let house = House::new();
    let answer = house.post("/v1/workflows", &json!({"workflow": "doubles", "id": "a/b c", "input": 21}));
    assert_eq!(answer.ok(201), json!({"id": "a/b c", "isNew": true}));
    let location = &answer.headers["location"];
    assert_eq!(location, "/v1/workflows/a%2Fb%20c");
    let ended = house.get(&format!("{location}/wait")).ok(200);
    assert_eq!(ended["status"], "completed");
    assert_eq!(ended["output"], json!([21, 42]));
    assert_eq!(house.get(location).ok(200)["id"], "a/b c");
}

#[test]
fn an_id_is_generated_and_the_input_is_null_when_not_given() {
    let house = House::new();
    let id = house.post("/v1/workflows", &json!({"workflow": "doubles"})).ok(201)["id"].as_str().unwrap().to_owned();
    let ended = house.end_of(&id);
    assert_eq!(ended["output"], json!([null, null]));
    assert_eq!(ended["input"], json!(null));
    assert!(ended.as_object().unwrap().contains_key("input"));
}

#[test]
fn payloads_are_kept_to_the_letter() {
    let house = House::new();
    let input = "{\"b\" : 1.0,\n  \"a\":1e2, \"a\": [ ] ,\"ü\":\"\\u00fc\"}";
    let body = format!(r#"{{"workflow": "park", "id": "i", "input": {input}}}"#);
    let mut changes = crate::changes::watch(&house, "?id=i");
    assert_eq!(house.post_text("/v1/workflows", &body).status, 201);
    changes.until(|change| change["status"] == "running");
    let shown = house.get("/v1/workflows/i").body;
    assert!(shown.contains(&format!("\"input\":{input}")), "{shown}");
}

#[test]
fn what_is_known_of_an_instance_is_shown() {
    let house = House::new();
    let start = json!({"workflow": "park", "id": "i", "version": "one", "tags": {"team": "blue"}, "input": [1]});
    house.post("/v1/workflows", &start).ok(201);
    let shown = house.get("/v1/workflows/i").ok(200);
    assert_eq!(shown["workflow"], "park");
    assert_eq!(shown["version"], "one");
    assert_eq!(shown["deployment"], "one");
    assert_eq!(shown["tags"], json!({"team": "blue"}));
    assert_eq!(shown["generation"], 0);
    assert!(shown["createdAt"].as_str().unwrap().ends_with('Z'), "{shown}");
    assert!(shown.get("endedAt").is_none() && shown.get("output").is_none() && shown.get("failure").is_none());
}

#[test]
fn a_later_start_waits_for_its_time() {
    let house = House::new();
    let start = json!({"workflow": "doubles", "id": "i", "startsAt": "9000-01-01T00:00:00Z"});
    house.post("/v1/workflows", &start).ok(201);
    let shown = house.get("/v1/workflows/i").ok(200);
    assert_eq!((&shown["status"], &shown["startsAt"]), (&json!("pending"), &json!("9000-01-01T00:00:00Z")));
    assert_eq!(shown["pending"]["messages"], 1);
}

#[test]
fn an_id_in_use_is_refused_used_or_replaced() {
    let house = House::new();
    house.start("park", "i", &json!(1));
    let again = |if_exists: &str| {
        house.post("/v1/workflows", &json!({"workflow": "doubles", "id": "i", "input": 3, "ifExists": if_exists}))
    };
    assert_eq!(house.post("/v1/workflows", &json!({"workflow": "park", "id": "i"})).code(409), "already_exists");
    assert_eq!(again("fail").code(409), "already_exists");
    assert_eq!(again("use").ok(200), json!({"id": "i", "isNew": false}));
    assert_eq!(again("replaceEnded").code(409), "already_exists");
    assert_eq!(again("replace").ok(201), json!({"id": "i", "isNew": true}));
    assert_eq!(house.end_of("i")["output"], json!([3, 6]));
    assert_eq!(again("replaceEnded").ok(201), json!({"id": "i", "isNew": true}));
}

#[test]
fn a_workflow_or_version_that_is_not_there_is_refused() {
    let house = House::empty();
    let start = |body| house.post("/v1/workflows", &body);
    assert_eq!(start(json!({"workflow": "doubles"})).code(404), "unknown_workflow");
    house.deploy_guests();
    let answer = start(json!({"workflow": "dubles"}));
    assert_eq!(answer.code(404), "unknown_workflow");
    assert!(answer.message().contains("`dubles`"), "{answer:?}");
    assert_eq!(start(json!({"workflow": "doubles", "version": "two"})).code(404), "unknown_version");
}

#[test]
fn an_id_that_cannot_be_used_is_refused() {
    let house = House::new();
    for id in ["", &"x".repeat(10_000)] {
        assert_eq!(house.post("/v1/workflows", &json!({"workflow": "park", "id": id})).code(400), "invalid_name");
    }
}

#[test]
fn large_inputs_are_accepted_with_a_warning_and_larger_ones_refused() {
    let house = House::new();
    let start = |bytes| house.post("/v1/workflows", &json!({"workflow": "park", "input": "x".repeat(bytes)}));
    let warned = start(600 * 1024).ok(201);
    assert_eq!(warned["warnings"].as_array().unwrap().len(), 1, "{warned}");
    assert_eq!(start(2 * 1024 * 1024 + 1).code(413), "payload_too_large");
}
