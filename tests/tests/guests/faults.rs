//! Guests that misbehave: each gets a typed fault with a clear message, and the host goes on.

use std::thread;

use everturn_guest::{GuestFault, LiveGuest, RunError};
use everturn_replay::Turn;
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::{Compiled, impatient_component, test_component};

fn first_turn(workflow: &str, input: &str) -> Result<Turn, RunError> {
    Compiled::new().play(vec![], started_as(workflow, input))
}

fn fault(workflow: &str, input: &str) -> GuestFault {
    match first_turn(workflow, input) {
        Err(RunError::Guest(fault)) => fault,
        other => panic!("{workflow}: {other:?}"),
    }
}

/// Other instances of the same component and engine are served as before.
fn assert_others_are_served() {
    let turn = first_turn("sequential", "0").unwrap();
    assert_eq!(only_result(&turn), "0");
}

#[test]
fn each_fault_has_its_type_and_the_host_goes_on() {
    let is = |matches: fn(&GuestFault) -> bool| matches;
    let table = [
        ("recurses_for_ever", is(|fault| matches!(fault, GuestFault::StackOverflow { .. }))),
        ("allocates_for_ever", is(|fault| matches!(fault, GuestFault::MemoryLimit { .. }))),
        ("traps", is(|fault| matches!(fault, GuestFault::Trapped { .. }))),
        ("exits", is(|fault| matches!(fault, GuestFault::Exited))),
        ("waits_for_nothing", is(|fault| matches!(fault, GuestFault::Deadlocked))),
        ("sleeps_the_thread", is(|fault| matches!(fault, GuestFault::SleptThread))),
        ("opens_a_file", is(|fault| matches!(fault, GuestFault::Forbidden { .. }))),
    ];
    for (workflow, expected) in table {
        let fault = fault(workflow, "null");
        assert!(expected(&fault), "{workflow}: {fault:?}");
        assert_others_are_served();
    }
}

#[test]
fn the_message_of_a_panic_is_shown() {
    let message = |fault: GuestFault| match fault {
        GuestFault::Panicked { message } => message,
        other => panic!("{other:?}"),
    };
    assert!(message(fault("panics", "\"no such order\"")).contains("no such order"));

    let mut guest = Compiled::new();
    let turn = guest.play(vec![], started_as("panics_after_await", "\"too late\"")).unwrap();
    let old = everturn_replay::recorded_events(&turn, at(0));
    match guest.play(old, vec![everturn_test_world::histories::turn(1), timer_fired(0)]) {
        Err(RunError::Guest(fault)) => assert!(message(fault).contains("too late")),
        other => panic!("{other:?}"),
    }
    assert_others_are_served();
}

#[test]
fn a_guest_that_comes_to_wait_for_nothing_is_told_apart_from_one_that_waits() {
    let mut guest = Compiled::new();
    let turn = guest.play(vec![], started_as("waits_for_nothing_after_await", "null")).unwrap();
    let old = everturn_replay::recorded_events(&turn, at(0));
    let result = guest.play(old, vec![everturn_test_world::histories::turn(1), timer_fired(0)]);
    assert!(matches!(result, Err(RunError::Guest(GuestFault::Deadlocked))), "{result:?}");
    assert!(first_turn("park", "null").is_ok());
}

#[test]
fn payloads_beyond_the_limit_are_refused_and_up_to_it_pass() {
    let limit = everturn_guest::Limits::default().payload_size;
    let quotes = 2;
    assert_eq!(only_result(&first_turn("returns_huge", &(limit - quotes).to_string()).unwrap()).len(), limit);
    for workflow in ["returns_huge", "huge_input_to_activity"] {
        let fault = fault(workflow, &(limit - quotes + 1).to_string());
        assert!(matches!(fault, GuestFault::PayloadTooLarge { size, .. } if size == limit + 1), "{fault:?}");
    }
    assert_others_are_served();
}

#[test]
fn a_result_that_is_no_json_is_passed_on_as_it_is() {
    assert_eq!(only_result(&first_turn("returns_nonsense", "null").unwrap()), "{this is no JSON");
}

#[test]
fn there_is_no_environment_no_argument_and_no_input() {
    for (workflow, nothing) in [("reads_env", "[]"), ("reads_args", "[]"), ("reads_stdin", "\"\"")] {
        assert_eq!(only_result(&first_turn(workflow, "null").unwrap()), nothing, "{workflow}");
    }
}

#[test]
fn a_thread_cannot_be_spawned_and_the_guest_is_told() {
    let failure = only_completion(&first_turn("spawns_a_thread", "null").unwrap()).failure_details.unwrap();
    assert_eq!(failure.error_type, "io::Error", "{failure:?}");
}

#[test]
fn a_forgotten_call_does_not_hold_the_workflow_up() {
    let mut guest = Compiled::new();
    let turn = guest.play(vec![], started_as("forgets_a_future", "null")).unwrap();
    let old = everturn_replay::recorded_events(&turn, at(0));
    let turn = guest.play(old, vec![everturn_test_world::histories::turn(1), task_completed(1, "7")]).unwrap();
    assert_eq!(only_result(&turn), "7");
}

#[test]
fn a_flood_of_log_lines_is_cut_and_the_workflow_goes_on() {
    assert_eq!(only_result(&first_turn("logs_a_lot", "10000").unwrap()), "10000");
}

#[test]
fn an_unknown_workflow_is_refused_with_the_names_that_exist_and_nothing_is_recorded() {
    let mut guest = Compiled::new();
    match guest.play(vec![], started_as("no_such_workflow", "null")) {
        Err(RunError::UnknownWorkflow { workflow, known }) => {
            assert_eq!(workflow, "no_such_workflow");
            assert!(known.iter().any(|name| name == "sequential"), "{known:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(guest.end_turn().actions, []);
    assert_others_are_served();
}

#[test]
fn an_input_of_another_type_fails_the_workflow_for_good() {
    let failure = only_completion(&first_turn("sequential", "\"three\"").unwrap()).failure_details.unwrap();
    assert_eq!((failure.error_type.as_str(), failure.is_non_retriable), ("InvalidInput", true));
}

#[test]
fn a_guest_that_was_stopped_stays_stopped() {
    let mut guest = LiveGuest::new(test_component());
    for event in started_as("panics", "\"once\"") {
        guest.push(event, everturn_replay::Source::New);
    }
    let first = guest.run().unwrap_err().to_string();
    guest.push(raised("e", "1"), everturn_replay::Source::New);
    assert_eq!(guest.run().unwrap_err().to_string(), first);
}

#[test]
fn a_guest_that_loops_is_stopped_and_does_not_hold_up_others() {
    thread::scope(|scope| {
        let looping = scope.spawn(|| {
            let mut guest = Compiled(LiveGuest::new(impatient_component()));
            guest.play(vec![], started_as("loops_for_ever", "null"))
        });
        for _ in 0..100 {
            assert_others_are_served();
        }
        let stopped = looping.join().unwrap();
        assert!(matches!(stopped, Err(RunError::Guest(GuestFault::TimedOut { .. }))), "{stopped:?}");
    });
}
