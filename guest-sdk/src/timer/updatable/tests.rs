//! What a timer allows. That it waits is tested with a host.

use std::time::UNIX_EPOCH;

use super::*;
use crate::read_only::Reader;
use crate::{Error, error_types};

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

#[test]
fn each_refusal_says_which_and_becomes_an_error_of_that_type() {
    let timer = UpdatableTimer::until(at(100)).latest(at(200)).max_moves(0);
    for (refused, error_type, message) in [
        (
            timer.check(at(50), at(50)),
            error_types::DEADLINE_IN_THE_PAST,
            "the new deadline is now, and not in the future",
        ),
        (timer.check(at(50), at(20)), error_types::DEADLINE_IN_THE_PAST, "the new deadline is 30 s in the past"),
        (
            timer.check(at(50), at(201)),
            error_types::DEADLINE_TOO_LATE,
            "the new deadline is 1 s later than the latest that there may be",
        ),
        (
            timer.check(at(50), at(200)),
            error_types::TOO_MANY_MOVES,
            "the timer was moved 0 times already, which is as often as it may be",
        ),
    ] {
        let error = Error::from(refused.unwrap_err());
        assert_eq!((error.error_type.as_str(), error.message.as_str()), (error_type, message));
        assert!(!error.retriable);
    }
}

#[test]
fn a_timer_without_limits_may_be_moved_both_ways() {
    let timer = UpdatableTimer::until(at(100));
    assert_eq!(timer.check(at(50), at(51)), Ok(()));
    assert_eq!(timer.check(at(50), at(10_000)), Ok(()));
}

#[test]
fn a_timer_that_is_stopped_or_has_fired_is_not_moved() {
    let timer = UpdatableTimer::until(at(100));
    timer.stop();
    assert_eq!(timer.check(at(50), at(60)), Err(MoveRefused::Stopped));

    let fired = UpdatableTimer::until(at(100));
    fired.shared.phase.set(Phase::Fired);
    fired.stop();
    assert!(fired.has_fired());
    assert_eq!(fired.check(at(50), at(60)), Err(MoveRefused::Fired));
}

#[test]
fn a_move_to_the_deadline_that_it_has_is_none_and_is_allowed_when_there_may_be_no_more() {
    let timer = UpdatableTimer::until(at(100)).max_moves(0);
    assert_eq!(timer.check(at(50), at(101)), Err(MoveRefused::TooManyMoves { limit: 0 }));
    assert_eq!(timer.check(at(50), at(100)), Ok(()));
    assert!(timer.check(at(100), at(100)).is_err(), "it is over");
}

#[test]
#[should_panic(expected = "a query cannot stop a timer")]
fn a_query_does_not_stop_a_timer() {
    let timer = UpdatableTimer::until(at(100));
    read_only::run(Reader::Query, || timer.stop());
}

#[test]
fn a_wait_that_is_dropped_leaves_nothing_in_its_timer() {
    let timer = UpdatableTimer::until(at(100));
    let wait = timer.wait(Ctx::<()>::new());
    wait.place.as_ref().unwrap().wait(std::task::Waker::noop());
    assert_eq!(timer.shared.waiting.count(), 1);
    drop(wait);
    assert_eq!(timer.shared.waiting.count(), 0);
}
