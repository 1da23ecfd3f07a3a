//! Compiled components on disk, so that a restart need not compile them again. Compiled code is run without further
//! checks, so a file counts only if this cache wrote it: each is authenticated with a key kept beside it. Losing any
//! of it costs time, nothing else.
//!
//! - `trust`: whose directory and whose key; `key`: the secret; `seal`: what a file looks like and how it is checked
//! - `trim`: the limit on size

mod key;
mod seal;
#[cfg(test)]
mod tests;
mod trim;
mod trust;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;
use std::{fs, process};

use wasmtime::component::Component;

use crate::digest::Digest;
use key::Key;
use seal::Name;

/// Bytes that a cache may hold on disk, unless said otherwise: 1 GiB.
const DEFAULT_SIZE_LIMIT: u64 = 1 << 30;

/// A directory of compiled components. May be shared by processes of the same user.
#[derive(Debug)]
pub struct ComponentCache {
    directory: PathBuf,
    key: Key,
    size_limit: u64,
    hits: AtomicU64,
    misses: AtomicU64,
    refused: AtomicU64,
}

/// How often a cache was asked, and how it ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// Compiled components that were used.
    pub hits: u64,
    /// Components that had not been compiled for this engine.
    pub misses: u64,
    /// Files that were not what this cache had written, or that did not load: not used, but replaced.
    pub refused: u64,
}

/// Why a directory cannot be a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The directory or the key in it cannot be made or read.
    #[error("cannot use {path} as a cache of compiled components; give a directory that this user owns")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Other users could put files into the directory.
    #[error(
        "others can write into {path}, so it cannot be a cache of compiled components; give a directory of its own, \
         or take that right away (chmod go-w)"
    )]
    WritableByOthers {
        /// The directory.
        path: PathBuf,
    },
    /// The directory belongs to somebody else.
    #[error(
        "{path} belongs to another user, so it cannot be a cache of compiled components; give one that this user owns"
    )]
    OfAnotherUser {
        /// The directory.
        path: PathBuf,
    },
    /// There is no randomness for a new key.
    #[error("the system gives no random bytes for the key of the cache: {detail}")]
    NoRandomness {
        /// What the system says.
        detail: String,
    },
}

impl ComponentCache {
    /// A cache in this directory, which is made if it is not there. It may hold 1 GiB.
    ///
    /// What is in it is run as it is, so a directory that another user owns or can write into is refused.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, CacheError> {
        let directory = directory.into();
        let user = trust::prepare(&directory)?;
        let key = Key::open(&directory, user)?;
        Ok(Self {
            directory,
            key,
            size_limit: DEFAULT_SIZE_LIMIT,
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        })
    }

    /// The same cache with another limit on its bytes. The oldest files are deleted beyond it.
    #[must_use]
    pub fn with_size_limit(mut self, bytes: u64) -> Self {
        self.size_limit = bytes;
        self
    }

    /// How often it was asked since it was opened, and how that ended.
    pub fn statistics(&self) -> CacheStatistics {
        CacheStatistics {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            refused: self.refused.load(Relaxed),
        }
    }

    /// The compiled component, if this cache has it for this engine.
    pub(crate) fn get(&self, engine: &wasmtime::Engine, digest: Digest) -> Option<Component> {
        let name = Name::new(engine, digest);
        let path = self.directory.join(name.file());
        let file = match fs::read(&path) {
            Ok(file) => file,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %path.display(), %error, "cannot read a compiled component");
                }
                self.misses.fetch_add(1, Relaxed);
                return None;
            }
        };
        match self.load(engine, &name, &file) {
            Ok(component) => {
                self.hits.fetch_add(1, Relaxed);
                touch(&path);
                Some(component)
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "refused a compiled component; it is compiled again");
                self.refused.fetch_add(1, Relaxed);
                None
            }
        }
    }

    #[expect(unsafe_code, reason = "wasmtime loads compiled code no other way")]
    fn load(&self, engine: &wasmtime::Engine, name: &Name, file: &[u8]) -> wasmtime::Result<Component> {
        let compiled = seal::open(&self.key, name, file)?;
        // SAFETY: the bytes are authentic, so they are what was compiled and loaded for this engine's settings.
        unsafe { Component::deserialize(engine, compiled) }
    }

    /// Keeps a compiled component. A failure is logged: the component can be used all the same.
    pub(crate) fn put(&self, engine: &wasmtime::Engine, digest: Digest, compiled: &[u8]) {
        let name = Name::new(engine, digest);
        let path = self.directory.join(name.file());
        if let Err(error) = self.store(&name, &path, compiled) {
            tracing::warn!(path = %path.display(), %error, "cannot keep a compiled component");
        }
        trim::trim(&self.directory, &path, self.size_limit);
    }

    fn store(&self, name: &Name, path: &Path, compiled: &[u8]) -> io::Result<()> {
        let seal = seal::seal(&self.key, name, compiled);
        write(&self.directory, path, &[&seal, compiled])
    }
}

/// Writes a file so that it is there as a whole or not at all; only this user may read it.
fn write(directory: &Path, path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let prefix = format!(".{}-", process::id());
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile_in(directory)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Marks a file as used. It is only a hint on what to delete last.
fn touch(path: &Path) {
    if let Ok(file) = fs::File::options().append(true).open(path) {
        let _ = file.set_modified(SystemTime::now());
    }
}
