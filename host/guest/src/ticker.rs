//! Lets the engine's epoch advance, so that a guest which runs too long is noticed. It ticks only while some guest
//! runs: an idle process has no wake-ups. It knows no limits; each store looks at the clock itself when a tick reaches it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often a running guest is looked at.
const TICK: Duration = Duration::from_millis(10);

/// The thread that ticks, for as long as this exists.
pub(crate) struct Ticker(Arc<Shared>);

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    parked: AtomicBool,
    stopped: Mutex<bool>,
    changed: Condvar,
}

/// A guest runs while this exists, so epochs advance. Made by [`Engine::running`](crate::Engine::running).
pub struct Running<'a>(&'a Shared);

impl Ticker {
    pub(crate) fn start(engine: wasmtime::Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let ticking = Arc::clone(&shared);
        std::thread::Builder::new().name("everturn-epochs".to_owned()).spawn(move || {
            while ticking.wait() {
                engine.increment_epoch();
            }
        })?;
        Ok(Self(shared))
    }

    /// Says that a guest runs, until the answer is dropped.
    pub(crate) fn running(&self) -> Running<'_> {
        // Either this thread sees `parked`, or the ticking one sees `running`: both write before they read. Only the first has
        // the other woken, which may need a while until it has a processor.
        self.0.running.fetch_add(1, SeqCst);
        if self.0.parked.swap(false, SeqCst) {
            let _guard = self.0.lock();
            self.0.changed.notify_one();
        }
        Running(&self.0)
    }
}

impl std::fmt::Debug for Running<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Running")
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, SeqCst);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        *self.0.lock() = true;
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, bool> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for one tick of a running guest; false when there will be no more.
    fn wait(&self) -> bool {
        let mut stopped = self.lock();
        loop {
            self.parked.store(true, SeqCst);
            if *stopped || self.running.load(SeqCst) != 0 {
                break;
            }
            stopped = self.changed.wait(stopped).unwrap_or_else(PoisonError::into_inner);
        }
        self.parked.store(false, SeqCst);
        if !*stopped {
            let (guard, _) = self.changed.wait_timeout(stopped, TICK).unwrap_or_else(PoisonError::into_inner);
            stopped = guard;
        }
        !*stopped
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn who_runs_is_ticked_for_also_after_many_that_had_ended_when_the_thread_woke() {
        let (ticker, ticks) = (Ticker(Arc::default()), Arc::new(AtomicUsize::new(0)));
        let (shared, counted) = (Arc::clone(&ticker.0), Arc::clone(&ticks));
        let thread = std::thread::spawn(move || {
            while shared.wait() {
                counted.fetch_add(1, SeqCst);
            }
        });
        let gives_up = Instant::now() + Duration::from_secs(60);
        for _ in 0..20 {
            for _ in 0..1_000 {
                drop(ticker.running());
                std::thread::yield_now();
            }
            let before = ticks.load(SeqCst);
            let _running = ticker.running();
            // One tick may have been on its way.
            while ticks.load(SeqCst) < before + 2 {
                assert!(Instant::now() < gives_up, "nobody ticks");
                std::thread::yield_now();
            }
        }
        drop(ticker);
        thread.join().unwrap();
    }
}
