//! Shows on a terminal that something takes its time, and how far it is. Elsewhere nothing is shown.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What takes less is not shown.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often the picture changes.
const FRAME_TIME: Duration = Duration::from_millis(100);
const FRAMES: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// The characters of a bar.
const BAR_WIDTH: u64 = 20;
/// Back to the beginning of the line, and nothing on it.
pub(crate) const CLEAR: &str = "\r\x1b[K";
/// What is too long for the line is cut by the terminal: a second line would not be cleared.
const NO_WRAP: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// Shown from its making until it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    painter: Option<(Sender<Picture>, JoinHandle<()>)>,
}

/// How far it is.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// So many are done.
    pub(crate) done: u64,
    /// Of so many.
    pub(crate) total: u64,
    /// The same in words: "612/1000".
    pub(crate) words: String,
}

/// What is on the line.
#[derive(Debug)]
struct Picture {
    what: String,
    bar: Option<Bar>,
}

impl Progress {
    /// Says what takes its time: "waiting for order-1".
    pub(crate) fn new(what: impl Into<String>) -> Self {
        let first = Picture { what: what.into(), bar: None };
        let painter = std::io::stderr().is_terminal().then(|| {
            let (sender, receiver) = mpsc::channel();
            (sender, thread::spawn(move || paint(first, &receiver)))
        });
        Self { painter }
    }

    /// Says something else from now on, and how far it is.
    pub(crate) fn show(&self, what: impl Into<String>, bar: Bar) {
        if let Some((sender, _)) = &self.painter {
            // It paints until this is dropped.
            let _ = sender.send(Picture { what: what.into(), bar: Some(bar) });
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, painter)) = self.painter.take() {
            drop(sender);
            // It cleans up after itself; whether it managed to is of no importance.
            let _ = painter.join();
        }
    }
}

fn paint(mut picture: Picture, pictures: &Receiver<Picture>) {
    let began = Instant::now();
    let mut is_painted = false;
    for frame in FRAMES.into_iter().cycle() {
        let pause = if is_painted { FRAME_TIME } else { PATIENCE.saturating_sub(began.elapsed()) };
        match pictures.recv_timeout(pause) {
            Ok(next) => picture = next,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if began.elapsed() >= PATIENCE {
            let line = picture.line(frame, began.elapsed());
            let _ = write!(std::io::stderr(), "{CLEAR}{NO_WRAP}{line}{WRAP}");
            is_painted = true;
        }
    }
    if is_painted {
        let _ = write!(std::io::stderr(), "{CLEAR}");
    }
}

impl Picture {
    fn line(&self, frame: &str, since: Duration) -> String {
        let Self { what, bar } = self;
        let bar = bar.as_ref().map_or_else(String::new, |bar| format!(" {} {}", bar.drawn(), bar.words));
        format!("{frame} {what}{bar} ({} s)", since.as_secs())
    }
}

impl Bar {
    fn drawn(&self) -> String {
        // Of nothing, all is done.
        let full = (self.done.min(self.total) * BAR_WIDTH).checked_div(self.total).unwrap_or(BAR_WIDTH);
        (0..BAR_WIDTH).map(|place| if place < full { '█' } else { '░' }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_things_are_done() {
        let line = |done, total| {
            let bar = Bar { done, total, words: format!("{done}/{total}") };
            Picture { what: "replaying".to_owned(), bar: Some(bar) }.line("⠋", Duration::from_millis(3_900))
        };
        assert_eq!(line(612, 1000), "⠋ replaying ████████████░░░░░░░░ 612/1000 (3 s)");
        assert_eq!(line(0, 1000), "⠋ replaying ░░░░░░░░░░░░░░░░░░░░ 0/1000 (3 s)");
        assert_eq!(line(999, 1000), "⠋ replaying ███████████████████░ 999/1000 (3 s)");
        assert_eq!(line(1000, 1000), "⠋ replaying ████████████████████ 1000/1000 (3 s)");
        assert_eq!(line(0, 0), "⠋ replaying ████████████████████ 0/0 (3 s)");
        let plain = Picture { what: "waiting".to_owned(), bar: None };
        assert_eq!(plain.line("⠙", Duration::ZERO), "⠙ waiting (0 s)");
    }
}
