//! How long the guests of a component run until they wait. Whoever would run them on a thread that others need, too, wants
//! to know.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// A stretch that takes no longer is a quick one.
const QUICK: Duration = Duration::from_millis(2);
/// So many quick stretches in a row make a quick component.
const IN_A_ROW: u32 = 32;

/// The pace of a component. It has to be shown to be quick: a new one is not.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    quick_in_a_row: AtomicU32,
}

impl Pace {
    /// A guest ran for so long until it waited.
    pub(crate) fn note(&self, stretch: Duration) {
        if stretch > QUICK {
            self.quick_in_a_row.store(0, Relaxed);
        } else if !self.is_quick() {
            self.quick_in_a_row.fetch_add(1, Relaxed);
        }
    }

    pub(crate) fn is_quick(&self) -> bool {
        self.quick_in_a_row.load(Relaxed) >= IN_A_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_stretch_outweighs_many_quick_ones() {
        let pace = Pace::default();
        for _ in 0..IN_A_ROW {
            assert!(!pace.is_quick());
            pace.note(QUICK);
        }
        assert!(pace.is_quick());
        pace.note(QUICK + Duration::from_nanos(1));
        assert!(!pace.is_quick());
        pace.note(QUICK);
        assert!(!pace.is_quick());
    }
}
