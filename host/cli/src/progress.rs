//! Shows on a terminal that something takes its time. Elsewhere nothing is shown.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What takes less is not shown.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often the picture changes.
const FRAME_TIME: Duration = Duration::from_millis(100);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Back to the beginning of the line, and nothing on it.
const CLEAR: &str = "\r\x1b[K";

/// Shown from its making until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    painter: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Says what takes its time: "waiting for order-1".
    pub(crate) fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        let painter = std::io::stderr().is_terminal().then(|| {
            let (done, receiver) = mpsc::channel();
            let painter = thread::spawn(move || paint(&what, |pause| receiver.recv_timeout(pause)));
            (done, painter)
        });
        Self { painter }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, painter)) = self.painter.take() {
            drop(done);
            // It cleans up after itself; whether it managed to is of no importance.
            let _ = painter.join();
        }
    }
}

fn paint(what: &str, pause: impl Fn(Duration) -> Result<(), RecvTimeoutError>) {
    let began = Instant::now();
    let mut wait = PATIENCE;
    for frame in FRAMES.into_iter().cycle() {
        if pause(wait) != Err(RecvTimeoutError::Timeout) {
            break;
        }
        wait = FRAME_TIME;
        let seconds = began.elapsed().as_secs();
        let _ = write!(std::io::stderr(), "{CLEAR}{frame} {what} ({seconds} s)");
    }
    if wait == FRAME_TIME {
        let _ = write!(std::io::stderr(), "{CLEAR}");
    }
}
