//! What a workflow says to those who ask has a limit, up to which it passes: answers of queries, failures of updates, and
//! reasons against them, with all that led to them.

use everturn_guest::{GuestFault, Limits, QueryError, RunError};
use everturn_replay::UpdateVerdict;
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::Compiled;
use serde_json::{Value, json};

use super::instance::{Instance, updated};

fn start() -> Instance {
    Instance::start("says_as_much_as_it_is_asked_for", &Value::Null).0
}

fn limit() -> usize {
    Limits::default().payload_size
}

#[test]
fn the_answer_of_a_query_is_limited() {
    let instance = start();
    let (limit, beyond) = (limit(), limit() + 1);
    assert_eq!(instance.query("text", &json!(limit)).unwrap().unwrap().as_str().map(str::len), Some(limit - 2));
    assert!(matches!(instance.query("failure", &json!(limit)).unwrap(), Err(QueryError::Failed(_))));
    for query in ["text", "failure"] {
        let refused = instance.query(query, &json!(beyond)).unwrap().unwrap_err();
        assert_eq!(refused, QueryError::TooLarge { size: beyond, limit }, "{query}");
    }
}

#[test]
fn what_an_update_fails_with_and_why_it_is_rejected_is_limited() {
    let (limit, beyond) = (limit(), limit() + 1);
    assert!(matches!(start().update(1, "fails", &json!(limit)).update, Some(UpdateVerdict::Accepted)));
    assert!(matches!(start().update(1, "rejected", &json!(limit)).update, Some(UpdateVerdict::Rejected(_))));
    for (update, what) in [("fails", "update's failure"), ("rejected", "reason against an update")] {
        let new = vec![turn(1), updated(1, update, 1, &json!(beyond))];
        match Compiled::new().play(start().history, new) {
            Err(RunError::Guest(fault)) => {
                assert_eq!(fault, GuestFault::PayloadTooLarge { what, size: beyond, limit });
            }
            other => panic!("{update}: {other:?}"),
        }
    }
}
