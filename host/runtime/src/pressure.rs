//! How many turns are under way in this process. What has begun goes on before anything new begins: otherwise more and more
//! would be under way at the same time, and all of it would take longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio::sync::Notify;

/// So much is little: enough to keep every thread busy, and for many to share the way to the disk.
const LITTLE: usize = 256;

/// How much there is to do.
#[derive(Debug, Default)]
pub(crate) struct Pressure {
    count: AtomicUsize,
    /// Tells one of those who wait that there is little to do.
    calm: Notify,
}

/// Something to do. Dropped, it is done.
#[derive(Debug)]
pub(crate) struct Pressing(Arc<Pressure>);

impl Pressure {
    /// Something more.
    pub(crate) fn add(self: &Arc<Self>) -> Pressing {
        self.count.fetch_add(1, SeqCst);
        Pressing(Arc::clone(self))
    }

    /// Resolves when there is little to do. Whoever waited for that says [`pass_on`](Self::pass_on) when he is done.
    pub(crate) async fn calm(&self) {
        loop {
            let calm = self.calm.notified();
            if self.is_little() {
                return;
            }
            calm.await;
        }
    }

    /// Lets the next one of those who wait look whether there is little to do.
    pub(crate) fn pass_on(&self) {
        if self.is_little() {
            self.calm.notify_one();
        }
    }

    fn is_little(&self) -> bool {
        self.count.load(SeqCst) < LITTLE
    }
}

impl Drop for Pressing {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, SeqCst);
        self.0.pass_on();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    #[test]
    fn who_waits_goes_on_one_after_the_other_when_there_is_little_to_do() {
        let pressure = Arc::new(Pressure::default());
        assert_eq!(pressure.calm().now_or_never(), Some(()));
        let mut things: Vec<_> = (0..=LITTLE).map(|_| pressure.add()).collect();
        let (mut first, mut second) = (pin!(pressure.calm()), pin!(pressure.calm()));
        assert_eq!((first.as_mut().now_or_never(), second.as_mut().now_or_never()), (None, None));
        things.pop();
        assert_eq!(first.as_mut().now_or_never(), None, "there is still too much");
        things.pop();
        assert_eq!((first.now_or_never(), second.as_mut().now_or_never()), (Some(()), None));
        pressure.pass_on();
        assert_eq!(second.now_or_never(), Some(()));
    }
}
