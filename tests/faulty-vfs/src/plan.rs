//! What fails, how, and when; and what takes longer.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Reading from a file.
    Read,
    /// Writing to a file.
    Write,
    /// Bringing what was written to the disk.
    Sync,
    /// Cutting a file.
    Truncate,
}

/// How it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The disk does not do it.
    Io,
    /// The disk is full.
    Full,
}

/// When it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Once: the operation with this number, where the next one has 1.
    Nth(u64),
    /// Each time after so many.
    Every(u64),
    /// Until it is healed.
    Always,
}

/// What is planned for one operation.
#[derive(Clone, Copy, Debug)]
struct Plan {
    fault: Fault,
    when: When,
    count: u64,
}

/// What is planned for each.
#[derive(Debug, Default)]
pub(crate) struct Plans {
    plans: Mutex<[Option<Plan>; 4]>,
    failures: AtomicU64,
    /// How much longer a sync takes, in microseconds.
    sync_delay: AtomicU64,
}

impl Plans {
    pub(crate) fn set(&self, operation: Operation, fault: Fault, when: When) {
        self.lock()[operation as usize] = Some(Plan { fault, when, count: 0 });
    }

    pub(crate) fn clear(&self) {
        *self.lock() = [None; 4];
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::SeqCst)
    }

    pub(crate) fn slow_syncs(&self, delay: Duration) {
        self.sync_delay.store(u64::try_from(delay.as_micros()).unwrap_or(u64::MAX), Ordering::SeqCst);
    }

    pub(crate) fn sync_delay(&self) -> Duration {
        Duration::from_micros(self.sync_delay.load(Ordering::SeqCst))
    }

    /// Counts an operation, and says whether it fails.
    pub(crate) fn strike(&self, operation: Operation) -> Option<Fault> {
        let mut plans = self.lock();
        let plan = plans[operation as usize].as_mut()?;
        plan.count += 1;
        let strikes = match plan.when {
            When::Nth(number) => plan.count == number,
            When::Every(number) => plan.count.is_multiple_of(number.max(1)),
            When::Always => true,
        };
        if strikes {
            self.failures.fetch_add(1, Ordering::SeqCst);
        }
        strikes.then_some(plan.fault)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, [Option<Plan>; 4]> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(when: When) -> Vec<bool> {
        let plans = Plans::default();
        plans.set(Operation::Sync, Fault::Io, when);
        (0..6).map(|_| plans.strike(Operation::Sync).is_some()).collect()
    }

    #[test]
    fn operations_fail_when_they_are_meant_to() {
        assert_eq!(strikes(When::Nth(2)), [false, true, false, false, false, false]);
        assert_eq!(strikes(When::Every(3)), [false, false, true, false, false, true]);
        assert_eq!(strikes(When::Always), [true; 6]);
    }

    #[test]
    fn a_sync_takes_as_much_longer_as_it_was_told() {
        let plans = Plans::default();
        assert_eq!(plans.sync_delay(), Duration::ZERO);
        plans.slow_syncs(Duration::from_micros(850));
        assert_eq!(plans.sync_delay(), Duration::from_micros(850));
    }

    #[test]
    fn other_operations_do_not_fail() {
        let plans = Plans::default();
        plans.set(Operation::Write, Fault::Full, When::Always);
        assert_eq!(plans.strike(Operation::Read), None);
        assert_eq!(plans.strike(Operation::Write), Some(Fault::Full));
        plans.clear();
        assert_eq!(plans.strike(Operation::Write), None);
        assert_eq!(plans.failures(), 1);
    }
}
