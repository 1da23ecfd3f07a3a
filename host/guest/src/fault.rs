//! Why a guest was stopped, told apart by type. It never reads messages to find out, and it decides nothing about the
//! instance: that is the caller's.

use std::char::DecodeUtf16Error;
use std::str::Utf8Error;
use std::time::Duration;

use wasmtime::{PoolConcurrencyLimitError, Trap};

/// What a guest did that its host cannot go on with.
///
/// The guest is gone then. Its instance is not: what was recorded stays, and a new guest can be made from it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GuestFault {
    /// It panicked, and said why on stderr.
    #[error("the workflow panicked: {message}\nfix the code, or return an error where this is to be expected")]
    Panicked {
        /// The last lines of stderr.
        message: String,
    },
    /// It ran longer than it may without waiting.
    #[error(
        "the workflow ran for {limit:?} without waiting for anything, which is the limit; look for an endless loop, \
         and move long computations into activities"
    )]
    TimedOut {
        /// The limit, `run_time`.
        limit: Duration,
    },
    /// It wanted more memory than it may have.
    #[error(
        "the workflow asked for {wanted} bytes of memory, and the limit is {limit}; keep large data outside and pass \
         references to it"
    )]
    MemoryLimit {
        /// What it would have had.
        wanted: usize,
        /// The limit, `memory`.
        limit: usize,
    },
    /// It ran out of stack, or reached outside its memory.
    #[error(
        "the workflow ran out of stack or reached outside its memory ({trap}); most often that is endless recursion, \
         and in a language without bounds checks it can be a bad pointer"
    )]
    StackOverflow {
        /// What WebAssembly says happened. A guest whose stack is in its own memory only shows an access out of bounds.
        trap: String,
    },
    /// It waits, and nothing it waits for will ever come.
    #[error(
        "the workflow waits for something that cannot happen: no timer, event, activity or child is open; await only \
         what the workflow context gives, and what depends on it"
    )]
    Deadlocked,
    /// It ended the process it thinks it is.
    #[error("the workflow called exit; return from the workflow function instead, with a result or an error")]
    Exited,
    /// It blocked on a clock.
    #[error(
        "the workflow put its thread to sleep; use the durable timer of the workflow context (`ctx.sleep`) instead"
    )]
    SleptThread,
    /// It used something that a workflow does not have.
    #[error("the workflow used {interface}, which it may not: {instead}")]
    Forbidden {
        /// Interface and function.
        interface: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A payload is larger than it may be.
    #[error("the {what} has {size} bytes, and the limit is {limit}; store it elsewhere and pass a reference to it")]
    PayloadTooLarge {
        /// Which payload.
        what: &'static str,
        /// Its bytes.
        size: usize,
        /// The limit, `payload_size`.
        limit: usize,
    },
    /// A name or an id is longer than it may be.
    #[error("the {what} has {length} bytes, and the limit is {limit}; choose a shorter one")]
    NameTooLong {
        /// Which name.
        what: &'static str,
        /// Its bytes.
        length: usize,
        /// The limit, `name_length`.
        limit: usize,
    },
    /// It asked for more than the host gives at once.
    #[error("the workflow asked for too many {what}: the limit is {limit}; {instead}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// What to do instead.
        instead: &'static str,
    },
    /// It passed a value that means nothing.
    #[error("the {what} is not valid: {detail}")]
    InvalidValue {
        /// Which value.
        what: &'static str,
        /// What would be valid.
        detail: &'static str,
    },
    /// What it returned or passed breaks the rules of the component model.
    #[error(
        "the workflow handed over data that the component model does not allow ({detail}); that is a fault of its \
         language's bindings, not of the workflow's logic: build it with a current version of them"
    )]
    InvalidResult {
        /// Which rule.
        detail: String,
    },
    /// Any other trap; also an abort without a word on stderr.
    #[error("the workflow was stopped by a {trap}{}; fix the code and deploy it again", said(.stderr))]
    Trapped {
        /// What WebAssembly says happened.
        trap: String,
        /// The last lines of stderr; may be empty.
        stderr: String,
    },
    /// There are as many guests in memory as there is room for.
    #[error(
        "the host has no room for one more guest beside those that are in memory ({detail}); it is tried again when some of \
         them have gone"
    )]
    NoRoom {
        /// Of what there is no more.
        detail: String,
    },
    /// The host could not make or run the guest; or why it stopped is told in words only, which nobody should rely on.
    #[error(
        "the host could not run the workflow ({detail}); look at the host's memory and try again, and if it stops \
         there again, build the workflow with current bindings of its language"
    )]
    Host {
        /// What went wrong.
        detail: String,
    },
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!(", after saying: {stderr}") }
}

impl GuestFault {
    /// Whether the same component meets the same fault again when the same history is replayed.
    pub const fn is_deterministic(&self) -> bool {
        !matches!(self, Self::TimedOut { .. } | Self::NoRoom { .. } | Self::Host { .. })
    }

    /// Tells what stopped a guest. `stderr` is what it said last in this stretch.
    pub(crate) fn of(error: wasmtime::Error, stderr: String) -> Self {
        match error.downcast::<Self>() {
            Ok(fault) => fault,
            Err(error) => match error.downcast_ref::<Trap>() {
                Some(trap) => Self::of_trap(*trap, stderr),
                None if error.is::<Utf8Error>() || error.is::<DecodeUtf16Error>() => {
                    Self::InvalidResult { detail: format!("{error:#}") }
                }
                None if error.is::<PoolConcurrencyLimitError>() => Self::NoRoom { detail: format!("{error:#}") },
                // A machine without memory looks like this too. Only what is known to come again may be called so.
                None => Self::Host { detail: format!("{error:#}") },
            },
        }
    }

    fn of_trap(trap: Trap, stderr: String) -> Self {
        match trap {
            Trap::UnreachableCodeReached if !stderr.is_empty() => Self::Panicked { message: stderr },
            Trap::StackOverflow | Trap::MemoryOutOfBounds => Self::StackOverflow { trap: trap.to_string() },
            Trap::AsyncDeadlock => Self::Deadlocked,
            Trap::InvalidChar
            | Trap::StringOutOfBounds
            | Trap::ListOutOfBounds
            | Trap::InvalidDiscriminant
            | Trap::UnalignedPointer
            | Trap::NoAsyncResult
            | Trap::TaskReturnInvalid
            | Trap::TaskCancelOrReturnTwice
            | Trap::UnsupportedCallbackCode => Self::InvalidResult { detail: trap.to_string() },
            _ => Self::Trapped { trap: trap.to_string(), stderr },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(error: impl Into<wasmtime::Error>, stderr: &str) -> GuestFault {
        GuestFault::of(error.into(), stderr.to_owned())
    }

    #[test]
    fn an_own_fault_comes_through_whatever_is_wrapped_around_it() {
        let wrapped = wasmtime::Error::from(GuestFault::SleptThread).context("while calling").context("a guest");
        assert_eq!(fault(wrapped, "noise"), GuestFault::SleptThread);
    }

    #[test]
    fn an_abort_is_a_panic_if_it_left_words() {
        let abort = Trap::UnreachableCodeReached;
        assert_eq!(fault(abort, "boom"), GuestFault::Panicked { message: "boom".to_owned() });
        assert_eq!(fault(abort, ""), GuestFault::Trapped { trap: abort.to_string(), stderr: String::new() });
    }

    #[test]
    fn traps_are_told_apart() {
        let trap = |trap: Trap| trap.to_string();
        let stderr = String::new();
        let table = [
            (Trap::StackOverflow, GuestFault::StackOverflow { trap: trap(Trap::StackOverflow) }),
            (Trap::MemoryOutOfBounds, GuestFault::StackOverflow { trap: trap(Trap::MemoryOutOfBounds) }),
            (Trap::AsyncDeadlock, GuestFault::Deadlocked),
            (Trap::InvalidDiscriminant, GuestFault::InvalidResult { detail: trap(Trap::InvalidDiscriminant) }),
            (Trap::IntegerDivisionByZero, GuestFault::Trapped { trap: trap(Trap::IntegerDivisionByZero), stderr }),
        ];
        for (trap, expected) in table {
            assert_eq!(fault(trap, ""), expected);
        }
    }

    #[test]
    fn text_that_is_none_is_the_guests_doing() {
        let utf8 = String::from_utf8(vec![0xff]).unwrap_err().utf8_error();
        let utf16 = char::decode_utf16([0xd800]).next().unwrap().unwrap_err();
        for error in [wasmtime::Error::from(utf8), wasmtime::Error::from(utf16)] {
            let fault = fault(error.context("while lifting"), "");
            assert!(matches!(fault, GuestFault::InvalidResult { .. }), "{fault:?}");
        }
    }

    #[test]
    fn what_is_not_known_to_come_again_is_the_hosts() {
        let no_maps = std::io::Error::from(std::io::ErrorKind::OutOfMemory);
        let table =
            [wasmtime::Error::from(wasmtime::OutOfMemory::new(8)), no_maps.into(), wasmtime::Error::msg("in words")];
        for error in table {
            let fault = fault(error.context("while calling"), "noise");
            assert!(matches!(fault, GuestFault::Host { .. }), "{fault:?}");
        }
    }

    #[test]
    fn only_time_and_the_host_itself_may_differ_in_a_replay() {
        assert!(!GuestFault::TimedOut { limit: Duration::from_secs(1) }.is_deterministic());
        assert!(!GuestFault::Host { detail: String::new() }.is_deterministic());
        assert!(GuestFault::Deadlocked.is_deterministic());
    }
}
