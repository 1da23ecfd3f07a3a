//! Whether a component can go on where a history is: it is played in a guest of its own, which is dropped then.

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, SequenceId, event};
use everturn_replay::{Ending, Execution, Source, status_name};

use crate::component::Component;
use crate::live::{LiveGuest, RunError};

/// Why a component cannot go on where a history is.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Misfit {
    /// Its code does something else, or is stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The history is open, and its code has ended.
    #[error(
        "after the last event\n  recorded: nothing: the workflow waits\n  code now: the workflow ended: {}",
        status_name(.0.status)
    )]
    EndedEarly(Box<Ending>),
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
    let is_over = history.iter().any(|event| matches!(event.event_type, Some(EventType::ExecutionCompleted(_))));
    let mut guest = replay(component, history)?;
    let found = look(&guest.execution());
    let ending = guest.execution().ending().cloned();
    match ending {
        Some(_) if is_over => {}
        Some(ending) => return Err(Misfit::EndedEarly(ending.into())),
        None => asks_for_nothing(&mut guest)?,
    }
    Ok(found)
}

/// Plays a history in a guest of its own, and gives the guest.
pub fn replay(component: &Component, history: Vec<HistoryEvent>) -> Result<LiveGuest, RunError> {
    let mut guest = LiveGuest::new(component);
    for event in history {
        guest.push(event, Source::History);
    }
    guest.run()?;
    Ok(guest)
}

/// A guest that has seen a history of complete turns, and waits, asks for nothing that is not in it.
pub fn asks_for_nothing(guest: &mut LiveGuest) -> Result<(), RunError> {
    // A further turn has the core check that the one before it was recorded as a whole.
    let at = guest.execution().now();
    guest.push(event::turn_started(at, Vec::new()), Source::History);
    guest.run()
}
