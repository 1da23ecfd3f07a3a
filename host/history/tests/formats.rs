//! The forms in which histories leave this process: protobuf bytes and JSON.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::*;
use prost::Message;

const AT: Timestamp = Timestamp { seconds: 1_767_258_000, nanos: 5 };

/// One event of every kind, and its number in the protocol.
fn every_kind() -> Vec<(u32, EventType)> {
    vec![
        (3, EventType::ExecutionStarted(Box::default())),
        (4, EventType::ExecutionCompleted(Box::default())),
        (5, EventType::ExecutionTerminated(ExecutionTerminatedEvent { input: Some(text("1")), recurse: true })),
        (6, EventType::TaskScheduled(Box::default())),
        (7, EventType::TaskCompleted(TaskCompletedEvent::default())),
        (8, EventType::TaskFailed(Box::default())),
        (9, EventType::ChildWorkflowInstanceCreated(Box::default())),
        (10, EventType::ChildWorkflowInstanceCompleted(ChildWorkflowInstanceCompletedEvent::default())),
        (11, EventType::ChildWorkflowInstanceFailed(Box::default())),
        (12, EventType::TimerCreated(TimerCreatedEvent { fire_at: Some(NEVER), ..TimerCreatedEvent::default() })),
        (13, EventType::TimerFired(TimerFiredEvent { fire_at: Some(AT), timer_id: 7 })),
        (14, EventType::WorkflowStarted(WorkflowStartedEvent::default())),
        (15, EventType::WorkflowCompleted(WorkflowCompletedEvent {})),
        (16, EventType::EventSent(EventSentEvent::default())),
        (17, EventType::EventRaised(EventRaisedEvent { name: "e".into(), input: Some(text("")) })),
        (20, EventType::ContinueAsNew(ContinueAsNewEvent::default())),
        (21, EventType::ExecutionSuspended(ExecutionSuspendedEvent::default())),
        (22, EventType::ExecutionResumed(ExecutionResumedEvent::default())),
        (31, EventType::ExecutionStalled(ExecutionStalledEvent::default())),
        (32, EventType::DetachedWorkflowInstanceCreated(DetachedWorkflowInstanceCreatedEvent::default())),
        (1003, EventType::WorkflowReset(Box::default())),
    ]
}

/// The number of the last field in an encoded message, which has no field before it but those of the default.
fn only_field(message: &impl Message) -> u32 {
    let bytes = message.encode_to_vec();
    let (key, _) = prost::encoding::decode_key(&mut bytes.as_slice()).unwrap();
    key
}

#[test]
fn every_kind_of_event_has_the_number_of_the_protocol() {
    for (number, kind) in every_kind() {
        let event = HistoryEvent { event_type: Some(kind), ..HistoryEvent::default() };
        assert_eq!(only_field(&event), number, "{event:?}");
    }
}

#[test]
fn timer_origins_are_numbered_from_3_in_actions_and_from_4_in_events() {
    let origins = [
        TimerOrigin::CreateTimer,
        TimerOrigin::ExternalEvent { name: "e".into() },
        TimerOrigin::ActivityRetry { task_execution_id: "t".into() },
        TimerOrigin::ChildWorkflowRetry { instance_id: "i".into() },
    ];
    for (index, origin) in (0..).zip(origins) {
        let action = CreateTimerAction { origin: Some(origin.clone().into()), ..CreateTimerAction::default() };
        let event = TimerCreatedEvent { origin: Some(origin.clone().into()), ..TimerCreatedEvent::default() };
        assert_eq!((only_field(&action), only_field(&event)), (3 + index, 4 + index));
        assert_eq!((action.timer_origin(), event.timer_origin()), (Some(origin.clone()), Some(origin)));
    }
}

#[test]
fn an_action_that_a_dapr_worker_sent_is_read() {
    // Id 1; schedule task "hello" with input "a" in quotes and a task execution id; an empty router.
    let uuid = b"0b0a6a4e-7a4f-4c8e-9a53-3f0a1f4f7f10";
    let mut bytes = b"\x08\x01\x12\x34\x0a\x05hello\x1a\x05\x0a\x03\"a\"\x2a\x24".to_vec();
    bytes.extend(uuid);
    bytes.extend(b"\x4a\x00");
    let action = WorkflowAction::decode(bytes.as_slice()).unwrap();
    assert_eq!((action.id, action.router.clone()), (1, Some(TaskRouter::default())));
    let Some(ActionType::ScheduleTask(task)) = &action.action_type else { panic!("{action:?}") };
    assert_eq!((task.name.as_str(), task.input.clone()), ("hello", Some(text("\"a\""))));
    assert_eq!(task.task_execution_id.as_bytes(), uuid);
    assert_eq!(action.encode_to_vec(), bytes);
}

#[test]
fn every_kind_of_event_survives_bytes_and_json() {
    let history: Vec<_> = (0..)
        .zip(every_kind())
        .map(|(id, (_, kind))| HistoryEvent {
            event_id: id - 1,
            timestamp: Some(AT),
            event_type: Some(kind),
            router: Some(Box::new(TaskRouter { target_app_id: Some(String::new()), ..TaskRouter::default() })),
        })
        .collect();
    assert_eq!(json::from_str(&json::to_string(&history).unwrap()).unwrap(), history);
    for event in history {
        assert_eq!(HistoryEvent::decode(event.encode_to_vec().as_slice()).unwrap(), event);
    }
}

#[test]
fn json_has_the_names_and_forms_of_proto3() {
    let started = ExecutionStartedEvent {
        name: "order".into(),
        input: Some(text("{\"id\":1}")),
        generation: 2,
        parent_instance: Some(ParentInstanceInfo { app_id: Some("shop".into()), ..ParentInstanceInfo::default() }),
        ..ExecutionStartedEvent::default()
    };
    let created = TimerCreatedEvent {
        fire_at: Some(NEVER),
        origin: Some(TimerOrigin::ExternalEvent { name: "paid".into() }.into()),
        ..TimerCreatedEvent::default()
    };
    let history = [
        event::event(AT, EventType::ExecutionStarted(started.into())),
        event::recorded(SequenceId::new(3), AT, EventType::TimerCreated(created)),
    ];
    let expected = r#"[
  {
    "eventId": -1,
    "timestamp": "2026-01-01T09:00:00.000000005Z",
    "executionStarted": {
      "name": "order",
      "input": "{\"id\":1}",
      "parentInstance": {
        "appID": "shop"
      },
      "generation": 2
    }
  },
  {
    "eventId": 3,
    "timestamp": "2026-01-01T09:00:00.000000005Z",
    "timerCreated": {
      "fireAt": "9999-12-31T23:59:59.999999999Z",
      "externalEvent": {
        "name": "paid"
      }
    }
  }
]"#;
    assert_eq!(json::to_string(&history).unwrap(), expected);
}

#[test]
fn what_is_wrong_in_json_is_told_by_event_and_line() {
    let table = [
        ("", "not a history: EOF while parsing a value at line 1 column 0; a history is a JSON array of events"),
        (
            "{}",
            "not a history: invalid type: map, expected a sequence at line 1 column 0; a history is a JSON array of events",
        ),
        (
            "[\n{\"timerFired\": {}},\n{\"timerFird\": {}}]",
            "event 2 (line 3) is not a history event: unknown field `timerFird`, expected one of",
        ),
        ("[\n\n{\"eventId\": 1}]", "event 1 (line 3) is not a history event: it says nothing happened"),
        (
            "[{\"timestamp\": \"today\", \"timerFired\": {}}]",
            "event 1 (line 1) is not a history event: invalid value: string \"today\", expected a time such as",
        ),
    ];
    for (json, expected) in table {
        let error = json::from_str(json).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{json}: {error}");
    }
}

#[test]
fn what_has_no_json_form_is_an_error_not_an_empty_history() {
    let unknown = ExecutionCompletedEvent { workflow_status: 99, ..ExecutionCompletedEvent::default() };
    let history = [event::event(AT, EventType::ExecutionCompleted(unknown.into()))];
    assert!(json::to_string(&history).is_err());
}
