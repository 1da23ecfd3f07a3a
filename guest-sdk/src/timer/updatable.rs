//! A deadline that can be moved while somebody waits for it. Each wait has one timer at a time, whatever happens.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use futures::FutureExt;
use futures::future::FusedFuture;
use serde::{Deserialize, Serialize};

use super::Sleep;
use super::refusal::{MoveRefused, distance};
use crate::context::Ctx;
use crate::read_only;
use crate::wakers::{Place, Wakers};

/// A timer whose deadline can be moved: keep it in the workflow's state, [`wait`](Self::wait) for it in the main function,
/// [`move_to`](Self::move_to) another time from a handler, and show [`deadline`](Self::deadline) in a query.
///
/// It is a handle: clones are the same timer. Who waits for it has a timer in the inbox, and one at a time: each move takes
/// it out and puts one in its place. Several who wait have one each; moves before anybody waits cost nothing.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use everturn_sdk::prelude::*;
///
/// struct Approval {
///     deadline: UpdatableTimer,
///     approved: bool,
/// }
///
/// #[workflow]
/// impl Approval {
///     #[init]
///     fn new(until: &SystemTime) -> Self {
///         let latest = *until + Duration::from_secs(30 * 24 * 3600);
///         Self { deadline: UpdatableTimer::until(*until).latest(latest).max_moves(10), approved: false }
///     }
///
///     #[run]
///     async fn run(ctx: Ctx<Self>, _until: SystemTime) -> Result<bool> {
///         let deadline = ctx.read(|state| state.deadline.clone());
///         select! {
///             () = ctx.wait_until(|state| state.approved) => Ok(true),
///             () = deadline.wait(ctx) => Ok(false),
///         }
///     }
///
///     #[signal]
///     fn approve(&mut self) {
///         self.approved = true;
///         self.deadline.stop();
///     }
///
///     #[update]
///     fn extend(&mut self, ctx: &Ctx<Self>, (until, who): (SystemTime, String)) -> Result<()> {
///         Ok(self.deadline.move_to(ctx, until, who)?)
///     }
///
///     #[query]
///     fn deadline(&self) -> SystemTime {
///         self.deadline.deadline()
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct UpdatableTimer {
    shared: Rc<Shared>,
}

/// One move of an [`UpdatableTimer`].
///
/// ```no_run
/// # fn example(timer: everturn_sdk::UpdatableTimer) {
/// for change in timer.moves() {
///     println!("{} moved it to {:?}", change.by, change.to);
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Move {
    /// The deadline before.
    pub from: SystemTime,
    /// The deadline since.
    pub to: SystemTime,
    /// Who moved it.
    pub by: String,
    /// When: the time of the turn.
    pub at: SystemTime,
}

/// A wait for an [`UpdatableTimer`]: over when its deadline is there, wherever it was moved meanwhile. Made by
/// [`UpdatableTimer::wait`].
///
/// ```no_run
/// # async fn example(ctx: everturn_sdk::Ctx, timer: everturn_sdk::UpdatableTimer) {
/// timer.wait(ctx).await;
/// # }
/// ```
#[must_use = "a wait does not begin before it is awaited"]
pub struct TimerWait {
    ctx: Ctx,
    shared: Rc<Shared>,
    /// The timer for a deadline.
    sleep: Option<(SystemTime, Sleep)>,
    /// Among those who wait for a move. None: it is over.
    place: Option<Place>,
}

#[derive(Debug)]
struct Shared {
    deadline: Cell<SystemTime>,
    latest: Cell<Option<SystemTime>>,
    max_moves: Cell<usize>,
    phase: Cell<Phase>,
    moves: RefCell<Vec<Move>>,
    waiting: Wakers,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    Fired,
    Stopped,
}

impl UpdatableTimer {
    /// A timer with this deadline, that may be moved to any time in the future as often as one likes.
    ///
    /// ```
    /// # use {everturn_sdk::UpdatableTimer, std::time::{Duration, SystemTime}};
    /// let deadline = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    /// assert_eq!(UpdatableTimer::until(deadline).deadline(), deadline);
    /// ```
    #[must_use]
    pub fn until(deadline: SystemTime) -> Self {
        let shared = Shared {
            deadline: Cell::new(deadline),
            latest: Cell::new(None),
            max_moves: Cell::new(usize::MAX),
            phase: Cell::new(Phase::Open),
            moves: RefCell::default(),
            waiting: Wakers::default(),
        };
        Self { shared: Rc::new(shared) }
    }

    /// No move may go beyond this time.
    ///
    /// ```
    /// # use {everturn_sdk::UpdatableTimer, std::time::{Duration, SystemTime}};
    /// # fn example(deadline: SystemTime) -> UpdatableTimer {
    /// UpdatableTimer::until(deadline).latest(deadline + Duration::from_secs(7 * 24 * 3600))
    /// # }
    /// ```
    #[must_use]
    pub fn latest(self, latest: SystemTime) -> Self {
        self.shared.latest.set(Some(latest));
        self
    }

    /// It may be moved this often, and no more.
    ///
    /// ```
    /// # use {everturn_sdk::UpdatableTimer, std::time::SystemTime};
    /// # fn example(deadline: SystemTime) -> UpdatableTimer {
    /// UpdatableTimer::until(deadline).max_moves(3)
    /// # }
    /// ```
    #[must_use]
    pub fn max_moves(self, limit: usize) -> Self {
        self.shared.max_moves.set(limit);
        self
    }

    /// Waits until the deadline, wherever it is moved meanwhile. A deadline in the past is over at once.
    ///
    /// ```no_run
    /// # async fn example(ctx: everturn_sdk::Ctx, timer: everturn_sdk::UpdatableTimer) {
    /// timer.wait(ctx).await;
    /// # }
    /// ```
    pub fn wait<S>(&self, ctx: Ctx<S>) -> TimerWait {
        read_only::refuse("wait for a timer");
        let place = Some(self.shared.waiting.place());
        TimerWait { ctx: ctx.plain(), shared: Rc::clone(&self.shared), sleep: None, place }
    }

    /// Moves the deadline, and remembers who did it and when; the log hears of it too. To the deadline that it has already
    /// is no move, and does not count as one.
    ///
    /// # Errors
    /// When the timer may not be moved there; it is then where it was.
    ///
    /// ```no_run
    /// # use {everturn_sdk::prelude::*, std::time::Duration};
    /// # fn example(ctx: Ctx, timer: UpdatableTimer) -> Result<()> {
    /// timer.move_to(&ctx, timer.deadline() + Duration::from_secs(3600), "Ada")?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn move_to<S>(&self, ctx: &Ctx<S>, deadline: SystemTime, by: impl Into<String>) -> Result<(), MoveRefused> {
        read_only::refuse("move a timer");
        self.may_move_to(ctx, deadline)?;
        let from = self.shared.deadline.replace(deadline);
        if from != deadline {
            let by = by.into();
            crate::info!(by, remaining = ?self.remaining(ctx), "moved a timer");
            self.shared.moves.borrow_mut().push(Move { from, to: deadline, by, at: ctx.now() });
            self.shared.waiting.wake_all();
        }
        Ok(())
    }

    /// Whether it may be moved there: what a validator asks.
    ///
    /// # Errors
    /// When it may not.
    ///
    /// ```no_run
    /// # use {everturn_sdk::prelude::*, std::time::SystemTime};
    /// # fn example(ctx: Ctx, timer: UpdatableTimer, deadline: SystemTime) -> Result<()> {
    /// Ok(timer.may_move_to(&ctx, deadline)?)
    /// # }
    /// ```
    pub fn may_move_to<S>(&self, ctx: &Ctx<S>, deadline: SystemTime) -> Result<(), MoveRefused> {
        self.check(ctx.now(), deadline)
    }

    fn check(&self, now: SystemTime, deadline: SystemTime) -> Result<(), MoveRefused> {
        let limit = self.shared.max_moves.get();
        match self.shared.phase.get() {
            Phase::Fired => Err(MoveRefused::Fired),
            Phase::Stopped => Err(MoveRefused::Stopped),
            Phase::Open if deadline <= now => Err(MoveRefused::InThePast { deadline, now }),
            Phase::Open if deadline == self.deadline() => Ok(()),
            Phase::Open => match self.shared.latest.get() {
                Some(latest) if deadline > latest => Err(MoveRefused::TooLate { deadline, latest }),
                _ if self.shared.moves.borrow().len() >= limit => Err(MoveRefused::TooManyMoves { limit }),
                _ => Ok(()),
            },
        }
    }

    /// Says that what it waits for has happened: it is not to be moved any more. Who waits for it waits on, for the deadline
    /// as it is. Nothing happens to one that has fired.
    ///
    /// ```no_run
    /// # fn example(timer: everturn_sdk::UpdatableTimer) {
    /// timer.stop();
    /// # }
    /// ```
    pub fn stop(&self) {
        read_only::refuse("stop a timer");
        if self.shared.phase.get() == Phase::Open {
            self.shared.phase.set(Phase::Stopped);
        }
    }

    /// The deadline as it is now.
    ///
    /// ```no_run
    /// # fn example(timer: everturn_sdk::UpdatableTimer) -> std::time::SystemTime {
    /// timer.deadline()
    /// # }
    /// ```
    #[must_use]
    pub fn deadline(&self) -> SystemTime {
        self.shared.deadline.get()
    }

    /// How long it is until the deadline; nothing, if it is over.
    ///
    /// ```no_run
    /// # fn example(ctx: everturn_sdk::Ctx, timer: everturn_sdk::UpdatableTimer) -> std::time::Duration {
    /// timer.remaining(&ctx)
    /// # }
    /// ```
    #[must_use]
    pub fn remaining<S>(&self, ctx: &Ctx<S>) -> Duration {
        distance(ctx.now(), self.deadline())
    }

    /// Whether a wait for it has come to its end.
    ///
    /// ```no_run
    /// # fn example(timer: everturn_sdk::UpdatableTimer) -> bool {
    /// timer.has_fired()
    /// # }
    /// ```
    #[must_use]
    pub fn has_fired(&self) -> bool {
        self.shared.phase.get() == Phase::Fired
    }

    /// All moves so far, the first one first.
    ///
    /// ```no_run
    /// # fn example(timer: everturn_sdk::UpdatableTimer) -> usize {
    /// timer.moves().len()
    /// # }
    /// ```
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        self.shared.moves.borrow().clone()
    }
}

impl Future for TimerWait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let wait = &mut *self;
        let Some(place) = &wait.place else {
            return Poll::Pending;
        };
        let deadline = wait.shared.deadline.get();
        // The old timer goes before the new one comes.
        wait.sleep.take_if(|(until, _)| *until != deadline);
        let (_, sleep) = wait.sleep.get_or_insert_with(|| (deadline, wait.ctx.sleep_until(deadline)));
        if sleep.poll_unpin(context).is_ready() {
            wait.place = None;
            wait.sleep = None;
            wait.shared.phase.set(Phase::Fired);
            return Poll::Ready(());
        }
        place.wait(context.waker());
        Poll::Pending
    }
}

impl FusedFuture for TimerWait {
    fn is_terminated(&self) -> bool {
        self.place.is_none()
    }
}

#[cfg(test)]
mod tests;
