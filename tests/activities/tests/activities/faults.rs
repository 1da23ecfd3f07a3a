//! What goes wrong in an activity is a failure of that activity, with a stable name; the host goes on.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use everturn_activity::{ActivityLimits, Grants, error_types};
use everturn_replay::Cause;
use serde_json::{Value, json};

use crate::fixture::*;

#[test]
fn a_failure_comes_out_as_its_author_made_it() {
    let failure = failure(run("fails", &Value::Null));
    assert_eq!((failure.error_type.as_str(), failure.message.as_str()), ("OrderFailed", "order 7 failed"));
    assert_eq!(failure.details.as_deref(), Some("on shelf 3"));
    let (error_type, message) = ("OutOfStock".to_owned(), "nothing is left".to_owned());
    assert_eq!(failure.causes, [Cause { error_type, message, details: None }]);
    assert!(!failure.retriable);
}

#[test]
fn a_panic_is_a_failure_with_its_message() {
    let failure = failure(run("panics", &json!("no such order")));
    assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::PANICKED, true));
    assert!(failure.message.contains("no such order"), "{}", failure.message);
}

#[test]
fn what_webassembly_stops_is_a_failure_and_may_be_tried_again() {
    let table = [
        ("traps", Value::Null, "stopped by a wasm trap: wasm `unreachable` instruction executed"),
        ("recurses_for_ever", Value::Null, "stopped by a wasm trap"),
        ("allocates_for_ever", Value::Null, "bytes of memory, and the limit is 268435456"),
        ("exits", json!(3), "called exit with code"),
        ("beats_too_large", json!(2 * 1024 * 1024), "the details of a heartbeat have 2097154 bytes"),
    ];
    for (activity, input, message) in table {
        let failure = failure(run(activity, &input));
        assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::TRAPPED, true), "{activity}");
        assert!(failure.message.contains(message), "{activity}: {}", failure.message);
        assert_eq!(json(run("Another Name", &json!(1))), json!(1), "after {activity}");
    }
}

#[test]
fn a_result_that_is_too_large_is_refused_for_good() {
    let limit = ActivityLimits::default().payload_size;
    assert!(run("returns_bytes", &json!(limit - 2)).is_ok());
    let failure = failure(run("returns_bytes", &json!(limit)));
    assert_eq!((failure.error_type.as_str(), failure.retriable), (error_types::RESULT_TOO_LARGE, false));
    assert!(failure.message.contains("2097154 bytes, and the limit is 2097152"), "{}", failure.message);
}

#[test]
fn there_are_no_files() {
    let failure = failure(run("opens_a_file", &Value::Null));
    assert_eq!(failure.error_type, "io::Error");
}

/// Polls an activity until it has said that it runs, and drops it then.
fn started_and_dropped(activity: &str) {
    let listener = Arc::new(Listener { wanted: 1, ..Listener::default() });
    block_on(async {
        let mut run = pin!(activities().run(call(activity, &Value::Null), &Grants::default(), listener.clone()));
        poll_fn(|context| {
            assert!(run.as_mut().poll(context).is_pending());
            if listener.heard.lock().unwrap().is_empty() { Poll::Pending } else { Poll::Ready(()) }
        })
        .await;
    });
    // Whoever holds what the guest holds is gone.
    assert_eq!(Arc::strong_count(&listener), 1, "{activity}");
}

#[test]
fn a_busy_activity_lets_others_run_and_stops_when_it_is_dropped() {
    started_and_dropped("loops_for_ever");
}

#[test]
fn a_waiting_activity_stops_when_it_is_dropped() {
    started_and_dropped("waits_for_ever");
}

#[test]
fn a_busy_activity_shares_its_thread() {
    let ready = block_on(async {
        let mut busy = pin!(activities().run(call("loops_for_ever", &Value::Null), &Grants::default(), Arc::new(())));
        let mut other = pin!(activities().run(call("info", &Value::Null), &Grants::default(), Arc::new(())));
        poll_fn(|context| {
            assert!(busy.as_mut().poll(context).is_pending());
            other.as_mut().poll(context)
        })
        .await
    });
    assert_eq!(json(ready)["name"], "info");
}
