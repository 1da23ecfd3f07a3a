//! Says when the files of a crate changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvError};
use std::time::Duration;

use anyhow::Context;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

/// Directories whose files are not part of a crate's source.
const IGNORED: [&str; 3] = ["target", ".git", ".everturn"];
/// How long nothing must have changed: editors and version control change files in bursts.
const QUIET: Duration = Duration::from_millis(200);

/// Looks on while the files of a crate change.
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    changes: Receiver<()>,
    root: PathBuf,
    /// The directories that are watched.
    watched: BTreeSet<PathBuf>,
}

impl Watch {
    /// Looks on from now on. The data directory may be inside; it is no source.
    pub(super) fn new(root: &Path, data: &Path) -> anyhow::Result<Self> {
        let (sender, changes) = mpsc::channel();
        let (inside, data) = (root.to_owned(), std::path::absolute(data)?);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // What could not be told may have been a change.
            if event.map_or(true, |event| matters(&event, &inside, &data)) {
                // Nobody listening means that the host stops.
                let _ = sender.send(());
            }
        });
        let watcher = watcher.context("the system cannot watch files")?;
        let mut watch = Self { watcher, changes, root: root.to_owned(), watched: BTreeSet::new() };
        watch.watcher.watch(root, RecursiveMode::NonRecursive).context("the crate's directory cannot be watched")?;
        watch.watch_directories();
        Ok(watch)
    }

    /// Waits until something changed, and nothing more.
    pub(super) fn wait(&mut self) -> Result<(), RecvError> {
        self.changes.recv()?;
        while self.changes.recv_timeout(QUIET).is_ok() {}
        self.watch_directories();
        Ok(())
    }

    /// Each directory by itself: what is ignored may be large, and need not be looked at.
    fn watch_directories(&mut self) {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            if is_ignored(path.file_name()) || self.watched.contains(&path) {
                continue;
            }
            match self.watcher.watch(&path, RecursiveMode::Recursive) {
                Ok(()) => drop(self.watched.insert(path)),
                Err(error) => tracing::warn!(%error, "{} cannot be watched", path.display()),
            }
        }
    }
}

fn is_ignored(name: Option<&OsStr>) -> bool {
    name.is_some_and(|name| IGNORED.iter().any(|ignored| *ignored == name))
}

/// Reading is no change, or builds would lead to builds.
fn matters(event: &Event, root: &Path, data: &Path) -> bool {
    let is_source = |path: &PathBuf| {
        let inside = path.strip_prefix(root).unwrap_or(path);
        !path.starts_with(data) && !inside.components().any(|part| is_ignored(Some(part.as_os_str())))
    };
    !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(is_source)
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, CreateKind};

    use super::*;

    fn event(kind: EventKind, path: &str) -> bool {
        matters(&Event::new(kind).add_path(PathBuf::from(path)), Path::new("/crate"), Path::new("/crate/data"))
    }

    #[test]
    fn sources_matter_and_what_builds_and_hosts_write_does_not() {
        let created = EventKind::Create(CreateKind::File);
        for path in ["/crate/src/lib.rs", "/crate/Cargo.toml", "/crate/src/targets.rs"] {
            assert!(event(created, path), "{path}");
        }
        for path in ["/crate/target/x", "/crate/.git/index", "/crate/.everturn/everturn.db", "/crate/data/x"] {
            assert!(!event(created, path), "{path}");
        }
        assert!(!event(EventKind::Access(AccessKind::Any), "/crate/src/lib.rs"));
    }

    #[test]
    fn a_change_in_a_new_directory_is_seen() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let mut watch = Watch::new(&root, Path::new("/nowhere")).unwrap();
        fs::create_dir(root.join("src")).unwrap();
        watch.wait().unwrap();
        fs::write(root.join("src/lib.rs"), "").unwrap();
        watch.wait().unwrap();
    }
}
