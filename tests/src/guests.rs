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

/// `tests/guests/versions`: a workflow in several versions.
pub const VERSIONS: Guest = Guest {
    path: env!("EVERTURN_TEST_VERSIONS_WASM"),
    directory: concat!(env!("CARGO_MANIFEST_DIR"), "/guests/versions"),
};

/// `examples/order`.
pub const ORDER: Guest =
    Guest { path: env!("ORDER_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/order") };

/// `examples/batch`.
pub const BATCH: Guest =
    Guest { path: env!("BATCH_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/batch") };

/// `examples/extensions`.
pub const EXTENSIONS: Guest =
    Guest { path: env!("EXTENSIONS_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/extensions") };

/// `examples/payment`.
pub const PAYMENT: Guest =
    Guest { path: env!("PAYMENT_WASM"), directory: concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/payment") };

/// `tests/guests/approval`: a workflow that waits for events, and whose activities are elsewhere.
pub const APPROVAL: Guest = Guest {
    path: env!("EVERTURN_TEST_APPROVAL_WASM"),
    directory: concat!(env!("CARGO_MANIFEST_DIR"), "/guests/approval"),
};

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

/// What `tests/guests/versions` has in the place of its version.
const MARK: &[u8] = b"everturn-version:";
/// The bytes of that, with the name.
const MARK_LENGTH: usize = 32;

/// `tests/guests/versions` in a version: its crate says which there are.
///
/// # Panics
/// When the component cannot be read, or has no place for the name.
#[expect(clippy::expect_used, reason = "for tests, which fail by panicking")]
pub fn in_version(version: &str) -> Vec<u8> {
    let mut wasm = VERSIONS.bytes().expect("the component is there");
    let place = wasm.windows(MARK.len()).position(|window| window == MARK).expect("it has a place for the name");
    let width = MARK_LENGTH - MARK.len();
    let name = format!("{version:_<width$}");
    wasm[place + MARK.len()..place + MARK_LENGTH].copy_from_slice(name.as_bytes());
    wasm
}
