//! Where a turn is played: here and now, if it is a short one; otherwise on a thread that nobody else needs. Handing a turn to
//! another thread and waiting for it takes longer than most turns do.

use everturn_guest::{LiveGuest, RunError};
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
        mut guest: Box<LiveGuest>,
        turn: NewTurn,
    ) -> Result<(Box<LiveGuest>, Result<Play, RunError>), JoinError> {
        let is_short = turn.history.len() + turn.messages.len() <= SHORT_HISTORY && guest.is_quick();
        let play = move || {
            let played = run::play(&mut guest, turn);
            (guest, played)
        };
        if is_short { Ok(play()) } else { tokio::task::spawn_blocking(play).await }
    }
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
