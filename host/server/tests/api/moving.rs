//! Waiting until open instances have moved to a version.

use std::thread;

use serde_json::json;

use crate::house::House;

#[test]
fn those_that_are_to_move_are_counted_until_they_have() {
    let house = House::under_way(&["one", "two"]);
    let pinned = json!({"workflow": "journey", "id": "pinned", "version": "first", "input": "bag"});
    house.post("/v1/workflows", &pinned).ok(201);
    house.deploy_version("later");
    let path = "/v1/deployments/later/moving";
    assert_eq!(house.get(path).ok(200), json!({"version": "later", "left": 2, "active": true}));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| house.get(&format!("{path}?below=2")).ok(200));
        house.post("/v1/workflows/one/events/depart", &json!({})).ok(202);
        assert_eq!(waiting.join().unwrap()["left"], 1);
        let waiting = scope.spawn(|| house.get(&format!("{path}?below=1")).ok(200));
        house.post("/v1/workflows/two/terminate", &json!({})).ok(202);
        assert_eq!(waiting.join().unwrap()["left"], 0, "what has ended is not waited for");
    });
    assert_eq!(house.get("/v1/workflows/one").ok(200)["deployment"], "later");
    assert_eq!(house.get("/v1/deployments/first").ok(200)["openInstances"], 1, "the pinned one stays");
}

#[test]
fn a_wait_gives_up_when_its_time_is_over_or_the_version_is_not_active_any_more() {
    let house = House::under_way(&["one"]);
    house.deploy_version("later");
    for timeout in ["0s", "1ms"] {
        let answer = house.get(&format!("/v1/deployments/later/moving?below=1&timeout={timeout}"));
        assert_eq!(answer.ok(200), json!({"version": "later", "left": 1, "active": true}));
    }
    house.post("/v1/rollback", &json!({})).ok(200);
    let answer = house.get("/v1/deployments/later/moving?below=1");
    assert_eq!(answer.ok(200), json!({"version": "later", "left": 0, "active": false}));
}

#[test]
fn what_does_not_fit_is_not_waited_for() {
    let house = House::under_way(&["one", "two"]);
    assert_eq!(house.deploy_version("reordered")["report"]["diverged"], 2);
    assert_eq!(house.get("/v1/deployments/reordered/moving?below=1").ok(200)["left"], 0);
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let house = House::new();
    assert_eq!(house.get("/v1/deployments/nowhere/moving").code(404), "unknown_version");
    for query in ["below=some", "timeout=soon", "above=1"] {
        assert_eq!(house.get(&format!("/v1/deployments/one/moving?{query}")).code(400), "invalid_parameter", "{query}");
    }
}
