//! When to stop: a first signal asks for it, a second one insists.

use std::io;

/// The exit code of a host that was made to stop at once.
const INSISTED: i32 = 1;

/// Listens from now on. Resolves with the first signal; with a second one the process ends.
#[cfg(unix)]
pub(super) fn first() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
        tokio::spawn(async move {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            tracing::warn!("stopped at once; what was under way is done again after the next start");
            std::process::exit(INSISTED);
        });
    })
}

/// Listens from now on. Resolves with the first Ctrl-C; with a second one the process ends.
#[cfg(not(unix))]
pub(super) fn first() -> io::Result<impl Future<Output = ()>> {
    Ok(async move {
        let _ = tokio::signal::ctrl_c().await;
        tokio::spawn(async move {
            let _ = tokio::signal::ctrl_c().await;
            std::process::exit(INSISTED);
        });
    })
}
