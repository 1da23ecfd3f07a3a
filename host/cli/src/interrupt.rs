//! Ctrl-C while something waits that goes on without it.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc;
use std::thread;

use crate::progress::CLEAR;
use crate::text::shown_lines;

/// The exit code after Ctrl-C, as shells have it: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// From now on, Ctrl-C says this and ends the process. Where signals cannot be listened to, it only ends it.
pub(crate) fn say(words: String) {
    let (listens, is_listening) = mpsc::channel();
    thread::spawn(move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            let Ok(interrupted) = interrupted() else { return };
            let _ = listens.send(());
            interrupted.await;
            end(&words);
        });
    });
    // An error: it will never listen.
    let _ = is_listening.recv();
}

fn end(words: &str) -> ! {
    // Kept until the end, so that nobody paints over it.
    let mut stderr = io::stderr().lock();
    let clear = if stderr.is_terminal() { CLEAR } else { "" };
    let _ = writeln!(stderr, "{clear}{}", shown_lines(words));
    std::process::exit(INTERRUPTED);
}

/// Listens from now on.
#[cfg(unix)]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let mut signals = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    Ok(async move {
        signals.recv().await;
    })
}

/// Listens from now on.
#[cfg(not(unix))]
fn interrupted() -> io::Result<impl Future<Output = ()>> {
    let mut signals = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        signals.recv().await;
    })
}
