//! Whether a component can go on where a history is: it is played in a guest of its own, which is dropped then.

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, SequenceId, event};
use everturn_replay::{Execution, Source};

use crate::component::Component;
use crate::live::{LiveGuest, RunError};

/// Why a component cannot go on where a history is.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Misfit {
    /// Its code does something else, or is stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The history is open, and its code has ended.
    #[error("after the last event\n  recorded: nothing: the workflow waits\n  code now: the workflow ended: {status}")]
    EndedEarly {
        /// How.
        status: &'static str,
    },
}

/// How code stands at the end of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What history has and the code waits for.
    pub awaited: Vec<SequenceId>,
    /// The status text that it shows.
    pub custom_status: Option<String>,
    /// Whether it is suspended.
    pub is_suspended: bool,
}

/// Plays a history of complete turns: the code must do what it says, and ask for nothing beyond it.
pub fn fits(component: &Component, history: Vec<HistoryEvent>) -> Result<(), Misfit> {
    play(component, history, |_| ())
}

/// Plays a history in the same way, and says how the code stands at its end.
pub fn standing(component: &Component, history: Vec<HistoryEvent>) -> Result<Standing, Misfit> {
    let recorded: Vec<_> = history.iter().map(|event| SequenceId::new(event.event_id)).collect();
    play(component, history, |execution| Standing {
        awaited: recorded.into_iter().filter(|id| *id >= SequenceId::FIRST && execution.awaits(*id)).collect(),
        custom_status: execution.custom_status().map(str::to_owned),
        is_suspended: execution.is_suspended(),
    })
}

fn play<T>(component: &Component, history: Vec<HistoryEvent>, look: impl FnOnce(&Execution) -> T) -> Result<T, Misfit> {
    let at = history.last().and_then(|event| event.timestamp).unwrap_or_default();
    let is_over = history.iter().any(|event| matches!(event.event_type, Some(EventType::ExecutionCompleted(_))));
    let mut guest = LiveGuest::new(component);
    for event in history {
        guest.push(event, Source::History);
    }
    guest.run()?;
    let found = look(&guest.execution());
    let ending = guest.execution().ending().map(|ending| ending.status);
    match ending {
        Some(_) if is_over => return Ok(found),
        Some(status) => return Err(Misfit::EndedEarly { status: everturn_replay::status_name(status) }),
        None => {}
    }
    // A further turn has the core check that the one before it was recorded as a whole.
    guest.push(event::turn_started(at, Vec::new()), Source::History);
    guest.run()?;
    Ok(found)
}
