//! The instance's random stream: the same bytes on every replay. ChaCha20, seeded with the SHA-256 of a label, the
//! generation and the instance id. Not a source of secrets.

use everturn_history::InstanceId;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// Part of the seed: a stream with another meaning gets another label, and published labels never change.
const STREAM_LABEL: &[u8] = b"everturn random stream 1";
const TASK_LABEL: &[u8] = b"everturn task execution id 1";

#[derive(Debug)]
pub(crate) struct RandomStream {
    generator: ChaCha20Rng,
}

impl RandomStream {
    pub(crate) fn new(instance: &InstanceId, generation: u32) -> Self {
        Self { generator: ChaCha20Rng::from_seed(digest(STREAM_LABEL, instance, generation, 0)) }
    }

    pub(crate) fn fill(&mut self, buffer: &mut [u8]) {
        self.generator.fill_bytes(buffer);
    }

    /// A version 4 (random) UUID from the stream.
    pub(crate) fn uuid(&mut self) -> String {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        uuid_text(bytes, 4)
    }
}

/// Names the n-th activity call of a generation: a version 8 (custom) UUID, apart from the stream that the guest
/// draws from, so that a retry policy more or less does not change what the guest sees.
pub(crate) fn task_execution_id(instance: &InstanceId, generation: u32, ordinal: u64) -> String {
    let digest = digest(TASK_LABEL, instance, generation, ordinal);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid_text(bytes, 8)
}

fn digest(label: &[u8], instance: &InstanceId, generation: u32, ordinal: u64) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(label);
    hash.update(generation.to_be_bytes());
    hash.update(ordinal.to_be_bytes());
    hash.update(instance.as_str());
    hash.finalize().into()
}

fn uuid_text(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = (bytes[6] & 0x0f) | (version << 4);
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let bits = u128::from_be_bytes(bytes);
    let hex = format!("{bits:032x}");
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_fixed_for_ever() {
        // These values are part of every stored history: code that changes them breaks running instances. They were
        // computed by another implementation of SHA-256 and ChaCha20.
        let mut stream = RandomStream::new(&"order-17".into(), 0);
        assert_eq!(stream.uuid(), "01071f15-46be-4ba8-adad-51a210822dc2");
        assert_eq!(task_execution_id(&"order-17".into(), 0, 1), "26996b53-c543-8177-b0e6-5bef1d67ed58");
    }

    #[test]
    fn instances_and_generations_differ() {
        let first = |instance: &str, generation| RandomStream::new(&instance.into(), generation).uuid();
        assert_eq!(first("a", 0), first("a", 0));
        assert_ne!(first("a", 0), first("b", 0));
        assert_ne!(first("a", 0), first("a", 1));
    }
}
