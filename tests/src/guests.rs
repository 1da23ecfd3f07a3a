//! The components that the build script compiled.

use std::fs;
use std::io;
use std::path::Path;

/// A compiled guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guest {
    /// The `.wasm` file: a component.
    pub path: &'static str,
    /// The directory of the crate that it was compiled from.
    pub directory: &'static str,
}

/// `tests/guests`: workflows that the tests run, well-behaved and otherwise.
pub const TEST_GUESTS: Guest =
    Guest { path: env!("EVERTURN_TEST_GUESTS_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/guests") };

/// `tests/guests/socket`: a workflow that opens a socket.
pub const SOCKET: Guest = Guest {
    path: env!("EVERTURN_TEST_GUEST_SOCKET_WASM"),
    directory: concat!(env!("CARGO_MANIFEST_DIR"), "/guests/socket"),
};

/// `tests/guests/crash`: workflows that tell all that happened to them.
pub const CRASH: Guest =
    Guest { path: env!("EVERTURN_TEST_CRASH_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/guests/crash") };

/// `examples/order`.
pub const ORDER: Guest =
    Guest { path: env!("ORDER_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/order") };

/// `examples/approval`.
pub const APPROVAL: Guest =
    Guest { path: env!("APPROVAL_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/approval") };

impl Guest {
    /// The `.wasm` file.
    pub fn path(&self) -> &'static Path {
        Path::new(self.path)
    }

    /// The content of the `.wasm` file.
    pub fn bytes(&self) -> io::Result<Vec<u8>> {
        fs::read(self.path)
    }
}
