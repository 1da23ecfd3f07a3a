//! The secret that tells this cache's files from others. It is made once a directory, and only its owner can read it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::trust::User;
use super::{CacheError, write};

const FILE: &str = "key";
const LENGTH: usize = 32;

/// A random key.
pub(super) struct Key([u8; LENGTH]);

impl Key {
    /// The key of a directory; a new one if there is none, or none that is whole and this user's secret.
    pub(super) fn open(directory: &Path, user: User) -> Result<Self, CacheError> {
        let failed = |source| CacheError::Directory { path: directory.to_owned(), source };
        let path = directory.join(FILE);
        match read(&path, user) {
            Ok(Some(key)) => return Ok(key),
            Ok(None) => tracing::warn!(
                path = %path.display(),
                "the key of the cache is damaged, or others know it; making a new one, so what is cached is lost"
            ),
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

/// The key in a file; None if it is not whole, or not this user's secret.
fn read(path: &Path, user: User) -> io::Result<Option<Key>> {
    let mut file = File::open(path)?;
    if !user.alone_knows(&file)? {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.by_ref().take(LENGTH as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes.try_into().ok().map(Key))
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}
