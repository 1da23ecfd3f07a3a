//! How long the guests of a component run until they wait. Whoever would run them on a thread that others need, too, wants
//! to know.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

/// A stretch that takes no longer is a quick one.
const QUICK: Duration = Duration::from_millis(2);
/// So many quick stretches in a row make a quick component. As many more are remembered: one slow stretch outweighs so many.
const IN_A_ROW: u32 = 32;

/// The pace of a component. It has to be shown to be quick: a new one is not. One slow stretch after many quick ones may be
/// the machine's doing, which had something else to do; another one soon after is the component's.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    score: AtomicU32,
}

impl Pace {
    /// A guest ran for so long until it waited.
    pub(crate) fn note(&self, stretch: Duration) {
        let is_quick = stretch <= QUICK;
        let score = self.score.load(Relaxed);
        if is_quick && score >= 2 * IN_A_ROW {
            return;
        }
        // Two threads may note at the same time, and one of them in vain: it is an estimate.
        let score = if is_quick { score + 1 } else { score.saturating_sub(IN_A_ROW) };
        self.score.store(score, Relaxed);
    }

    pub(crate) fn is_quick(&self) -> bool {
        self.score.load(Relaxed) >= IN_A_ROW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOW: Duration = Duration::from_millis(3);

    fn after(quick: u32) -> Pace {
        let pace = Pace::default();
        (0..quick).for_each(|_| pace.note(QUICK));
        pace
    }

    #[test]
    fn a_component_has_to_be_shown_to_be_quick() {
        assert!(!after(IN_A_ROW - 1).is_quick());
        assert!(after(IN_A_ROW).is_quick());
    }

    #[test]
    fn one_slow_stretch_is_forgiven_after_many_quick_ones_and_another_is_not() {
        let pace = after(1_000);
        pace.note(SLOW);
        assert!(pace.is_quick());
        pace.note(QUICK);
        pace.note(SLOW);
        assert!(!pace.is_quick());
        let pace = after(IN_A_ROW);
        pace.note(SLOW);
        assert!(!pace.is_quick(), "it was not quick for long");
    }
}
