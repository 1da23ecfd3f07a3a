//! Which dialect a worker speaks. Some say so when they connect, some with their first answer, some never.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::protocol::GetWorkItemsRequest;

/// The two dialects of the protocol, and what every worker of both understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Dialect {
    /// What both have in common: for workers that have not shown theirs.
    Neutral = 0,
    /// That of Dapr's SDKs.
    Dapr = 1,
    /// That of Microsoft's SDKs.
    Microsoft = 2,
}

impl Dialect {
    /// The dialect of a worker that connects to a listener of dialect `self`.
    ///
    /// Only Dapr's workers have field 4, and only Microsoft's 10, 11 and 12. A worker that counts what it takes, and
    /// says nothing else, may be an older one of either.
    pub(crate) fn of_stream(self, request: &GetWorkItemsRequest) -> Self {
        let is_microsoft = !request.microsoft_capabilities.is_empty()
            || request.work_item_filters.is_some()
            || request.worker_instance_id.is_some();
        let counts = request.max_concurrent_orchestration_work_items.is_some()
            || request.max_concurrent_activity_work_items.is_some()
            || request.max_concurrent_entity_work_items.is_some();
        if !request.dapr_capabilities.is_empty() {
            Self::Dapr
        } else if is_microsoft || self == Self::Microsoft {
            Self::Microsoft
        } else if counts || self == Self::Neutral {
            Self::Neutral
        } else {
            Self::Dapr
        }
    }
}

/// The dialect of one connected worker: what it was taken for, until an answer tells better.
#[derive(Debug)]
pub(crate) struct StreamDialect(AtomicU8);

impl StreamDialect {
    pub(crate) fn new(dialect: Dialect) -> Self {
        Self(AtomicU8::new(dialect as u8))
    }

    pub(crate) fn get(&self) -> Dialect {
        match self.0.load(Ordering::Relaxed) {
            1 => Dialect::Dapr,
            2 => Dialect::Microsoft,
            _ => Dialect::Neutral,
        }
    }

    /// An answer of this worker is of this dialect. What was known before stays.
    pub(crate) fn learn(&self, dialect: Dialect) -> Dialect {
        // Fails when it was known before.
        let _ = self.0.compare_exchange(Dialect::Neutral as u8, dialect as u8, Ordering::Relaxed, Ordering::Relaxed);
        self.get()
    }
}

/// What a worker says it can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Capabilities {
    /// It keeps the histories that it was sent, so that it needs only what is new.
    pub(crate) keeps_history: bool,
    /// It understands pings.
    pub(crate) takes_pings: bool,
    /// It asks for a history that is too long for one message.
    pub(crate) streams_history: bool,
}

/// The numbers of capabilities. Each dialect has its own.
mod number {
    pub(super) const DAPR_STATEFUL_HISTORY: i32 = 2;
    pub(super) const DAPR_HEALTH_PING: i32 = 3;
    pub(super) const MICROSOFT_HISTORY_STREAMING: i32 = 1;
}

impl Capabilities {
    pub(crate) fn of(dialect: Dialect, request: &GetWorkItemsRequest) -> Self {
        match dialect {
            Dialect::Dapr => Self {
                keeps_history: request.dapr_capabilities.contains(&number::DAPR_STATEFUL_HISTORY),
                takes_pings: request.dapr_capabilities.contains(&number::DAPR_HEALTH_PING),
                streams_history: false,
            },
            // Pings are older than capabilities there: every worker knows them.
            Dialect::Microsoft => Self {
                keeps_history: false,
                takes_pings: true,
                streams_history: request.microsoft_capabilities.contains(&number::MICROSOFT_HISTORY_STREAMING),
            },
            Dialect::Neutral => Self::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;

    fn read(bytes: &[u8]) -> GetWorkItemsRequest {
        GetWorkItemsRequest::decode(bytes).unwrap()
    }

    #[test]
    fn a_stream_is_known_by_the_fields_of_its_request() {
        use Dialect::{Dapr, Microsoft, Neutral};
        let counts: &[u8] = &[0x08, 0xc8, 1, 0x10, 0xc8, 1];
        let table: [(&str, &[u8], Dialect, Dialect); 8] = [
            ("empty", &[], Dapr, Microsoft),
            ("how many of each", counts, Neutral, Microsoft),
            ("how many entities", &[0x18, 1], Neutral, Microsoft),
            ("Dapr 1.19", &[0x22, 2, 3, 2], Dapr, Dapr),
            ("Dapr's Go worker", &[0x22, 1, 2], Dapr, Dapr),
            ("Microsoft's capabilities", &[0x52, 1, 1], Microsoft, Microsoft),
            ("filters", &[0x5a, 0], Microsoft, Microsoft),
            ("the name of a worker", &[0x62, 1, b'w'], Microsoft, Microsoft),
        ];
        for (what, bytes, on_dapr, on_microsoft) in table {
            assert_eq!(Dapr.of_stream(&read(bytes)), on_dapr, "{what}");
            assert_eq!(Microsoft.of_stream(&read(bytes)), on_microsoft, "{what}");
        }
        assert_eq!(Neutral.of_stream(&read(&[])), Neutral);
    }

    #[test]
    fn the_same_number_is_another_capability_in_the_other_dialect() {
        let dapr = Capabilities::of(Dialect::Dapr, &read(&[0x22, 2, 3, 2]));
        assert!(dapr.keeps_history && dapr.takes_pings && !dapr.streams_history);
        let microsoft = Capabilities::of(Dialect::Microsoft, &read(&[0x52, 3, 1, 2, 3]));
        assert!(!microsoft.keeps_history && microsoft.takes_pings && microsoft.streams_history);
        assert_eq!(Capabilities::of(Dialect::Neutral, &read(&[0x22, 2, 3, 2])), Capabilities::default());
    }

    #[test]
    fn what_is_known_of_a_stream_stays() {
        let stream = StreamDialect::new(Dialect::Neutral);
        assert_eq!(stream.learn(Dialect::Dapr), Dialect::Dapr);
        assert_eq!(stream.learn(Dialect::Microsoft), Dialect::Dapr);
    }
}
