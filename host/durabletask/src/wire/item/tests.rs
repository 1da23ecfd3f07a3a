//! Work items as the workers of each dialect read them.

use std::collections::BTreeMap;

use everturn_history::{HistoryPropagationScope, PropagatedHistory, SequenceId, TaskScheduledEvent, Timestamp, event};
use everturn_runtime::Call;
use everturn_store::Token;
use prost::Message as _;

use super::*;

const ALL: [Dialect; 3] = [Dialect::Neutral, Dialect::Dapr, Dialect::Microsoft];

fn propagated() -> Option<PropagatedHistory> {
    Some(PropagatedHistory { scope: HistoryPropagationScope::OwnHistory.into(), chunks: Vec::new() })
}

fn turn() -> TurnTask {
    let at = Timestamp { seconds: 9, nanos: 0 };
    TurnTask {
        token: Token([7; 16]),
        instance_id: "i".into(),
        execution_id: "e".to_owned(),
        workflow: "w".to_owned(),
        known: 3,
        past: vec![event::turn_started(at, Vec::new())],
        new: vec![event::turn_started(at, Vec::new()), event::event_raised(at, "go", "1")],
        propagated: propagated(),
    }
}

fn activity() -> ActivityTask {
    ActivityTask {
        call: Call {
            activity: "a".to_owned(),
            input: "null".to_owned(),
            instance_id: "i".into(),
            workflow: "w".to_owned(),
            task_id: SequenceId::new(5),
            generation: 0,
            task_execution_id: "call".to_owned(),
            attempt: 1,
            dispatch: 1,
        },
        token: Token([1; 16]),
        execution_id: "e".to_owned(),
        scheduled: TaskScheduledEvent {
            name: "a".to_owned(),
            input: Some(text("not JSON")),
            tags: BTreeMap::from([("k".to_owned(), "v".to_owned())]),
            ..TaskScheduledEvent::default()
        },
        propagated: propagated(),
    }
}

fn workflow_request(dialect: Dialect) -> WorkflowRequest {
    match turn_item(dialect, turn()).request {
        Some(Request::WorkflowRequest(request)) => request,
        other => panic!("{other:?} is no turn"),
    }
}

fn activity_request(dialect: Dialect) -> ActivityRequest {
    match activity_item(dialect, activity()).request {
        Some(Request::ActivityRequest(request)) => request,
        other => panic!("{other:?} is no activity"),
    }
}

#[test]
fn every_dialect_gets_the_turn() {
    for dialect in ALL {
        let request = workflow_request(dialect);
        assert_eq!((request.instance_id.as_str(), request.execution_id), ("i", Some(text("e"))), "{dialect:?}");
        assert_eq!((request.past_events.len(), request.new_events.len()), (1, 2), "{dialect:?}");
        assert_eq!(turn_item(dialect, turn()).completion_token, "07".repeat(16));
    }
}

#[test]
fn only_dapr_hears_of_its_cache_and_of_the_past_of_callers() {
    let dapr = workflow_request(Dialect::Dapr);
    assert_eq!((dapr.cached_history, dapr.propagated_history), (Some(CachedHistory { event_count: 3 }), propagated()));
    for dialect in [Dialect::Neutral, Dialect::Microsoft] {
        let request = workflow_request(dialect);
        assert!(request.cached_history.is_none() && request.propagated_history.is_none(), "{dialect:?}");
    }
    let whole = turn_item(Dialect::Dapr, TurnTask { known: 0, ..turn() });
    assert!(matches!(whole.request, Some(Request::WorkflowRequest(request)) if request.cached_history.is_none()));
}

#[test]
fn an_activity_carries_what_its_dialect_has_under_number_7() {
    let entry = vec![0x0a, 1, b'k', 0x12, 1, b'v'];
    let table =
        [(Dialect::Neutral, vec![]), (Dialect::Dapr, vec![b"call".to_vec()]), (Dialect::Microsoft, vec![entry])];
    for (dialect, special) in table {
        let request = activity_request(dialect);
        assert_eq!(request.task_execution_id_or_tags, special, "{dialect:?}");
        assert_eq!((request.task_id, request.name.as_str(), request.input), (5, "a", Some(text("not JSON"))));
        assert_eq!(request.propagated_history.is_some(), dialect == Dialect::Dapr, "{dialect:?}");
    }
}

#[test]
fn a_ping_is_where_each_dialect_looks_for_it() {
    assert_eq!(ping(Dialect::Dapr).unwrap().encode_to_vec(), [0x32, 0]);
    assert_eq!(ping(Dialect::Microsoft).unwrap().encode_to_vec(), [0x22, 0]);
    assert_eq!(ping(Dialect::Neutral), None);
}
