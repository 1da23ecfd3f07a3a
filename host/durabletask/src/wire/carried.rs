//! Events that a workflow takes along when it continues as new. Only those that were raised to it make sense there, and
//! those are the same in both dialects.

use everturn_history::history_event::EventType;
use everturn_history::{EventRaisedEvent, HistoryEvent, Timestamp};
use prost::Message;

use super::RefusedAnswer;
use super::actions::check_time;
use super::refused::unreadable;

/// The part of an event that is the same in both dialects. Number 30, which is not, is skipped.
#[derive(Clone, PartialEq, Message)]
struct CarriedEvent {
    #[prost(int32, tag = "1")]
    event_id: i32,
    #[prost(message, optional, tag = "2")]
    timestamp: Option<Timestamp>,
    #[prost(message, optional, tag = "17")]
    event_raised: Option<EventRaisedEvent>,
}

pub(super) fn read_carried(action: i32, events: &[Vec<u8>]) -> Result<Vec<HistoryEvent>, RefusedAnswer> {
    let read = |bytes: &Vec<u8>| {
        let event = CarriedEvent::decode(bytes.as_slice()).map_err(unreadable("events that are carried over"))?;
        let raised = event.event_raised.ok_or(RefusedAnswer::CarriedOver { id: action })?;
        check_time(action, event.timestamp)?;
        Ok(HistoryEvent {
            event_id: event.event_id,
            timestamp: event.timestamp,
            event_type: Some(EventType::EventRaised(raised)),
            router: None,
        })
    };
    events.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use everturn_history::event;

    use super::*;

    #[test]
    fn raised_events_are_carried_over_and_nothing_else_is() {
        let raised = event::event_raised(Timestamp { seconds: 5, nanos: 0 }, "go", "1");
        let mut of_microsoft = raised.encode_to_vec();
        // What Microsoft calls `executionRewound`, and Dapr a router.
        of_microsoft.extend([0xf2, 0x01, 2, 0xff, 0xff]);
        assert_eq!(read_carried(1, &[raised.encode_to_vec(), of_microsoft]).unwrap(), [raised.clone(), raised]);

        let fired = event::timer_fired(Timestamp { seconds: 5, nanos: 0 }, everturn_history::SequenceId::new(1));
        assert_eq!(read_carried(4, &[fired.encode_to_vec()]), Err(RefusedAnswer::CarriedOver { id: 4 }));
    }
}
