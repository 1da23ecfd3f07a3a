//! A disk that fails or is slow on request: a file system for SQLite that does what the usual one does, until a test wants
//! something else.
//!
//! - [`FaultyVfs::register`] makes one, under a name that connections are opened with
//! - [`FaultyVfs::fail`] says what fails, how, and when; [`FaultyVfs::heal`] ends it
//! - [`FaultyVfs::slow_syncs`] makes what was written take longer to reach the disk
//!
//! A write that fails with an I/O error has written half of its bytes, as a disk may.

mod plan;
mod shim;

use std::ffi::{CString, NulError};
use std::time::Duration;

use plan::Plans;
pub use plan::{Fault, Operation, When};

/// A file system that fails on request. It stays registered for as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub struct FaultyVfs {
    plans: &'static Plans,
}

/// Why there is no such file system.
#[derive(Debug)]
pub enum RegisterError {
    /// The name has a zero byte in it.
    Name(NulError),
    /// SQLite does not take it, and this is its code.
    Sqlite(i32),
}

impl std::fmt::Display for RegisterError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Name(error) => write!(formatter, "no name for a file system of SQLite's: {error}"),
            Self::Sqlite(code) => write!(formatter, "SQLite does not take another file system: code {code}"),
        }
    }
}

impl std::error::Error for RegisterError {}

impl FaultyVfs {
    /// Makes one under this name. Each test needs a name of its own.
    pub fn register(name: &str) -> Result<Self, RegisterError> {
        let name = CString::new(name).map_err(RegisterError::Name)?;
        // Connections may use it until the process ends, so it is never freed.
        let plans: &'static Plans = Box::leak(Box::default());
        shim::register(name, plans).map_err(RegisterError::Sqlite)?;
        Ok(Self { plans })
    }

    /// From here on this operation fails in this way, at these times. Replaces what was said of this operation before.
    pub fn fail(&self, operation: Operation, fault: Fault, when: When) {
        self.plans.set(operation, fault, when);
    }

    /// As [`fail`](Self::fail), for writes.
    pub fn fail_writes(&self, fault: Fault, when: When) {
        self.fail(Operation::Write, fault, when);
    }

    /// From here on every sync takes so much longer.
    pub fn slow_syncs(&self, delay: Duration) {
        self.plans.slow_syncs(delay);
    }

    /// From here on nothing fails.
    pub fn heal(&self) {
        self.plans.clear();
    }

    /// How many operations have failed so far.
    pub fn failures(&self) -> u64 {
        self.plans.failures()
    }
}
