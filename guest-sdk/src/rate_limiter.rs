//! Not more often than that.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use crate::context::Ctx;

/// Lets something happen so many times in any span of a length, and makes the rest wait for their turn. It is a handle: clones
/// are the same.
///
/// It counts for one instance. What many instances share is limited where they meet: in the activity.
///
/// ```
/// use std::time::Duration;
/// use everturn_sdk::prelude::*;
///
/// #[workflow]
/// async fn send_all(ctx: Ctx, addresses: Vec<String>) -> Result<()> {
///     let limiter = RateLimiter::new(10, Duration::from_secs(60));
///     for address in &addresses {
///         limiter.acquire(ctx).await;
///         ctx.activity::<()>("send_mail", address).await?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Clone, Debug)]
pub struct RateLimiter {
    shared: Rc<Shared>,
}

#[derive(Debug)]
struct Shared {
    count: usize,
    per: Duration,
    /// When each turn is, those that still matter, the earliest first. Any `count + 1` of them span at least `per`.
    turns: RefCell<VecDeque<SystemTime>>,
}

/// A turn that was given away, until it is there.
struct Reserved<'a> {
    limiter: &'a RateLimiter,
    /// None: it is taken, and counts.
    turn: Option<SystemTime>,
}

impl RateLimiter {
    /// So many times in any span of this length. 0 counts as 1.
    ///
    /// ```
    /// # use {everturn_sdk::RateLimiter, std::time::Duration};
    /// let ten_a_minute = RateLimiter::new(10, Duration::from_secs(60));
    /// # let _ = ten_a_minute;
    /// ```
    #[must_use]
    pub fn new(count: usize, per: Duration) -> Self {
        Self { shared: Rc::new(Shared { count: count.max(1), per, turns: RefCell::default() }) }
    }

    /// Waits for a turn. Turns are given in the order in which they are first waited for. One that is dropped before it came
    /// is free again if it was the last; otherwise it passes unused, since those behind it keep theirs. When it is there
    /// already, nothing is recorded.
    ///
    /// ```no_run
    /// # async fn example(ctx: everturn_sdk::Ctx, limiter: everturn_sdk::RateLimiter) {
    /// limiter.acquire(ctx).await;
    /// # }
    /// ```
    pub async fn acquire<S>(&self, ctx: Ctx<S>) {
        let now = ctx.now();
        let turn = self.reserve(now);
        let mut reserved = Reserved { limiter: self, turn: Some(turn) };
        if turn > now {
            ctx.sleep_until(turn).named("rate limit").await;
        }
        reserved.turn = None;
    }

    fn reserve(&self, now: SystemTime) -> SystemTime {
        let Shared { count, per, turns } = self.shared.as_ref();
        let mut turns = turns.borrow_mut();
        while turns.front().is_some_and(|first| *first + *per <= now) {
            turns.pop_front();
        }
        let allowed = turns.len().checked_sub(*count).and_then(|place| turns.get(place)).map(|before| *before + *per);
        // Behind all others, also when a turn that was given back leaves a gap: they were here before.
        let turn = [allowed, turns.back().copied()].into_iter().flatten().fold(now, SystemTime::max);
        turns.push_back(turn);
        turn
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let Some(turn) = self.turn else { return };
        let mut turns = self.limiter.shared.turns.borrow_mut();
        if let Some(place) = turns.iter().rposition(|other| *other == turn) {
            turns.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn turns_are_given_as_densely_as_the_limit_allows() {
        let limiter = RateLimiter::new(2, Duration::from_secs(10));
        let turns: Vec<_> = [0, 4, 4, 4, 5].map(|now| limiter.reserve(at(now))).to_vec();
        assert_eq!(turns, [0, 4, 10, 14, 20].map(at));
        assert_eq!(limiter.reserve(at(100)), at(100), "what is long ago does not count");
        assert_eq!(limiter.shared.turns.borrow().len(), 1);
    }

    #[test]
    fn the_last_turn_is_free_again_when_it_is_given_back() {
        let limiter = RateLimiter::new(1, Duration::from_secs(10));
        limiter.reserve(at(0));
        let second = limiter.reserve(at(0));
        drop(Reserved { limiter: &limiter, turn: Some(second) });
        assert_eq!(limiter.reserve(at(1)), second);
    }

    #[test]
    fn a_turn_before_others_passes_unused_when_it_is_given_back_and_nobody_overtakes_them() {
        let limiter = RateLimiter::new(2, Duration::from_secs(10));
        let turns: Vec<_> = [0, 5, 5, 5, 5, 5].map(|now| limiter.reserve(at(now))).to_vec();
        assert_eq!(turns, [0, 5, 10, 15, 20, 25].map(at));
        for given_back in [15, 20] {
            drop(Reserved { limiter: &limiter, turn: Some(at(given_back)) });
        }
        assert_eq!((limiter.reserve(at(5)), limiter.reserve(at(5))), (at(25), at(35)));
    }

    #[test]
    fn a_limit_of_nothing_lets_one_pass() {
        let limiter = RateLimiter::new(0, Duration::from_secs(10));
        assert_eq!((limiter.reserve(at(0)), limiter.reserve(at(0))), (at(0), at(10)));
    }
}
