//! What does not fit when a history is played again, in words. The same for histories from files and for the run that goes
//! on.

use std::fmt;

use everturn_guest::{LiveGuest, Misfit, RunError, asks_for_nothing, fits, replay};
use everturn_history::HistoryEvent;
use everturn_replay::{Ending, ReplayError};

use crate::component::TestComponent;
use crate::story;

/// Where code and history part.
#[derive(Debug)]
pub(crate) enum Difference {
    /// The code does something else, or cannot go on. With the event in question, if it is one of the history.
    Run { error: RunError, event: Option<String> },
    /// The history is open, and the code has ended.
    EndedEarly { ending: String },
    /// Something that history does not record comes out different.
    State { what: &'static str, recorded: String, now: String },
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { error, event: None } => error.fmt(formatter),
            Self::Run { error, event: Some(event) } => write!(formatter, "{error}\n  that event: {event}"),
            Self::EndedEarly { ending } => {
                write!(formatter, "after the last event\n  recorded: nothing: the workflow waits\n  code now: {ending}")
            }
            Self::State { what, recorded, now } => {
                write!(formatter, "{what}\n  first run: {recorded}\n  replayed:  {now}")
            }
        }
    }
}

/// Plays a history of complete turns in a fresh guest, which must ask for nothing beyond it.
pub(crate) fn replay_complete(component: &TestComponent, history: &[HistoryEvent]) -> Result<(), Difference> {
    fits(component.loaded(), history.to_vec()).map_err(|misfit| match misfit {
        Misfit::Run(error) => differs(error, history),
        Misfit::EndedEarly(ending) => Difference::EndedEarly { ending: ended(Some(&ending)) },
    })
}

/// Plays the history of a guest that waits or has ended in a fresh one, which must come to the same.
pub(crate) fn compare(component: &TestComponent, live: &LiveGuest, history: &[HistoryEvent]) -> Result<(), Difference> {
    let mut again = replay(component.loaded(), history.to_vec()).map_err(|error| differs(error, history))?;
    {
        let differs = |what, recorded, now| Err(Difference::State { what, recorded, now });
        let (live, again) = (live.execution(), again.execution());
        if live.ending() != again.ending() {
            return differs("it ends in another way", ended(live.ending()), ended(again.ending()));
        }
        if live.custom_status() != again.custom_status() {
            let status = |status: Option<&str>| status.unwrap_or("none").to_owned();
            return differs(
                "its custom status is another",
                status(live.custom_status()),
                status(again.custom_status()),
            );
        }
        if live.open_tasks() != again.open_tasks() {
            let things = |count: usize| format!("{count} at the same time");
            return differs("it waits for other things", things(live.open_tasks()), things(again.open_tasks()));
        }
        if again.is_finished() {
            return Ok(());
        }
    }
    asks_for_nothing(&mut again).map_err(|error| differs(error, history))
}

fn ended(ending: Option<&Ending>) -> String {
    match ending {
        None => "the workflow waits".to_owned(),
        Some(ending) => {
            let with = match (&ending.result, &ending.failure) {
                (_, Some(failure)) => format!("{}: {}", failure.error_type, failure.message),
                (Some(result), None) => result.clone(),
                (None, None) => String::new(),
            };
            format!("the workflow ended: {} {with}", story::ending(ending.status))
        }
    }
}

fn differs(error: RunError, history: &[HistoryEvent]) -> Difference {
    let number = match &error {
        RunError::Replay(ReplayError::Mismatch(mismatch)) => mismatch.event,
        RunError::Replay(ReplayError::InvalidHistory(invalid)) => invalid.event,
        _ => 0,
    };
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let event = index.and_then(|index| history.get(index)).map(|event| story::Story::of(history).line(event));
    Difference::Run { error, event }
}
