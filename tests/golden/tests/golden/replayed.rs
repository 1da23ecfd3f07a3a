//! Every history fits the current build.

use everturn_golden::files;
use everturn_guest::{fits, replay};
use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;

use crate::components::{self, GUESTS};

#[test]
fn every_golden_history_replays_on_the_current_build() {
    let misfit = |path: &String| {
        let checked = fits(components::of(path), files::read(path));
        checked.err().map(|misfit| format!("{path}: {misfit}"))
    };
    let misfits: Vec<_> = files::found().keys().filter_map(misfit).collect();
    assert!(misfits.is_empty(), "\n{}\n", misfits.join("\n\n"));
}

/// A result, or the type and the message of a failure.
type End = (Option<String>, Option<(String, String)>);

/// The end that a history has.
fn recorded_end(history: &[HistoryEvent]) -> Option<End> {
    history.iter().find_map(|event| match &event.event_type {
        Some(EventType::ExecutionCompleted(end)) => {
            let failure = end.failure_details.as_ref();
            let failure = failure.map(|failure| (failure.error_type.clone(), failure.error_message.clone()));
            Some((end.result.as_ref().map(|result| result.value.clone()), failure))
        }
        _ => None,
    })
}

/// A result holds all that a workflow was told, drew and saw, so it says more than what it asked for.
#[test]
fn every_golden_history_of_the_test_guests_comes_to_the_same_end() {
    let mut compared = 0;
    for path in files::found().keys().filter(|path| path.starts_with(GUESTS)) {
        let history = files::read(path);
        let Some(recorded) = recorded_end(&history) else { continue };
        let guest = replay(components::of(path), history).unwrap_or_else(|error| panic!("{path}: {error}"));
        let ending = guest.execution().ending().cloned().unwrap_or_else(|| panic!("{path}: it does not end"));
        let failure = ending.failure.map(|failure| (failure.error_type, failure.message));
        assert_eq!((ending.result, failure), recorded, "{path}");
        compared += 1;
    }
    assert!(compared > 40, "most histories have an end: {compared}");
}
