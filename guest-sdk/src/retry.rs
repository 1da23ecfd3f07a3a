//! When to try again after a failure, as an author says it. The host runs it; nothing here waits.

use std::time::Duration;

use crate::bindings::everturn::workflow::types;
use crate::time::nanoseconds;

/// When to try an activity or a child again, and when to give up.
///
/// Each delay is a durable timer, so a policy may span days. Without [`max_attempts`](Self::max_attempts) or
/// [`timeout`](Self::timeout) it never gives up, except at a failure that cannot be retried.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result, RetryPolicy};
///
/// async fn charge(ctx: Ctx, order: u64) -> Result<String> {
///     let policy = RetryPolicy::exponential(Duration::from_secs(1))
///         .max_attempts(5)
///         .max_interval(Duration::from_secs(60))
///         .not_on("CardDeclined");
///     ctx.activity("charge", &order).retry(policy).await
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a retry policy does nothing until it is given to a call"]
pub struct RetryPolicy {
    max_attempts: u32,
    first_interval: Duration,
    coefficient: f64,
    max_interval: Option<Duration>,
    timeout: Option<Duration>,
    non_retriable: Vec<String>,
}

impl RetryPolicy {
    /// Waits this long before each further attempt.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let every_minute = RetryPolicy::fixed(Duration::from_secs(60));
    /// # let _ = every_minute;
    /// ```
    pub fn fixed(interval: Duration) -> Self {
        Self {
            max_attempts: 0,
            first_interval: interval,
            coefficient: 1.0,
            max_interval: None,
            timeout: None,
            non_retriable: Vec::new(),
        }
    }

    /// Waits this long before the second attempt, and twice as long before each further one.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// // 1 s, 2 s, 4 s, and then every 5 s
    /// let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(5));
    /// # let _ = policy;
    /// ```
    pub fn exponential(first_interval: Duration) -> Self {
        Self { coefficient: 2.0, ..Self::fixed(first_interval) }
    }

    /// How many attempts at most, the first one included. 0: no limit.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let twice = RetryPolicy::fixed(Duration::from_secs(1)).max_attempts(2);
    /// # let _ = twice;
    /// ```
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// What each delay is multiplied by to give the next. Below 1, or not a number: counts as 1.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let gentle = RetryPolicy::exponential(Duration::from_secs(1)).coefficient(1.2);
    /// # let _ = gentle;
    /// ```
    pub fn coefficient(mut self, coefficient: f64) -> Self {
        self.coefficient = coefficient;
        self
    }

    /// No delay is longer than this.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(60));
    /// # let _ = policy;
    /// ```
    pub fn max_interval(mut self, interval: Duration) -> Self {
        self.max_interval = Some(interval);
        self
    }

    /// No attempt starts later than this after the first one.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let for_an_hour = RetryPolicy::exponential(Duration::from_secs(1)).timeout(Duration::from_secs(3600));
    /// # let _ = for_an_hour;
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// A failure of this error type is final. May be called for several types.
    ///
    /// ```
    /// # use {everturn_sdk::RetryPolicy, std::time::Duration};
    /// let policy = RetryPolicy::fixed(Duration::from_secs(1)).not_on("CardDeclined").not_on("CardExpired");
    /// # let _ = policy;
    /// ```
    pub fn not_on(mut self, error_type: impl Into<String>) -> Self {
        self.non_retriable.push(error_type.into());
        self
    }
}

impl From<RetryPolicy> for types::RetryPolicy {
    fn from(policy: RetryPolicy) -> Self {
        Self {
            max_attempts: policy.max_attempts,
            first_interval: nanoseconds(policy.first_interval),
            coefficient: policy.coefficient,
            max_interval: policy.max_interval.map(nanoseconds),
            timeout: policy.timeout.map(nanoseconds),
            non_retriable: policy.non_retriable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_says_to_the_host_what_was_built() {
        let built = RetryPolicy::exponential(Duration::from_millis(1))
            .max_attempts(5)
            .max_interval(Duration::from_micros(3))
            .timeout(Duration::from_nanos(7))
            .not_on("A")
            .not_on("B");

        let policy = types::RetryPolicy::from(built);

        assert_eq!(policy.max_attempts, 5);
        assert_eq!(policy.first_interval, 1_000_000);
        assert!((policy.coefficient - 2.0).abs() < f64::EPSILON);
        assert_eq!(policy.max_interval, Some(3_000));
        assert_eq!(policy.timeout, Some(7));
        assert_eq!(policy.non_retriable, ["A", "B"]);
    }

    #[test]
    fn a_fixed_policy_never_grows_and_never_gives_up() {
        let policy = types::RetryPolicy::from(RetryPolicy::fixed(Duration::from_secs(1)));

        assert!((policy.coefficient - 1.0).abs() < f64::EPSILON);
        assert_eq!(policy.max_attempts, 0);
        assert_eq!((policy.max_interval, policy.timeout), (None, None));
    }
}
