//! Ids that nobody has had before: of instances, runs and dispatches. They come from the system's randomness; no replay
//! ever draws one.

use everturn_history::InstanceId;
use everturn_store::Token;

fn random() -> [u8; 16] {
    let mut bytes = [0; 16];
    if let Err(error) = getrandom::fill(&mut bytes) {
        // A machine without randomness cannot tell one run from another: going on would mix them up.
        tracing::error!(%error, "the system gives no random numbers");
        std::process::abort();
    }
    bytes
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// For an instance that was given none.
pub(crate) fn instance_id() -> InstanceId {
    hexadecimal(&random()).into()
}

/// For a run of an instance.
pub(crate) fn execution_id() -> String {
    hexadecimal(&random())
}

/// For one dispatch of an activity task.
pub(crate) fn token() -> Token {
    Token(random())
}

/// For a call of an activity that no code made: a version 4 UUID.
pub(crate) fn task_execution_id() -> String {
    let mut bytes = random();
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let digits = hexadecimal(&bytes);
    format!("{}-{}-{}-{}-{}", &digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..])
}
