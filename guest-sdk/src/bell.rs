//! A waker that passes a wake-up on and remembers that there was one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// Passes wake-ups on, except while somebody holds it who looks for himself whether it has rung.
pub(crate) struct Bell {
    rung: AtomicBool,
    held: AtomicBool,
    waker: Waker,
}

impl Bell {
    /// The bell for this waker, not yet rung.
    pub(crate) fn renew<'a>(bell: &'a mut Option<Arc<Self>>, waker: &Waker) -> &'a Arc<Self> {
        bell.take_if(|bell| !bell.waker.will_wake(waker));
        let bell = bell.get_or_insert_with(|| {
            Arc::new(Self { rung: AtomicBool::new(false), held: AtomicBool::new(false), waker: waker.clone() })
        });
        bell.rung.store(false, Ordering::Relaxed);
        bell
    }

    pub(crate) fn has_rung(&self) -> bool {
        self.rung.load(Ordering::Relaxed)
    }

    /// Whether it has rung; from here on it has not.
    pub(crate) fn take(&self) -> bool {
        self.rung.swap(false, Ordering::Relaxed)
    }

    /// Whether wake-ups are only remembered.
    pub(crate) fn hold(&self, held: bool) {
        self.held.store(held, Ordering::Relaxed);
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.rung.store(true, Ordering::Relaxed);
        if !self.held.load(Ordering::Relaxed) {
            self.waker.wake_by_ref();
        }
    }
}
