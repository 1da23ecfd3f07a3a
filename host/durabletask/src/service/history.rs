//! Histories, whole or in pieces.

use everturn_history::{HistoryEvent, InstanceId};
use futures::StreamExt as _;
use futures::stream::{self, BoxStream};
use prost::Message as _;
use tonic::Status;

use super::Hub;
use crate::protocol::{
    GetInstanceHistoryRequest, GetInstanceHistoryResponse, HistoryChunk, StreamInstanceHistoryRequest,
};
use crate::wire::readable;
use crate::{Dialect, status};

impl Hub {
    /// The history of an instance in one message.
    pub(super) async fn history(
        &self,
        request: GetInstanceHistoryRequest,
    ) -> Result<GetInstanceHistoryResponse, Status> {
        // Only Dapr's peers know this method, whatever the listener is for.
        let events = self.events(&InstanceId::from(request.instance_id), Dialect::Dapr).await?;
        let response = GetInstanceHistoryResponse { events };
        let (size, limit) = (response.encoded_len(), self.limits.outbound_message);
        if size > limit {
            let problem = format!(
                "the history has {size} bytes, and clients take {limit}; StreamInstanceHistory sends it in pieces"
            );
            return Err(Status::resource_exhausted(problem));
        }
        Ok(response)
    }

    /// The history of an instance, or of the run of it that is named, in pieces.
    pub(super) async fn history_in_pieces(
        &self,
        request: StreamInstanceHistoryRequest,
    ) -> Result<BoxStream<'static, Result<HistoryChunk, Status>>, Status> {
        let id = InstanceId::from(request.instance_id);
        if let Some(run) = request.execution_id.filter(|run| !run.value.is_empty()) {
            let found = self.runtime.find_instance(&id).await.map_err(|error| status::refusal(&error))?;
            if found.is_some_and(|instance| instance.execution_id != run.value) {
                let problem = format!("instance `{id}` has begun anew, and the history of that run is gone");
                return Err(Status::not_found(problem));
            }
        }
        let events = self.events(&id, self.dialect).await?;
        let limit = self.limits.history_chunk;
        Ok(stream::iter(pieces(events, limit)).map(|events| Ok(HistoryChunk { events })).boxed())
    }

    async fn events(&self, id: &InstanceId, dialect: Dialect) -> Result<Vec<HistoryEvent>, Status> {
        let events = self.runtime.history(id).await.map_err(|error| status::refusal(&error))?;
        Ok(readable(dialect, events))
    }
}

/// Cuts a history into pieces of at most so many bytes. An event that has more is a piece of its own.
fn pieces(events: Vec<HistoryEvent>, limit: usize) -> impl Iterator<Item = Vec<HistoryEvent>> {
    let mut events = events.into_iter().peekable();
    std::iter::from_fn(move || {
        let mut piece: Vec<_> = events.next().into_iter().collect();
        let mut size = size_of_event(piece.first()?);
        while let Some(event) = events.next_if(|event| size + size_of_event(event) <= limit) {
            size += size_of_event(&event);
            piece.push(event);
        }
        Some(piece)
    })
}

/// What an event takes in a list.
fn size_of_event(event: &HistoryEvent) -> usize {
    let length = event.encoded_len();
    1 + prost::length_delimiter_len(length) + length
}

#[cfg(test)]
mod tests {
    use everturn_history::{Timestamp, event};

    use super::*;

    fn events(sizes: &[usize]) -> Vec<HistoryEvent> {
        let at = Timestamp { seconds: 1, nanos: 0 };
        sizes.iter().map(|size| event::event_raised(at, "e", &"x".repeat(*size))).collect()
    }

    #[test]
    fn pieces_hold_all_events_in_order_and_fit() {
        let limit = 200;
        let all = events(&[10, 500, 10, 10, 100, 10, 150, 1]);
        let cut: Vec<_> = pieces(all.clone(), limit).collect();
        assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 2, 2, 1, 1]);
        for piece in &cut {
            let size = HistoryChunk { events: piece.clone() }.encoded_len();
            assert!(size <= limit || piece.len() == 1, "{size}");
        }
        assert_eq!(cut.concat(), all);
        assert_eq!(pieces(Vec::new(), limit).count(), 0);
    }
}
