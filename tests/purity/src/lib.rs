//! Links the whole replay core into a module, for `check-imports` to look at. It is never run: its input comes from
//! outside, so the compiler cannot know what is unused and has to keep it all.

use std::time::Duration;

use everturn_history::{TaskFailureDetails, Timestamp, json};
use everturn_replay::{
    ActivityOptions, ChildOptions, ContinueOptions, DetachedOptions, Execution, Failure, Moment, Source, Step, Task,
    recorded_events,
};

/// Replays a history, and lets a guest do at each step what a number tells.
#[unsafe(no_mangle)]
pub fn replay(history: &str, commands: &[u32]) -> String {
    let mut execution = Execution::new();
    let events = json::from_str(history).unwrap_or_default();
    events.into_iter().for_each(|event| execution.push(event, Source::History));
    let mut tasks = Vec::new();
    loop {
        match execution.next_step() {
            Ok(Step::Start) => commands.iter().for_each(|command| act(&mut execution, *command, &mut tasks)),
            Ok(Step::Resolved(task)) => drop(execution.take(task)),
            Ok(Step::Idle | Step::Finished) => break,
            Err(error) => return error.to_string(),
        }
    }
    let turn = execution.end_turn();
    json::to_string(&recorded_events(&turn, execution.now())).unwrap_or_default()
}

fn act(execution: &mut Execution, command: u32, tasks: &mut Vec<Task>) {
    let name = || command.to_string();
    match command % 13 {
        0 => tasks.push(execution.create_timer(Moment::At(Timestamp::default()), None)),
        1 => tasks.push(execution.wait_for_event(&name(), Some(Duration::from_secs(command.into())))),
        2 => tasks.push(execution.call_activity(name(), name(), ActivityOptions::default())),
        3 => tasks.push(execution.call_child(name(), name(), ChildOptions::default())),
        4 => tasks.drain(..).for_each(|task| execution.cancel(task)),
        5 => execution.raise_event(name().into(), name(), name()),
        6 => drop(execution.start_detached(name(), name(), DetachedOptions::default())),
        7 => execution.set_custom_status(name()),
        8 => drop(execution.patched(&name())),
        9 => execution.continue_as_new(name(), ContinueOptions { keep_unread_events: true, version: None }),
        10 => execution.complete(Ok(name())),
        11 => execution.complete(Err(Failure::from(TaskFailureDetails::default()))),
        _ => drop(execution.uuid()),
    }
}
