//! The secret that tells this cache's files from others. It is made once a directory, and only its owner can read it.

use std::path::Path;
use std::{fmt, fs, io};

use super::{CacheError, write};

const FILE: &str = "key";
const LENGTH: usize = 32;

/// A random key.
pub(super) struct Key([u8; LENGTH]);

impl Key {
    /// The key of a directory; a new one if there is none, or none that is whole.
    pub(super) fn open(directory: &Path) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Directory { path: directory.to_owned(), source };
        let path = directory.join(FILE);
        match fs::read(&path) {
            Ok(bytes) => match bytes.try_into() {
                Ok(key) => return Ok(Self(key)),
                Err(_) => tracing::warn!(path = %path.display(), "the key of the cache is damaged; making a new one"),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(error)),
        }
        let mut key = [0; LENGTH];
        getrandom::fill(&mut key).map_err(|error| CacheError::NoRandomness { detail: error.to_string() })?;
        // Two processes may do this at once. The files of the one whose key is lost are refused and written again.
        write(directory, &path, &[&key]).map_err(failed)?;
        Ok(Self(key))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}
