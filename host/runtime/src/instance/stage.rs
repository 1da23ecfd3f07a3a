//! Where a turn is played: here and now, if it is a short one; otherwise on a thread that nobody else needs. Handing a turn to
//! another thread and waiting for it takes longer than most turns do.

use everturn_guest::{LiveGuest, RunError};
use everturn_history::HistoryEvent;
use everturn_store::Time;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::task::JoinError;

use super::run::{self, NewTurn, Play};
use crate::clock::Clock;

/// Events that are played here and now at most: what others of this thread wait for then is about what it takes to hand it over.
const SHORT_HISTORY: usize = 16;

/// The place of a turn that is about to be played: there are only so many.
pub(super) struct Stage<'a> {
    _permit: Result<SemaphorePermit<'a>, AcquireError>,
    /// When it was entered. A turn that waited for its place is no earlier than that, whatever it was asked for by.
    pub(super) at: Time,
}

/// Resolves when there is a place.
pub(super) async fn enter<'a>(turns: &'a Semaphore, clock: &Clock) -> Stage<'a> {
    // It is never closed.
    let permit = turns.acquire().await;
    Stage { _permit: permit, at: clock.now() }
}

impl Stage<'_> {
    /// Plays a turn, with the guest that plays it.
    pub(super) async fn play(
        self,
        guest: Box<LiveGuest>,
        turn: NewTurn,
    ) -> Result<(Box<LiveGuest>, Result<Play, RunError>), JoinError> {
        let events = turn.history.len() + turn.messages.len();
        perform(guest, events, |guest| run::play(guest, turn)).await
    }

    /// Brings a guest to where its last turn left it.
    pub(super) async fn replay(
        self,
        guest: Box<LiveGuest>,
        history: Vec<HistoryEvent>,
    ) -> Result<(Box<LiveGuest>, Result<(), RunError>), JoinError> {
        perform(guest, history.len(), |guest| run::replay(guest, history)).await
    }
}

/// Has a guest take so many events.
async fn perform<T: Send + 'static>(
    mut guest: Box<LiveGuest>,
    events: usize,
    work: impl FnOnce(&mut LiveGuest) -> T + Send + 'static,
) -> Result<(Box<LiveGuest>, T), JoinError> {
    let is_short = events <= SHORT_HISTORY && guest.is_quick();
    let perform = move || {
        let done = work(&mut guest);
        (guest, done)
    };
    if is_short { Ok(perform()) } else { tokio::task::spawn_blocking(perform).await }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    #[test]
    fn a_turn_that_waited_for_its_place_is_no_earlier_than_that() {
        let (turns, clock) = (Semaphore::new(1), Clock::default());
        let first = enter(&turns, &clock).now_or_never().unwrap();
        let mut second = pin!(enter(&turns, &clock));
        assert!(second.as_mut().now_or_never().is_none(), "there is one place");
        let asked = clock.now();
        let meanwhile = std::iter::repeat_with(|| clock.now()).find(|now| *now > asked).unwrap();
        drop(first);
        assert!(second.now_or_never().unwrap().at >= meanwhile);
    }
}
