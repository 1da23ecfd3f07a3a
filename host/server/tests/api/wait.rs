//! Waiting for the end of an instance.

use std::thread;

use serde_json::json;

use crate::house::House;

#[test]
fn the_end_comes_while_somebody_waits() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| house.end_of("i"));
        house.post("/v1/workflows/i/events/go", &json!({"data": 1})).ok(202);
        assert_eq!(waiting.join().unwrap()["output"], json!(1));
    });
}

#[test]
fn a_wait_with_a_limit_gives_up() {
    let house = House::new();
    house.start("park", "i", &json!(null));
    for timeout in ["0s", "1ms", "20ms"] {
        let answer = house.get(&format!("/v1/workflows/i/wait?timeout={timeout}"));
        assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    }
    assert_eq!(house.get("/v1/workflows/i/wait?timeout=soon").code(400), "invalid_parameter");
}

#[test]
fn one_that_has_ended_is_given_at_once_whatever_the_limit() {
    let house = House::new();
    house.start("doubles", "i", &json!(1));
    house.end_of("i");
    assert_eq!(house.get("/v1/workflows/i/wait?timeout=0s").ok(200)["output"], json!([1, 2]));
}
