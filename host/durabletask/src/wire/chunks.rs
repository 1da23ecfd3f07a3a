//! An answer that comes in pieces, because it is too large for one message. Of Microsoft's dialect.

use prost::Message as _;

use super::RefusedAnswer;
use crate::protocol::{WorkflowAction, WorkflowResponse};

/// The pieces of one answer that have come so far.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    actions: Vec<WorkflowAction>,
    bytes: usize,
    next: i32,
}

/// Whether an answer is complete.
#[derive(Debug)]
pub(crate) enum Progress {
    /// More has to come.
    More,
    /// This is all of it.
    Whole(Box<WorkflowResponse>),
}

impl Chunks {
    /// How many bytes are kept here.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes one more piece. What came before it is kept only if this one continues it.
    pub(crate) fn add(
        &mut self,
        mut piece: WorkflowResponse,
        actions_limit: usize,
        bytes_limit: usize,
    ) -> Result<Progress, RefusedAnswer> {
        let index = piece.chunk_index.as_ref().map_or(0, |index| index.value);
        if index == 0 {
            *self = Self::default();
        }
        if index != self.next {
            return Err(RefusedAnswer::OutOfOrder { expected: self.next, found: index });
        }
        let size = self.bytes + piece.encoded_len();
        let count = self.actions.len() + piece.actions.len();
        if count > actions_limit {
            return Err(RefusedAnswer::TooManyActions { count, limit: actions_limit });
        }
        if size > bytes_limit {
            return Err(RefusedAnswer::TooManyBytes { size, limit: bytes_limit });
        }
        self.actions.append(&mut piece.actions);
        if piece.is_partial {
            self.bytes = size;
            self.next += 1;
            return Ok(Progress::More);
        }
        piece.actions = std::mem::take(self).actions;
        Ok(Progress::Whole(Box::new(piece)))
    }
}

#[cfg(test)]
mod tests {
    use pbjson_types::Int32Value;

    use super::*;

    fn piece(index: Option<i32>, is_partial: bool, ids: &[i32]) -> WorkflowResponse {
        WorkflowResponse {
            actions: ids.iter().map(|id| WorkflowAction { id: *id, ..WorkflowAction::default() }).collect(),
            is_partial,
            chunk_index: index.map(|value| Int32Value { value }),
            ..WorkflowResponse::default()
        }
    }

    fn ids(progress: Progress) -> Option<Vec<i32>> {
        match progress {
            Progress::More => None,
            Progress::Whole(whole) => Some(whole.actions.iter().map(|action| action.id).collect()),
        }
    }

    #[test]
    fn pieces_make_one_answer_in_their_order() {
        let mut chunks = Chunks::default();
        assert_eq!(ids(chunks.add(piece(Some(0), true, &[1, 2]), 10, 1_000).unwrap()), None);
        assert_eq!(ids(chunks.add(piece(Some(1), true, &[3]), 10, 1_000).unwrap()), None);
        assert!(chunks.bytes() > 0);
        assert_eq!(ids(chunks.add(piece(Some(2), false, &[4]), 10, 1_000).unwrap()), Some(vec![1, 2, 3, 4]));
        assert_eq!(chunks.bytes(), 0);
    }

    #[test]
    fn an_answer_in_one_piece_needs_no_index_and_forgets_what_came_before() {
        let mut chunks = Chunks::default();
        chunks.add(piece(Some(0), true, &[1]), 10, 1_000).unwrap();
        assert_eq!(ids(chunks.add(piece(None, false, &[7]), 10, 1_000).unwrap()), Some(vec![7]));
    }

    #[test]
    fn a_missing_piece_and_too_much_are_refused() {
        let mut chunks = Chunks::default();
        let refused = chunks.add(piece(Some(1), false, &[1]), 10, 1_000).unwrap_err();
        assert_eq!(refused, RefusedAnswer::OutOfOrder { expected: 0, found: 1 });
        chunks.add(piece(Some(0), true, &[1, 2]), 3, 1_000).unwrap();
        let refused = chunks.add(piece(Some(1), false, &[3, 4]), 3, 1_000).unwrap_err();
        assert_eq!(refused, RefusedAnswer::TooManyActions { count: 4, limit: 3 });
        let refused = chunks.add(piece(Some(0), true, &[1, 2]), 3, 5).unwrap_err();
        assert!(matches!(refused, RefusedAnswer::TooManyBytes { limit: 5, .. }), "{refused}");
    }
}
