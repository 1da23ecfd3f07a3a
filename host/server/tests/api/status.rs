//! How the host does.

use everturn_runtime::store::sqlite::SqliteOptions;
use everturn_server::Limits;
use everturn_tests::guests::APPROVAL;
use serde_json::json;

use crate::house::House;

#[test]
fn the_status_counts_instances_and_what_was_done() {
    let house = House::new();
    house.start("park", "a", &json!(null));
    house.start("doubles", "b", &json!(1));
    house.end_of("b");
    let status = house.get("/v1/status").ok(200);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["health"], json!({"state": "ready"}));
    assert_eq!(status["instances"]["completed"], 1);
    assert_eq!(status["statistics"]["starts"], 2);
}

#[test]
fn a_host_that_stops_says_so() {
    let house = House::new();
    assert_eq!(house.get("/healthz").ok(200), json!({"state": "ready"}));
    house.stop_runtime();
    assert_eq!(house.get("/healthz").ok(503), json!({"state": "stopping"}));
    let refused = house.post("/v1/workflows", &json!({"workflow": "doubles"}));
    assert_eq!(refused.code(503), "stopping");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
}

#[test]
fn a_full_disk_refuses_starts_and_is_told() {
    let wasm = APPROVAL.bytes().unwrap();
    let room = 2 * wasm.len() as u64 + 2 * 1024 * 1024;
    let store = SqliteOptions { max_bytes: Some(room), ..SqliteOptions::default() };
    let house = House::with(Limits::default(), store);
    house.deploy("", &wasm).ok(201);
    let start = json!({"workflow": "approval", "input": "x".repeat(400 * 1024), "startsAt": "9000-01-01T00:00:00Z"});
    let refused = (0..100).map(|_| house.post("/v1/workflows", &start)).find(|answer| answer.status != 201).unwrap();
    assert_eq!(refused.code(503), "storage_full");
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    let health = house.get("/healthz").ok(503);
    assert_eq!(health["state"], "storageFailing");
    assert!(health["problem"].as_str().unwrap().contains("full"), "{health}");
    assert!(house.get("/v1/workflows").ok(200)["instances"].as_array().unwrap().len() > 1);
}
