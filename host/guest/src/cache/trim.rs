//! Keeps a cache within its limit by deleting what was used longest ago. It never deletes what was just written.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use super::seal::EXTENSION;

struct Entry {
    used: SystemTime,
    path: PathBuf,
    size: u64,
}

/// Deletes the oldest files of a directory until the rest fits. Failures are logged: the next time may succeed.
pub(super) fn trim(directory: &Path, keep: &Path, limit: u64) {
    if let Err(error) = try_trim(directory, keep, limit) {
        tracing::warn!(path = %directory.display(), %error, "cannot limit the size of the cache");
    }
}

fn try_trim(directory: &Path, keep: &Path, limit: u64) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            let metadata = fs::metadata(&path)?;
            entries.push(Entry { used: metadata.modified()?, path, size: metadata.len() });
        }
    }
    let mut total: u64 = entries.iter().map(|entry| entry.size).sum();
    entries.sort_by_key(|entry| entry.used);
    for entry in entries.iter().filter(|entry| entry.path != keep) {
        if total <= limit {
            break;
        }
        fs::remove_file(&entry.path)?;
        total -= entry.size;
    }
    Ok(())
}
