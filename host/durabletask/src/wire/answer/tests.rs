//! Answers as workers of both dialects were seen to send them.

use std::collections::BTreeMap;

use everturn_history::workflow_action::ActionType;
use everturn_history::{CreateTimerAction, StringValue, TaskRouter, Timestamp, TraceContext, text};

use super::*;
use crate::protocol::{ChildFields, CompleteWorkflowAction, CreateChildWorkflowAction, ScheduleTaskAction};
use crate::wire::read_time;

const LIMIT: usize = 100;
const UUID: &[u8] = b"0b9d8f3e-6a55-4a39-9d0c-3e6ef3ad1f10";

/// One scheduled activity, as Dapr's Python worker 1.19 sends it: a task execution id, and an empty router beside it.
fn dapr_action() -> Vec<u8> {
    let mut bytes = vec![0x08, 1, 0x12, 0x34, 0x0a, 5];
    bytes.extend(b"hello");
    bytes.extend([0x1a, 5, 0x0a, 3, b'"', b'a', b'"', 0x2a, 0x24]);
    bytes.extend(UUID);
    bytes.extend([0x4a, 0]);
    bytes
}

fn response(actions: Vec<WorkflowAction>) -> WorkflowResponse {
    WorkflowResponse { instance_id: "i".to_owned(), actions, ..WorkflowResponse::default() }
}

fn schedule(task: ScheduleTaskAction) -> WorkflowAction {
    WorkflowAction {
        id: 1,
        action_type: Some(Sent::ScheduleTask(ScheduleTaskAction { name: "a".to_owned(), ..task })),
        router_or_rewind: None,
    }
}

fn read_one(dialect: Dialect, action: WorkflowAction) -> Result<everturn_history::WorkflowAction, RefusedAnswer> {
    let mut answer = read_answer(dialect, response(vec![action]), LIMIT)?;
    Ok(answer.actions.remove(0))
}

/// What Microsoft's Python worker sends with every answer: when its span began.
fn span() -> Vec<u8> {
    let moment = Timestamp { seconds: 1_763_400_000, nanos: 1 }.encode_to_vec();
    let mut bytes = vec![0x12, u8::try_from(moment.len()).unwrap()];
    bytes.extend(moment);
    bytes
}

#[test]
fn an_activity_of_dapr_is_read_with_its_execution_id() {
    let action = WorkflowAction::decode(dapr_action().as_slice()).unwrap();
    assert_eq!(tells(&response(vec![action.clone()])), Some(Dialect::Dapr));

    let read = read_one(Dialect::Dapr, action).unwrap();

    let Some(ActionType::ScheduleTask(task)) = read.action_type else { panic!("the action is lost") };
    assert_eq!((read.id, task.name.as_str(), task.task_execution_id.as_bytes()), (1, "hello", UUID));
    assert_eq!(task.input, Some(StringValue { value: "\"a\"".to_owned() }));
    assert_eq!(read.router, None, "an empty router says nothing");
}

#[test]
fn an_activity_of_microsoft_is_read_with_its_tags_and_trace() {
    let trace = TraceContext { trace_parent: "00-1-2-3".to_owned(), ..TraceContext::default() };
    let action = schedule(ScheduleTaskAction {
        router_or_tags: vec![vec![0x0a, 1, b'k', 0x12, 1, b'v'], vec![0x0a, 1, b'l', 0x12, 1, b'w']],
        task_execution_id_or_trace: Some(trace.encode_to_vec()),
        ..ScheduleTaskAction::default()
    });
    assert_eq!(tells(&response(vec![action.clone()])), None);

    let read = read_one(Dialect::Microsoft, action.clone()).unwrap();
    let Some(ActionType::ScheduleTask(task)) = read.action_type else { panic!("the action is lost") };
    let tags = [("k", "v"), ("l", "w")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!((task.tags, task.parent_trace_context), (BTreeMap::from(tags), Some(trace)));
    assert_eq!(task.task_execution_id, "");

    let read = read_one(Dialect::Neutral, action).unwrap();
    let Some(ActionType::ScheduleTask(task)) = read.action_type else { panic!("the action is lost") };
    assert!(task.tags.is_empty() && task.parent_trace_context.is_none() && task.task_execution_id.is_empty());
}

#[test]
fn a_router_is_read_wherever_dapr_has_it() {
    let router =
        TaskRouter { source_app_id: "a".to_owned(), target_app_id: Some("b".to_owned()), ..Default::default() };
    let beside =
        WorkflowAction { router_or_rewind: Some(router.encode_to_vec()), ..schedule(ScheduleTaskAction::default()) };
    let inside =
        schedule(ScheduleTaskAction { router_or_tags: vec![router.encode_to_vec()], ..ScheduleTaskAction::default() });
    let fields =
        ChildFields { name: "c".to_owned(), router_or_trace: Some(router.encode_to_vec()), ..ChildFields::default() };
    let child = WorkflowAction {
        id: 1,
        action_type: Some(Sent::CreateChildWorkflow(CreateChildWorkflowAction { fields, ..Default::default() })),
        router_or_rewind: None,
    };
    for action in [beside, inside, child] {
        assert_eq!(read_one(Dialect::Dapr, action).unwrap().router, Some(router.clone()));
    }
}

#[test]
fn a_child_is_read_in_both_dialects() {
    let child = |fields, scope, tags| WorkflowAction {
        id: 7,
        action_type: Some(Sent::CreateChildWorkflow(CreateChildWorkflowAction {
            fields: ChildFields { name: "c".to_owned(), ..fields },
            history_propagation_scope: scope,
            tags,
        })),
        router_or_rewind: None,
    };
    let read = read_one(Dialect::Dapr, child(ChildFields::default(), Some(2), vec![])).unwrap();
    let Some(ActionType::CreateChildWorkflow(dapr)) = read.action_type else { panic!("the action is lost") };
    assert_eq!(dapr.history_propagation_scope, Some(2));

    let trace = TraceContext { trace_parent: "00-1-2-3".to_owned(), ..TraceContext::default() };
    let fields = ChildFields { router_or_trace: Some(trace.encode_to_vec()), ..ChildFields::default() };
    let tags = vec![vec![0x0a, 1, b'k', 0x12, 1, b'v']];
    let read = read_one(Dialect::Microsoft, child(fields, None, tags)).unwrap();
    let Some(ActionType::CreateChildWorkflow(microsoft)) = read.action_type else { panic!("the action is lost") };
    assert_eq!(microsoft.tags.get("k").map(String::as_str), Some("v"));
    assert_eq!(microsoft.parent_trace_context, Some(trace));
}

#[test]
fn the_version_is_daprs_and_the_span_is_microsofts() {
    let version = WorkflowVersion { patches: vec!["p".to_owned()], name: Some("v2".to_owned()) };
    let dapr = WorkflowResponse { version_or_trace: Some(version.encode_to_vec()), ..response(vec![]) };
    assert_eq!(tells(&dapr), Some(Dialect::Dapr));
    assert_eq!(read_answer(Dialect::Dapr, dapr.clone(), LIMIT).unwrap().version, Some(version));
    assert_eq!(read_answer(Dialect::Microsoft, dapr, LIMIT).unwrap().version, None);

    let microsoft = WorkflowResponse { version_or_trace: Some(span()), ..response(vec![]) };
    assert_eq!(tells(&microsoft), Some(Dialect::Microsoft));
    assert_eq!(read_answer(Dialect::Neutral, microsoft.clone(), LIMIT).unwrap().version, None);
    assert!(matches!(read_answer(Dialect::Dapr, microsoft, LIMIT), Err(RefusedAnswer::Unreadable { .. })));

    for nothing in [None, Some(vec![]), Some(vec![0x12, 0])] {
        assert_eq!(tells(&WorkflowResponse { version_or_trace: nothing, ..response(vec![]) }), None);
    }
}

#[test]
fn an_answer_that_makes_no_sense_is_refused() {
    let bare = |kind| WorkflowAction { id: 4, action_type: kind, router_or_rewind: None };
    let end = |status| {
        bare(Some(Sent::CompleteWorkflow(CompleteWorkflowAction { workflow_status: status, ..Default::default() })))
    };
    let rewind = WorkflowAction { router_or_rewind: Some(vec![]), ..bare(None) };
    let nonsense = Timestamp { seconds: 0, nanos: i32::MAX };
    let no_name = "name of an activity";
    let table = [
        (bare(None), RefusedAnswer::UnknownKind { id: 4 }),
        (bare(Some(Sent::SendEntityMessage(vec![]))), RefusedAnswer::Entity { id: 4 }),
        (rewind, RefusedAnswer::Rewind { id: 4 }),
        (bare(Some(Sent::ScheduleTask(Default::default()))), RefusedAnswer::Missing { id: 4, what: no_name }),
        (
            bare(Some(Sent::CreateTimer(Default::default()))),
            RefusedAnswer::Missing { id: 4, what: "time at which it fires" },
        ),
        (
            bare(Some(Sent::CreateTimer(CreateTimerAction { fire_at: Some(nonsense), ..Default::default() }))),
            RefusedAnswer::NoMoment { id: 4, source: read_time(nonsense).unwrap_err() },
        ),
        (end(0), RefusedAnswer::NoEnd { id: 4, status: 0 }),
        (end(4), RefusedAnswer::NoEnd { id: 4, status: 4 }),
        (end(99), RefusedAnswer::NoEnd { id: 4, status: 99 }),
    ];
    for (action, refused) in table {
        assert_eq!(read_one(Dialect::Microsoft, action), Err(refused));
    }
    for status in [1, 2, 3, 5] {
        assert!(read_one(Dialect::Microsoft, end(status)).is_ok(), "{status}");
    }
    let twice = response(vec![end(1), end(1)]);
    assert_eq!(read_answer(Dialect::Dapr, twice.clone(), LIMIT), Err(RefusedAnswer::DuplicateId { id: 4 }));
    assert_eq!(read_answer(Dialect::Dapr, twice, 1), Err(RefusedAnswer::TooManyActions { count: 2, limit: 1 }));
}

#[test]
fn a_custom_status_that_is_empty_changes_nothing() {
    for (sent, read) in [(None, None), (Some(""), None), (Some("\"half\""), Some("\"half\""))] {
        let response = WorkflowResponse { custom_status: sent.map(text), ..response(vec![]) };
        assert_eq!(read_answer(Dialect::Dapr, response, LIMIT).unwrap().custom_status.as_deref(), read);
    }
}

#[test]
fn what_is_wrong_is_told_in_words() {
    let refused = RefusedAnswer::NoEnd { id: 4, status: 6 };
    assert_eq!(
        refused.to_string(),
        "action 4 ends the workflow as pending, which is no end; \
         there are completed, failed, terminated and continued as new"
    );
}
