//! Deadlines that others move, over a month.

use std::time::SystemTime;

use everturn_test::{Run, Status, TestHost, TimerPurpose, UpdateError};
use serde_json::{Value, json};

use crate::{DAY, guests};

fn start(latest: Option<SystemTime>, max_moves: Option<usize>) -> Run {
    let host = TestHost::new(guests()).activity_returns("record", ());
    let began = SystemTime::UNIX_EPOCH + 20_000 * DAY;
    let terms = json!({"deadline": began + 3 * DAY, "latest": latest, "max_moves": max_moves});
    host.start_time(began).start("approves_in_time", &terms)
}

#[test]
fn thirty_days_with_ten_extensions() {
    let mut run = start(None, None);
    let began = run.now();
    for extension in 1_u32..=10 {
        run.skip_to(began + (3 * extension - 1) * DAY);
        let deadline = began + 3 * (extension + 1) * DAY;
        assert_eq!(run.update("extend", &(deadline, "ann")), Ok(deadline));
        assert_eq!(run.query::<SystemTime>("deadline", &()), deadline);
        let timers = run.pending_timers();
        assert_eq!(timers.len(), 1, "each move leaves one timer: {timers:?}");
        assert_eq!(timers[0].fire_at, deadline);
        assert!(matches!(timers[0].purpose, TimerPurpose::Sleep(_)));
    }
    run.skip_to(began + 31 * DAY);
    assert_eq!(run.status(), Status::Running);
    run.assert_not_called("record");

    run.skip_to(began + 33 * DAY);
    assert!(!run.calls("record")[0].input::<bool>(), "nobody approved in time");
    assert_eq!(run.query::<Vec<Value>>("moves", &()).len(), 10);
    run.assert_no_pending_timers();
    run.raise_event("end", &());
    assert_eq!(run.result(), Ok((false, 10)));
}

#[test]
fn approval_ends_the_timer() {
    let mut run = start(None, None);
    run.skip(DAY);
    run.signal("approve", &());
    run.until_blocked();
    run.assert_no_pending_timers();
    run.raise_event("end", &());
    assert_eq!(run.result(), Ok((true, 0)));
}

#[test]
fn what_is_refused_leaves_no_trace() {
    let mut run = start(None, Some(1));
    run.until_blocked();
    let (events, began) = (run.history().len(), run.now());
    let refused = run.update::<SystemTime>("extend", &(began - DAY, "ann")).unwrap_err();
    assert!(matches!(refused, UpdateError::Rejected(_)), "{refused}");
    assert_eq!(run.history().len(), events);

    run.update::<SystemTime>("extend", &(began + 4 * DAY, "ann")).unwrap();
    let refused = run.update::<SystemTime>("extend", &(began + 5 * DAY, "ann")).unwrap_err();
    assert!(refused.failure().is_some());
    assert_eq!(run.query::<SystemTime>("deadline", &()), began + 4 * DAY);
}

#[test]
fn a_deadline_in_the_past_cannot_be_moved() {
    let mut run = start(None, None);
    let began = run.now();
    run.skip(4 * DAY);
    let refused = run.update::<SystemTime>("extend", &(began + 9 * DAY, "ann")).unwrap_err();
    assert!(matches!(refused, UpdateError::Rejected(_)), "{refused}");
}
