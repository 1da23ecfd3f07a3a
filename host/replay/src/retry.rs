//! When to try again after a failure, and when to give up.

use std::time::Duration;

use everturn_history::Timestamp;

use crate::Failure;
use crate::time::{after, is_later};

/// When to try again after a failure, and when to give up.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryPolicy {
    /// How many attempts at most, the first one included. 0: no limit.
    pub max_attempts: u32,
    /// The delay before the second attempt.
    pub first_interval: Duration,
    /// What each delay is multiplied by to give the next. Below 1, or not a number: counts as 1.
    pub coefficient: f64,
    /// No delay is longer than this.
    pub max_interval: Option<Duration>,
    /// No attempt starts later than this after the first one.
    pub timeout: Option<Duration>,
    /// Failures of these types are final.
    pub non_retriable: Vec<String>,
}

impl RetryPolicy {
    /// When the attempt after the failed one starts, given the delay before it. None: there is none.
    pub(crate) fn next_attempt_at(
        &self,
        failed_attempt: u32,
        delay: Duration,
        failure: &Failure,
        first_attempt_at: Timestamp,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let exhausted = self.max_attempts != 0 && failed_attempt >= self.max_attempts;
        if exhausted || !failure.retriable || self.non_retriable.contains(&failure.error_type) {
            return None;
        }
        let next = after(now, delay);
        let too_late = self.timeout.is_some_and(|timeout| is_later(next, after(first_attempt_at, timeout)));
        (!too_late).then_some(next)
    }

    /// The delay after the last one: one multiplication, which is the same on every platform.
    pub(crate) fn next_delay(&self, last: Option<Duration>) -> Duration {
        let cap = self.max_interval.unwrap_or(Duration::MAX);
        let coefficient = if self.coefficient >= 1.0 { self.coefficient } else { 1.0 };
        match last {
            None => self.first_interval.min(cap),
            Some(last) if last.is_zero() || coefficient == 1.0 => last,
            Some(last) => {
                Duration::try_from_secs_f64(last.as_secs_f64() * coefficient).unwrap_or(Duration::MAX).min(cap)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EPOCH: Timestamp = Timestamp { seconds: 0, nanos: 0 };

    fn policy() -> RetryPolicy {
        RetryPolicy {
            max_attempts: 0,
            first_interval: Duration::from_secs(1),
            coefficient: 2.0,
            max_interval: None,
            timeout: None,
            non_retriable: vec![],
        }
    }

    fn failure(error_type: &str) -> Failure {
        Failure {
            error_type: error_type.into(),
            message: String::new(),
            details: None,
            causes: vec![],
            retriable: true,
        }
    }

    fn delays(policy: &RetryPolicy, attempts: u32) -> Vec<Option<i64>> {
        let mut last = None;
        let mut next = |attempt| {
            let delay = policy.next_delay(last);
            last = Some(delay);
            policy.next_attempt_at(attempt, delay, &failure("E"), EPOCH, EPOCH).map(|at| at.seconds)
        };
        (1..=attempts).map(&mut next).collect()
    }

    fn retries(policy: &RetryPolicy, failure: &Failure) -> bool {
        policy.next_attempt_at(1, policy.next_delay(None), failure, EPOCH, EPOCH).is_some()
    }

    #[test]
    fn delays_grow_by_the_coefficient_up_to_the_cap() {
        assert_eq!(delays(&policy(), 4), [Some(1), Some(2), Some(4), Some(8)]);
        let capped = RetryPolicy { max_interval: Some(Duration::from_secs(3)), ..policy() };
        assert_eq!(delays(&capped, 4), [Some(1), Some(2), Some(3), Some(3)]);
    }

    #[test]
    fn a_coefficient_that_makes_no_sense_counts_as_one() {
        for coefficient in [0.0, -3.0, 0.5, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(delays(&RetryPolicy { coefficient, ..policy() }, 3), [Some(1); 3], "{coefficient}");
        }
    }

    #[test]
    fn growth_without_end_stays_a_time() {
        let infinite = RetryPolicy { coefficient: f64::INFINITY, ..policy() };
        assert_eq!(delays(&infinite, 2)[1], Some(crate::LATEST.seconds));
        let still = RetryPolicy { first_interval: Duration::ZERO, coefficient: f64::INFINITY, ..policy() };
        assert_eq!(delays(&still, 2), [Some(0), Some(0)]);
    }

    #[test]
    fn attempts_end_at_the_limit() {
        assert_eq!(delays(&RetryPolicy { max_attempts: 3, ..policy() }, 3), [Some(1), Some(2), None]);
    }

    #[test]
    fn no_attempt_starts_after_the_timeout() {
        let limited = RetryPolicy { timeout: Some(Duration::from_secs(2)), ..policy() };
        assert_eq!(delays(&limited, 3), [Some(1), Some(2), None]);
    }

    #[test]
    fn some_failures_are_final() {
        let picky = RetryPolicy { non_retriable: vec!["CardDeclined".into()], ..policy() };
        assert!(!retries(&picky, &failure("CardDeclined")));
        assert!(retries(&picky, &failure("carddeclined")));
        assert!(!retries(&policy(), &Failure { retriable: false, ..failure("E") }));
    }
}
