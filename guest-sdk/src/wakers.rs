//! Those who wait for something inside the guest to change.

use std::cell::RefCell;
use std::task::Waker;

/// Wakers to wake at the next change. Each is woken once: who still waits then comes back.
#[derive(Debug, Default)]
pub(crate) struct Wakers(RefCell<Vec<Waker>>);

impl Wakers {
    pub(crate) const fn new() -> Self {
        Self(RefCell::new(Vec::new()))
    }

    pub(crate) fn add(&self, waker: &Waker) {
        let mut wakers = self.0.borrow_mut();
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Wakes them all. False: there was nobody.
    pub(crate) fn wake_all(&self) -> bool {
        // Taken out first: to wake somebody may run code that waits again.
        let wakers = self.0.take();
        let any = !wakers.is_empty();
        wakers.into_iter().for_each(Waker::wake);
        any
    }
}
