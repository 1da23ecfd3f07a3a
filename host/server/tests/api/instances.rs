//! Looking at instances: lists, histories, failures, what is open.

use serde_json::{Value, json};

use crate::house::House;

fn ids(page: &Value) -> Vec<String> {
    page["instances"].as_array().unwrap().iter().map(|instance| instance["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_list_is_filtered() {
    let house = House::new();
    house.start("park", "a-1", &json!(null));
    house.start("doubles", "a-2", &json!(2));
    house.start("fails_in_full", "b-1", &json!(null));
    house.end_of("a-2");
    house.end_of("b-1");
    let table: [(&str, &[&str]); 9] = [
        ("", &["b-1", "a-2", "a-1"]),
        ("status=failed", &["b-1"]),
        ("status=failed,completed", &["b-1", "a-2"]),
        ("status=failed&status=completed", &["b-1", "a-2"]),
        ("workflow=park", &["a-1"]),
        ("idPrefix=a-", &["a-2", "a-1"]),
        ("idPrefix=a-&status=completed", &["a-2"]),
        ("createdFrom=2000-01-01T00:00:00Z&createdBefore=9000-01-01T00:00:00%2B01:00", &["b-1", "a-2", "a-1"]),
        ("createdBefore=2000-01-01T00:00:00Z", &[]),
    ];
    for (query, expected) in table {
        let page = house.get(&format!("/v1/workflows?{query}")).ok(200);
        assert_eq!(ids(&page), expected, "{query}");
        assert!(page.get("next").is_none(), "{query}");
    }
}

#[test]
fn pages_lead_to_each_other() {
    let house = House::new();
    for number in 0..5 {
        house.start("park", &format!("p{number}"), &json!(null));
    }
    let first = house.get("/v1/workflows?limit=2").ok(200);
    let second = house.get(&format!("/v1/workflows?limit=2&page={}", first["next"].as_str().unwrap())).ok(200);
    house.start("park", "newer", &json!(null));
    let third = house.get(&format!("/v1/workflows?limit=2&page={}", second["next"].as_str().unwrap())).ok(200);
    assert_eq!([ids(&first), ids(&second), ids(&third)].concat(), ["p4", "p3", "p2", "p1", "p0"]);
    assert!(third.get("next").is_none());
}

#[test]
fn a_parameter_that_cannot_be_read_is_named() {
    let house = House::empty();
    let table = [
        ("status=done", "`done` is no status"),
        ("limit=0", "from 1 to 1000"),
        ("limit=1001", "from 1 to 1000"),
        ("limit=ten", "`limit`"),
        ("page=xyz", "no page token"),
        ("createdFrom=yesterday", "`createdFrom`"),
        ("workflow=a&workflow=b", "`workflow` is given twice"),
        ("colour=blue", "no parameter `colour`"),
    ];
    for (query, expected) in table {
        let answer = house.get(&format!("/v1/workflows?{query}"));
        assert_eq!(answer.code(400), "invalid_parameter", "{query}");
        assert!(answer.message().contains(expected), "{query}: {answer:?}");
    }
}

#[test]
fn the_history_is_what_replay_reads() {
    let house = House::new();
    house.start("doubles", "i", &json!(4));
    let events = house.end_of("i")["events"].as_u64().unwrap();
    let answer = house.get("/v1/workflows/i/history");
    answer.ok(200);
    let history = everturn_history::json::from_str(&answer.body).unwrap();
    assert_eq!(history.len() as u64, events);
    let rest = house.get("/v1/workflows/i/history?from=2");
    assert_eq!(everturn_history::json::from_str(&rest.body).unwrap(), history[2..]);
    assert_eq!(house.get("/v1/workflows/i/history?from=1000").ok(200), json!([]));
}

#[test]
fn a_failure_is_shown_with_its_causes() {
    let house = House::new();
    house.start("fails_in_full", "i", &json!(null));
    let ended = house.end_of("i");
    assert_eq!(ended["status"], "failed");
    let failure = &ended["failure"];
    assert_eq!((&failure["type"], &failure["message"]), (&json!("CardDeclined"), &json!("the card was declined")));
    assert_eq!(failure["details"], "card 1234");
    assert_eq!(failure["causes"][0]["type"], "BankSaidNo");
    assert!(ended.get("output").is_none());
}

#[test]
fn open_activities_are_shown_with_who_works_on_them() {
    let house = House::new();
    let call = |name: &str| json!({"activity": {"name": name, "input": 1, "retry": null}});
    let mut changes = crate::changes::watch(&house, "?id=i");
    house.start("script", "i", &json!([{"join": [call("never"), call("nobody")]}]));
    changes.until(|change| change["status"] == "running");
    let shown = house.get("/v1/workflows/i").ok(200);
    let activities = shown["pending"]["activities"].as_array().unwrap();
    let told: Vec<_> = activities.iter().map(|a| (&a["name"], &a["taskId"], &a["attempt"], &a["state"])).collect();
    assert_eq!(
        told,
        [
            (&json!("never"), &json!(0), &json!(1), &json!("running")),
            (&json!("nobody"), &json!(1), &json!(1), &json!("waiting"))
        ]
    );
    assert!(activities[0]["taskExecutionId"].is_string());
    assert!(shown["warnings"][0].as_str().unwrap().contains("`nobody`"), "{shown}");
}

#[test]
fn an_instance_that_is_not_there() {
    let house = House::empty();
    for path in
        ["/v1/workflows/i", "/v1/workflows/i/history", "/v1/workflows/i/wait", "/v1/workflows/i/wait?timeout=0s"]
    {
        let answer = house.get(path);
        assert_eq!(answer.code(404), "not_found", "{path}");
        assert!(answer.message().contains("`i`"), "{answer:?}");
    }
    assert_eq!(house.delete("/v1/workflows/i").code(404), "not_found");
    for verb in ["events/go", "terminate", "suspend", "resume"] {
        assert_eq!(house.post(&format!("/v1/workflows/i/{verb}"), &json!({})).code(404), "not_found", "{verb}");
    }
    assert_eq!(house.post("/v1/workflows/i/rerun", &json!({"from": 0})).code(404), "not_found");
}

#[test]
fn a_path_that_is_no_text_is_refused() {
    assert_eq!(House::empty().get("/v1/workflows/%ff").code(400), "invalid_path");
}
