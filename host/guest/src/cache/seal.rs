//! What a file of the cache looks like: an HMAC-SHA256 over its name and content, then the content. The name says for
//! which component and which engine it was compiled, so a file under another's name is refused as well.

use std::fmt::Write;
use std::hash::{Hash, Hasher};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

use super::key::Key;
use crate::digest::Digest;

/// What files of compiled components end with.
pub(super) const EXTENSION: &str = "compiled";

const SEAL_LENGTH: usize = 32;

/// Names a compiled component: which one, and for which engine.
pub(super) struct Name(String);

impl Name {
    pub(super) fn new(engine: &wasmtime::Engine, digest: Digest) -> Self {
        let mut settings = StableHasher(Sha256::new());
        // Contains wasmtime's version, the target and every setting that compiled code depends on.
        engine.precompile_compatibility_hash().hash(&mut settings);
        let mut name = format!("{digest}-");
        for byte in &settings.0.finalize()[..8] {
            let _ = write!(name, "{byte:02x}");
        }
        Self(name)
    }

    pub(super) fn file(&self) -> String {
        format!("{}.{EXTENSION}", self.0)
    }
}

/// What proves that this cache wrote this content under this name.
pub(super) fn seal(key: &Key, name: &Name, content: &[u8]) -> [u8; SEAL_LENGTH] {
    sealing(key, name, content).finalize().into_bytes().into()
}

/// A file that this cache did not write, or not under this name.
#[derive(Debug, thiserror::Error)]
#[error("it is not what was written")]
pub(super) struct NotAuthentic;

/// The content, if this cache wrote it under this name.
pub(super) fn open<'a>(key: &Key, name: &Name, file: &'a [u8]) -> Result<&'a [u8], NotAuthentic> {
    let (seal, content) = file.split_at_checked(SEAL_LENGTH).ok_or(NotAuthentic)?;
    sealing(key, name, content).verify_slice(seal).map_err(|_| NotAuthentic)?;
    Ok(content)
}

fn sealing(key: &Key, name: &Name, content: &[u8]) -> Hmac<Sha256> {
    #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
    let mut sealing = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
    // The name has no zero byte, so name and content cannot be shifted against each other.
    sealing.update(name.0.as_bytes());
    sealing.update(&[0]);
    sealing.update(content);
    sealing
}

/// A hasher whose answer is the same in every process, which the standard library's does not promise.
struct StableHasher(Sha256);

impl Hasher for StableHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.0.clone().finalize()[..8]);
        u64::from_le_bytes(first)
    }
}
