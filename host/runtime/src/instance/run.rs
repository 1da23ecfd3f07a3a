//! What a guest does in a turn: pure work, between reading and writing.

use everturn_guest::{LiveGuest, RunError};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, event};
use everturn_replay::{Source, Turn, UpdateAnswer, recorded_events};
use everturn_store::Time;

/// What a turn came to.
#[derive(Debug)]
pub(crate) struct Played {
    /// What the guest asks for.
    pub(crate) turn: Turn,
    /// How it begins in history.
    pub(crate) begun: HistoryEvent,
    /// That the instance is on another version from this turn on.
    pub(crate) moved: Option<HistoryEvent>,
    /// What its actions become in history.
    pub(crate) recorded: Vec<HistoryEvent>,
}

impl Played {
    /// A turn that only takes note of its messages.
    pub(crate) fn nothing(at: Time) -> Self {
        let begun = event::turn_started(at.to_timestamp(), Vec::new());
        Self { turn: Turn::default(), begun, moved: None, recorded: Vec::new() }
    }
}

/// What became of a turn.
#[derive(Debug)]
pub(crate) enum Play {
    /// It was played, and is not closed.
    Played,
    /// It was not begun: the update that it has was accepted before, and may have its answer.
    Known(Option<UpdateAnswer>),
    /// It was not begun: nobody takes the update that it has.
    NotTaken,
}

/// A turn to be played.
#[derive(Debug)]
pub(crate) struct NewTurn {
    /// What is on disk, if that is not behind the guest already.
    pub(crate) history: Vec<HistoryEvent>,
    /// That the instance is on another version from this turn on.
    pub(crate) moved: Option<HistoryEvent>,
    /// What it brings.
    pub(crate) messages: Vec<HistoryEvent>,
    /// When it is.
    pub(crate) at: Time,
}

/// Plays what is on disk, and nothing else.
pub(crate) fn replay(guest: &mut LiveGuest, history: Vec<HistoryEvent>) -> Result<(), RunError> {
    for event in history {
        guest.push(event, Source::History);
    }
    guest.run()
}

/// Plays what is on disk, and then a turn.
pub(crate) fn play(guest: &mut LiveGuest, turn: NewTurn) -> Result<Play, RunError> {
    let NewTurn { history, moved, messages, at } = turn;
    for event in history {
        guest.push(event, Source::History);
    }
    for message in &messages {
        let Some(EventType::UpdateAccepted(update)) = &message.event_type else { continue };
        guest.run()?;
        let execution = guest.execution();
        if let Some(answer) = execution.known_update(&update.id) {
            return Ok(Play::Known(answer.cloned()));
        }
        if !execution.takes_update(&update.name) {
            return Ok(Play::NotTaken);
        }
    }
    guest.push(event::turn_started(at.to_timestamp(), Vec::new()), Source::New);
    for event in moved.into_iter().chain(messages) {
        guest.push(event, Source::New);
    }
    guest.run()?;
    Ok(Play::Played)
}

/// Closes a turn that was played: what it came to.
pub(crate) fn close(guest: &mut LiveGuest, moved: Option<HistoryEvent>, at: Time) -> Box<Played> {
    let turn = guest.end_turn();
    let recorded = recorded_events(&turn, at.to_timestamp());
    let begun = event::turn_started(at.to_timestamp(), turn.patches.clone());
    Box::new(Played { turn, begun, moved, recorded })
}
