//! The virtual clock.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use everturn_test::{Status, TestHost};
use serde_json::json;

use crate::{DAY, HOUR, complaint, guests};

#[test]
fn time_begins_where_it_is_told_to() {
    let time = SystemTime::UNIX_EPOCH + 1_000 * DAY;
    let mut run = TestHost::new(guests()).start_time(time).start("sleeps_until", &(time + HOUR));
    assert_eq!(run.now(), time);
    assert_eq!(run.result(), Ok(time + HOUR));
}

#[test]
fn time_stands_still_until_somebody_lets_it_pass() {
    let mut run = TestHost::new(guests()).start("sleeps_for", &(365 * DAY));
    let began = run.now();
    run.until_blocked();
    run.skip(364 * DAY);
    assert_eq!(run.status(), Status::Running);
    run.skip_to(began + 365 * DAY);
    assert_eq!(run.status(), Status::Completed);
    assert_eq!(run.now(), began + 365 * DAY);
}

#[test]
fn plans_happen_in_the_order_of_their_times() {
    let order = Rc::new(RefCell::new(Vec::new()));
    let mut run = TestHost::new(guests()).start("sleeps_for", &DAY);
    for hours in [5, 1, 3] {
        let order = Rc::clone(&order);
        run.at(hours * HOUR, move |run| order.borrow_mut().push((hours, run.now())));
    }
    let began = run.now();
    run.result::<()>().unwrap();
    assert_eq!(order.take(), [1, 3, 5].map(|hours| (hours, began + hours * HOUR)));
}

#[test]
fn a_plan_may_make_plans() {
    let mut run = TestHost::new(guests()).start("waits_for_approval", &());
    run.at(HOUR, |run| run.at(HOUR, |run| run.raise_event("Approval", &json!(run.now()))));
    let began = run.now();
    assert_eq!(run.result(), Ok(began + 2 * HOUR));
}

#[test]
fn an_event_that_comes_before_the_limit_wins() {
    let limit = Duration::from_secs(10);
    let mut run = TestHost::new(guests()).start("waits_this_long", &limit);
    run.until_blocked();
    run.at(limit - Duration::from_nanos(1), |run| run.raise_event("go", &7));
    assert_eq!(run.result(), Ok(Some(7)));
}

#[test]
fn time_does_not_go_back() {
    let mut run = TestHost::new(guests()).start("sleeps_for", &DAY);
    run.skip(HOUR);
    let earlier = run.now() - HOUR;
    insta::assert_snapshot!(complaint(|| run.skip_to(earlier)), @"it is 2026-01-01T10:00:00Z already, and time does not go back to 2026-01-01T09:00:00Z");
}
