//! What a child says on its stdout: one byte for the kind of the answer, then the rest of it. A child that says nothing, or
//! something else, has not come to its end.

use std::io::{self, Write};

const COMPILED: u8 = b'C';
const INVALID: u8 = b'I';
/// That there is no memory left. It is said whenever that happens, so another answer may follow; it counts nevertheless.
pub(super) const OUT_OF_MEMORY: u8 = b'M';

/// What a child says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The compiled component.
    Compiled(Vec<u8>),
    /// What is wrong with the component.
    Invalid(String),
    /// There was no memory left.
    OutOfMemory,
}

impl Answer {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (kind, rest) = match self {
            Self::Compiled(compiled) => (COMPILED, compiled.as_slice()),
            Self::Invalid(detail) => (INVALID, detail.as_bytes()),
            Self::OutOfMemory => (OUT_OF_MEMORY, &[][..]),
        };
        to.write_all(&[kind])?;
        to.write_all(rest)?;
        to.flush()
    }

    /// None: this is no answer.
    pub(super) fn read(mut said: Vec<u8>) -> Option<Self> {
        match *said.first()? {
            COMPILED => {
                said.drain(..1);
                Some(Self::Compiled(said))
            }
            INVALID => Some(Self::Invalid(String::from_utf8_lossy(&said[1..]).into_owned())),
            OUT_OF_MEMORY => Some(Self::OutOfMemory),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_it_was_written() {
        for answer in [Answer::Compiled(vec![0, 1]), Answer::Invalid("no".to_owned()), Answer::OutOfMemory] {
            let mut said = Vec::new();
            answer.write(&mut said).unwrap();
            assert_eq!(Answer::read(said), Some(answer));
        }
    }

    #[test]
    fn no_memory_counts_whatever_follows() {
        assert_eq!(Answer::read(b"MIout of memory".to_vec()), Some(Answer::OutOfMemory));
    }

    #[test]
    fn anything_else_is_no_answer() {
        assert_eq!(Answer::read(Vec::new()), None);
        assert_eq!(Answer::read(b"\x7fELF".to_vec()), None);
    }
}
