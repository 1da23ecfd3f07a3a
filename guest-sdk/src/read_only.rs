//! Queries and validators look and do not touch. While one runs, whatever would leave a trace is stopped here, in words that
//! its author understands; the host stops it too, but knows less of what was meant.

use std::cell::Cell;
use std::fmt::Display;

/// Who may only look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    Query,
    Validator,
}

thread_local! {
    static READER: Cell<Option<Reader>> = const { Cell::new(None) };
}

/// Runs code that may only look.
pub(crate) fn run<T>(reader: Reader, code: impl FnOnce() -> T) -> T {
    let _end = End(READER.replace(Some(reader)));
    code()
}

/// Back to who it was before, after a panic too: where there is no host, the thread goes on.
struct End(Option<Reader>);

impl Drop for End {
    fn drop(&mut self) {
        READER.set(self.0);
    }
}

/// Stops a query or validator that does this: a verb with its object, as in "call activity `charge`".
#[expect(clippy::panic, reason = "what it did cannot be undone: only the next version of the code can mend it")]
pub(crate) fn refuse(what: impl Display) {
    match READER.get() {
        None => {}
        Some(Reader::Query) => panic!(
            "a query cannot {what}: it only reads the state, and what it does is not recorded; \
             make it a signal or an update"
        ),
        Some(Reader::Validator) => panic!(
            "a validator cannot {what}: an update that it rejects must leave no trace; do it in the update itself"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_who_may_only_look_are_stopped() {
        refuse("call activity `charge`");
        run(Reader::Query, || ());
        refuse("call activity `charge`");
    }

    #[test]
    #[should_panic(expected = "a query cannot call activity `charge`: it only reads the state")]
    fn a_query_is_stopped() {
        run(Reader::Query, || refuse("call activity `charge`"));
    }

    #[test]
    #[should_panic(expected = "a validator cannot sleep: an update that it rejects must leave no trace")]
    fn a_validator_is_stopped() {
        run(Reader::Validator, || refuse("sleep"));
    }
}
