//! Whose files are trusted: only this user's own, where nobody else can put any. It makes a directory for this user
//! alone, and it never changes one that is there: others may live in it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::CacheError;
use system::{create, is_open_to_others, is_writable_by_others};

/// The user that this process acts as.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    #[cfg(unix)]
    id: u32,
}

/// Makes the directory if it is not there, and refuses it if others could put files into it.
pub(super) fn prepare(directory: &Path) -> Result<User, CacheError> {
    let failed = |source| CacheError::Directory { path: directory.to_owned(), source };
    create(directory).map_err(failed)?;
    let metadata = fs::metadata(directory).map_err(failed)?;
    if is_writable_by_others(&metadata) {
        return Err(CacheError::WritableByOthers { path: directory.to_owned() });
    }
    let user = User::making_a_file_in(directory).map_err(failed)?;
    if !user.owns(&metadata) {
        return Err(CacheError::OfAnotherUser { path: directory.to_owned() });
    }
    Ok(user)
}

impl User {
    /// Nobody but this user can have written or read the file.
    pub(super) fn alone_knows(self, file: &File) -> io::Result<bool> {
        let metadata = file.metadata()?;
        Ok(self.owns(&metadata) && !is_open_to_others(&metadata))
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{DirBuilder, Metadata};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    use std::path::Path;

    use super::User;

    const OWNER_ONLY: u32 = 0o700;
    const OTHERS: u32 = 0o077;
    const OTHERS_WRITE: u32 = 0o022;

    pub(super) fn create(directory: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(OWNER_ONLY).create(directory)
    }

    pub(super) fn is_writable_by_others(metadata: &Metadata) -> bool {
        metadata.mode() & OTHERS_WRITE != 0
    }

    pub(super) fn is_open_to_others(metadata: &Metadata) -> bool {
        metadata.mode() & OTHERS != 0
    }

    impl User {
        /// A new file belongs to who makes it.
        pub(super) fn making_a_file_in(directory: &Path) -> io::Result<Self> {
            Ok(Self { id: tempfile::tempfile_in(directory)?.metadata()?.uid() })
        }

        pub(super) fn owns(self, metadata: &Metadata) -> bool {
            metadata.uid() == self.id
        }
    }
}

/// Elsewhere the system keeps a user's directories from others.
#[cfg(not(unix))]
mod system {
    use std::fs::{self, Metadata};
    use std::io;
    use std::path::Path;

    use super::User;

    pub(super) fn create(directory: &Path) -> io::Result<()> {
        fs::create_dir_all(directory)
    }

    pub(super) fn is_writable_by_others(_metadata: &Metadata) -> bool {
        false
    }

    pub(super) fn is_open_to_others(_metadata: &Metadata) -> bool {
        false
    }

    impl User {
        pub(super) fn making_a_file_in(directory: &Path) -> io::Result<Self> {
            tempfile::tempfile_in(directory).map(|_| Self {})
        }

        pub(super) fn owns(self, _metadata: &Metadata) -> bool {
            true
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use tempfile::TempDir;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn new_directories_are_for_this_user_alone() {
        let room = TempDir::new().unwrap();
        let directory = room.path().join("new").join("cache");
        prepare(&directory).unwrap();
        assert_eq!((mode(&room.path().join("new")), mode(&directory)), (0o700, 0o700));
    }

    #[test]
    fn a_directory_that_others_can_write_into_is_refused_and_left_as_it_is() {
        let room = TempDir::new().unwrap();
        for shared in [0o1777, 0o770, 0o702] {
            set_mode(room.path(), shared);
            let refused = prepare(room.path());
            assert!(matches!(refused, Err(CacheError::WritableByOthers { .. })), "{shared:o}: {refused:?}");
            assert_eq!(mode(room.path()), shared);
            assert_eq!(fs::read_dir(room.path()).unwrap().count(), 0);
        }
        for own in [0o700, 0o755] {
            set_mode(room.path(), own);
            prepare(room.path()).unwrap();
            assert_eq!(mode(room.path()), own);
        }
    }

    #[test]
    fn another_user_owns_nothing_of_ours() {
        let room = TempDir::new().unwrap();
        let user = prepare(room.path()).unwrap();
        let other = User { id: user.id + 1 };
        let file = tempfile::NamedTempFile::new_in(room.path()).unwrap();
        assert!(user.alone_knows(file.as_file()).unwrap());
        assert!(!other.alone_knows(file.as_file()).unwrap());
        assert!(!other.owns(&fs::metadata(room.path()).unwrap()));
    }

    #[test]
    fn what_others_can_read_is_no_secret() {
        let room = TempDir::new().unwrap();
        let user = prepare(room.path()).unwrap();
        let file = tempfile::NamedTempFile::new_in(room.path()).unwrap();
        for (mode, alone) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            set_mode(file.path(), mode);
            assert_eq!(user.alone_knows(file.as_file()).unwrap(), alone, "{mode:o}");
        }
    }
}
