//! Waiting for what must come.

use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take. It only ends a hang: nothing that works comes near it.
pub(crate) const LIMIT: Duration = Duration::from_secs(240);

/// How often to look.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until there is something to see.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(began.elapsed() < LIMIT, "in {LIMIT:?} it did not happen that {what}");
        thread::sleep(PAUSE);
    }
}
