//! Where a turn is played: here and now, if it is a short one; otherwise on a thread that nobody else needs. Handing a turn to
//! another thread and waiting for it takes longer than most turns do.

use everturn_guest::{LiveGuest, RunError};
use tokio::task::JoinError;

use super::run::{self, NewTurn, Play};
use crate::host::Host;

/// Events that are played here and now at most: what others of this thread wait for then is about what it takes to hand it over.
const SHORT_HISTORY: usize = 16;

/// Plays a turn, with the guest that plays it.
pub(super) async fn play(
    host: &Host,
    mut guest: Box<LiveGuest>,
    turn: NewTurn,
) -> Result<(Box<LiveGuest>, Result<Play, RunError>), JoinError> {
    // It is never closed.
    let _permit = host.turns.acquire().await;
    let is_short = turn.history.len() + turn.messages.len() <= SHORT_HISTORY && guest.is_quick();
    let play = move || {
        let played = run::play(&mut guest, turn);
        (guest, played)
    };
    if is_short { Ok(play()) } else { tokio::task::spawn_blocking(play).await }
}
