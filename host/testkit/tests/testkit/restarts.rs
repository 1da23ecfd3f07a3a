//! Workflows that begin anew, and hosts that do.

use std::time::Duration;

use everturn_test::TestHost;
use serde_json::{Value, json};

use crate::guests;

#[test]
fn a_workflow_that_never_ends_is_looked_at_piece_by_piece() {
    let mut run = TestHost::new(guests()).start("restarts_plainly", &0);
    run.skip(Duration::from_secs(10));
    assert_eq!(run.generation(), 10);
    assert_eq!(run.earlier_histories().len(), 10);
    assert_eq!(run.story(), ["restarts_plainly started", "timer for 1s"]);
    assert_eq!(run.pending_timers().len(), 1);
}

#[test]
fn unread_events_come_along_and_old_answers_do_not() {
    let host = TestHost::new(guests()).activity_returns("endless", "late").takes("endless", Duration::from_secs(60));
    let mut run = host.start("restarts_from_deep_inside", &json!({"done": 0, "version": null}));
    for _ in 0..3 {
        run.raise_event("go", &());
    }
    run.until_blocked();
    assert_eq!(run.generation(), 3);
    run.assert_called("endless", 4);
    run.skip(Duration::from_secs(60));
    assert_eq!(run.generation(), 3);
    let answered = run.story().iter().filter(|line| *line == "activity endless completed").count();
    assert_eq!(answered, 1, "that of this generation: {:#?}", run.story());
}

#[test]
fn patches_are_recorded_and_replayed() {
    let mut run = TestHost::new(guests()).activity_returns("New", ()).start("takes_patches", &());
    assert_eq!(run.result(), Ok((true, true, true)));
    run.assert_not_called("Old");
}

#[test]
fn after_a_crash_an_instance_is_made_again_from_its_history() {
    for crashes in [false, true] {
        let host = TestHost::new(guests()).without_replays().activity_returns("A", ());
        let mut run = host.start("looks_at_the_clock", &());
        run.skip(Duration::from_secs(1));
        if crashes {
            run.restart_host();
        }
        let moments: Vec<Value> = run.result().unwrap();
        let replayed: Vec<_> = moments.iter().map(|moment| moment["is_replaying"] == true).collect();
        assert_eq!(replayed, [crashes, false, false]);
        run.assert_called("A", 1);
    }
}
