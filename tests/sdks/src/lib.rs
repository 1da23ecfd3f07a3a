//! Tests with the published Durable Task SDKs; they are in `tests/`. The library only says where their parts are.
//!
//! # Layout
//! - `programs/`: a worker and a client in each language, the same for all SDKs of that language.
//! - `guest/`: WebAssembly workflows that call what those workers offer, or are called by it.
//! - `tests/sdks/`: installs the SDKs, starts the host and the programs, and tells the stories.

/// `programs/`.
pub const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");

/// `guest/`, compiled.
#[cfg(feature = "sdks")]
pub const GUEST: &str = env!("EVERTURN_SDK_TEST_GUEST_WASM");
