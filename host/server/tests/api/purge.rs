//! Deleting instances.

use serde_json::json;

use crate::house::House;

#[test]
fn one_that_has_ended_is_deleted() {
    let house = House::new();
    house.start("doubles", "i", &json!(1));
    house.end_of("i");
    assert_eq!(house.delete("/v1/workflows/i").ok(200), json!({"purged": 1}));
    assert_eq!(house.get("/v1/workflows/i").code(404), "not_found");
}

#[test]
fn one_that_is_open_is_deleted_by_force_only() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    assert_eq!(house.delete("/v1/workflows/i").code(409), "open");
    assert_eq!(house.delete("/v1/workflows/i?force=perhaps").code(400), "invalid_parameter");
    assert_eq!(house.delete("/v1/workflows/i?force&recursive=true").ok(200), json!({"purged": 1}));
}

#[test]
fn those_that_fit_a_filter_are_deleted() {
    let house = House::new();
    for id in ["a-1", "a-2", "b-1"] {
        house.start("doubles", id, &json!(1));
        house.end_of(id);
    }
    house.start("park", "a-3", &json!(null));
    assert_eq!(house.post("/v1/purge", &json!({"endedBefore": "2000-01-01T00:00:00Z"})).ok(200), json!({"purged": 0}));
    assert_eq!(house.post("/v1/purge", &json!({"idPrefix": "a-"})).ok(200), json!({"purged": 2}));
    assert_eq!(house.post("/v1/purge", &json!({"status": ["completed"]})).ok(200), json!({"purged": 1}));
    assert_eq!(house.get("/v1/workflows/a-3").ok(200)["id"], "a-3");
}

#[test]
fn a_filter_that_would_mean_all_or_what_is_open_is_refused() {
    let house = House::empty();
    assert_eq!(house.post("/v1/purge", &json!({})).code(400), "invalid_request");
    assert_eq!(house.post("/v1/purge", &json!({"status": ["running"]})).code(400), "invalid_name");
}
