//! The instance's random stream: the same bytes on every replay. ChaCha20, seeded with the SHA-256 of a label and of what
//! names this run: instance id, execution id and generation. Not a source of secrets.

use everturn_history::InstanceId;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use crate::Start;

/// Part of the seed: a stream with another meaning gets another label, and published labels never change.
const STREAM_LABEL: &[u8] = b"everturn random stream 1";
const TASK_LABEL: &[u8] = b"everturn task execution id 1";

#[derive(Debug)]
pub(crate) struct RandomStream {
    generator: ChaCha20Rng,
}

impl RandomStream {
    pub(crate) fn new(start: &Start) -> Self {
        // A copy of another run replays what that one drew; only what it asks of the world is its own.
        let (instance_id, execution_id) = match &start.randomness {
            Some((instance_id, execution_id)) => (instance_id, execution_id),
            None => (&start.instance_id, &start.execution_id),
        };
        Self { generator: ChaCha20Rng::from_seed(digest(STREAM_LABEL, start.generation, instance_id, execution_id)) }
    }

    /// The stream of what has not started.
    pub(crate) fn unseeded() -> Self {
        Self { generator: ChaCha20Rng::from_seed([0; 32]) }
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

/// Names the activity calls of a run: version 8 (custom) UUIDs, 90 bits for the run and 32 for the call. Apart from the
/// stream that the guest draws from, so that a call more or less does not change what the guest sees.
#[derive(Debug, Default)]
pub(crate) struct TaskExecutionIds {
    run: [u8; 12],
    calls: u32,
}

impl TaskExecutionIds {
    pub(crate) fn new(start: &Start) -> Self {
        Self { run: named_run(start, &start.execution_id), calls: 0 }
    }

    /// Calls from here on are those of another run, which goes on with what this one began with.
    pub(crate) fn change_run(&mut self, start: &Start, execution_id: &str) {
        self.run = named_run(start, &format!("{} {execution_id}", start.execution_id));
    }

    pub(crate) fn next(&mut self) -> String {
        self.calls = self.calls.wrapping_add(1);
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&self.run);
        bytes[12..].copy_from_slice(&self.calls.to_be_bytes());
        uuid_text(bytes, 8)
    }
}

fn named_run(start: &Start, execution_id: &str) -> [u8; 12] {
    let mut run = [0; 12];
    run.copy_from_slice(&digest(TASK_LABEL, start.generation, &start.instance_id, execution_id)[..12]);
    run
}

/// The execution id tells apart two runs that used one instance id one after the other: the ids of their activity calls,
/// which activities use to have their effect once, must not be the same.
fn digest(label: &[u8], generation: u32, instance_id: &InstanceId, execution_id: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(label);
    hash.update(generation.to_be_bytes());
    for id in [instance_id.as_str(), execution_id] {
        hash.update((id.len() as u64).to_be_bytes());
        hash.update(id);
    }
    hash.finalize().into()
}

fn uuid_text(mut bytes: [u8; 16], version: u8) -> String {
    bytes[6] = (bytes[6] & 0x0f) | (version << 4);
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let bits = u128::from_be_bytes(bytes);
    let part = |shift: u32, width: u32| (bits >> shift) & ((1 << width) - 1);
    format!("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", part(96, 32), part(80, 16), part(64, 16), part(48, 16), part(0, 48))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(instance: &str, execution: &str, generation: u32) -> Start {
        let event = everturn_history::ExecutionStartedEvent {
            name: "w".into(),
            workflow_instance: Some(everturn_history::WorkflowInstance {
                instance_id: instance.into(),
                execution_id: Some(everturn_history::text(execution)),
            }),
            generation,
            ..Default::default()
        };
        Start::new(event, Default::default())
    }

    #[test]
    fn the_stream_is_fixed_for_ever() {
        // These values are part of every stored history: code that changes them breaks running instances. They were
        // computed by another implementation of SHA-256 and ChaCha20.
        let start = start("order-17", "run-1", 3);
        assert_eq!(RandomStream::new(&start).uuid(), "933ca37d-ac69-448a-9c14-6867cbad24bb");
        let mut ids = TaskExecutionIds::new(&start);
        assert_eq!(
            [ids.next(), ids.next()],
            ["5aaac8ae-2fc3-8d04-9839-db5000000001", "5aaac8ae-2fc3-8d04-9839-db5000000002"]
        );
    }

    #[test]
    fn instances_runs_and_generations_differ() {
        let first = |instance, execution, generation| RandomStream::new(&start(instance, execution, generation)).uuid();
        assert_eq!(first("a", "b", 0), first("a", "b", 0));
        let others = [first("a", "b", 1), first("a", "c", 0), first("ab", "", 0), first("", "ab", 0)];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(first("a", "b", 0), *other);
            assert!(!others[..index].contains(other));
        }
    }
}
