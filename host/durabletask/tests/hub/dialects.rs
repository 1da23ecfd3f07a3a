//! Workers of both dialects, on the same work.

use std::time::Duration;

use everturn_durabletask::protocol::work_item::Request;
use everturn_durabletask::protocol::{
    ActivityFilter, GetWorkItemsRequest, OrchestrationFilter, WorkItemFilters, WorkflowAction, WorkflowResponse,
};
use everturn_durabletask::protocol::{ScheduleTaskAction, workflow_action::ActionType};
use everturn_durabletask::{Dialect, GrpcOptions, Limits};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, Timestamp, text};
use pbjson_types::Int32Value;
use prost::Message as _;
use tonic::Code;

use crate::house::{House, start};
use crate::worker::{Worker, call, completed, counting, dapr, response};

const UUID: &str = "0b9d8f3e-6a55-4a39-9d0c-3e6ef3ad1f10";

/// A call as Dapr's Python workers send it.
fn dapr_call(id: i32) -> WorkflowAction {
    let WorkflowAction { action_type: Some(ActionType::ScheduleTask(task)), .. } = call(id, "x") else {
        panic!("a call schedules a task")
    };
    let task = ScheduleTaskAction { task_execution_id_or_trace: Some(UUID.as_bytes().to_vec()), ..task };
    WorkflowAction { id, action_type: Some(ActionType::ScheduleTask(task)), router_or_rewind: Some(vec![]) }
}

/// What Microsoft's Python worker sends with every answer.
fn span() -> Option<Vec<u8>> {
    let moment = Timestamp { seconds: 1_763_400_000, nanos: 1 }.encode_to_vec();
    let mut bytes = vec![0x12, u8::try_from(moment.len()).unwrap()];
    bytes.extend(moment);
    Some(bytes)
}

fn execution_ids(events: &[HistoryEvent]) -> Vec<String> {
    let id = |event: &HistoryEvent| match &event.event_type {
        Some(EventType::TaskScheduled(task)) => Some(task.task_execution_id.clone()),
        _ => None,
    };
    events.iter().filter_map(id).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn daprs_worker_finds_its_execution_id_again() {
    let house = House::new().await;
    // Version 1.18 and JavaScript's say nothing of themselves.
    let mut worker = Worker::connect(&house, GetWorkItemsRequest::default()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![dapr_call(1)]).await.unwrap();
    let activity = worker.activity().await;
    assert_eq!(activity.request.task_execution_id_or_tags, [UUID.as_bytes()]);
    worker.done(&activity, "y").await.unwrap();
    let turn = worker.turn().await;
    assert!(turn.request.cached_history.is_none(), "it does not keep histories");
    assert_eq!(execution_ids(&turn.request.past_events), [UUID]);
}

#[tokio::test(flavor = "multi_thread")]
async fn microsofts_worker_never_sees_it() {
    let house = House::new().await;
    let mut first = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = first.turn().await;
    first.answer(&turn, vec![dapr_call(1)]).await.unwrap();
    let activity = first.activity().await;
    first.done(&activity, "y").await.unwrap();
    first.turn().await;
    drop(first);

    let request = GetWorkItemsRequest { worker_instance_id: Some("w".to_owned()), ..counting() };
    let mut second = Worker::connect(&house, request).await;
    let turn = second.turn().await;
    assert_eq!(execution_ids(&turn.request.past_events), [""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_counts_is_known_by_its_first_answer() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, counting()).await;
    house.start("of-dapr", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![dapr_call(1)]).await.unwrap();
    let activity = worker.activity().await;
    assert_eq!(activity.request.task_execution_id_or_tags, [UUID.as_bytes()]);
    drop(worker);

    let mut worker = Worker::connect(&house, counting()).await;
    let activity = worker.activity().await;
    assert!(activity.request.task_execution_id_or_tags.is_empty(), "it may be Microsoft's");
    worker.done(&activity, "y").await.unwrap();
    let turn = worker.turn().await;
    assert_eq!(execution_ids(&turn.request.past_events), [""]);
    let tag = vec![0x0a, 1, b'k', 0x12, 1, b'v'];
    let tagged = ScheduleTaskAction { name: "a".to_owned(), router_or_tags: vec![tag.clone()], ..Default::default() };
    let action = WorkflowAction { id: 2, action_type: Some(ActionType::ScheduleTask(tagged)), router_or_rewind: None };
    let answer = WorkflowResponse { version_or_trace: span(), ..response(&turn, vec![action]) };
    worker.client.complete_orchestrator_task(answer).await.unwrap();
    assert_eq!(worker.activity().await.request.task_execution_id_or_tags, [tag]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_with_filters_gets_what_it_named() {
    let house = House::microsoft().await;
    let filters = WorkItemFilters {
        orchestrations: vec![OrchestrationFilter { name: "v".to_owned(), versions: vec![] }],
        activities: vec![ActivityFilter { name: "b".to_owned(), versions: vec![] }],
    };
    let mut named = Worker::connect(
        &house,
        GetWorkItemsRequest { work_item_filters: Some(filters), ..GetWorkItemsRequest::default() },
    )
    .await;
    house.start("other", "1").await;
    let mut request = start("wanted", "1");
    request.fields.name = "v".to_owned();
    house.client().await.start_instance(request).await.unwrap();
    assert_eq!(named.turn().await.request.instance_id, "wanted");
    let mut any = Worker::connect(&house, GetWorkItemsRequest::default()).await;
    assert_eq!(any.turn().await.request.instance_id, "other");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_work_gets_the_ping_of_its_dialect() {
    let limits = Limits { ping_interval: Duration::from_millis(1), ..Limits::default() };
    let house = House::with_limits(limits.clone()).await;
    let item = Worker::connect(&house, dapr()).await.next().await;
    assert!(matches!(item.request, Some(Request::DaprHealthPing(_))), "{item:?}");
    let house = House::with(GrpcOptions { dialect: Dialect::Microsoft, token: None, limits }).await;
    let item = Worker::connect(&house, counting()).await.next().await;
    assert!(matches!(item.request, Some(Request::MicrosoftHealthPing(_))), "{item:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_pieces_counts_when_it_is_whole() {
    let house = House::microsoft().await;
    let mut worker = Worker::connect(&house, GetWorkItemsRequest::default()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let piece = |index: i32, is_partial, actions| WorkflowResponse {
        is_partial,
        chunk_index: Some(Int32Value { value: index }),
        ..response(&turn, actions)
    };
    let client = &mut worker.client;
    client.complete_orchestrator_task(piece(0, true, vec![call(1, "x")])).await.unwrap();
    let refused = client.complete_orchestrator_task(piece(5, false, vec![])).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    client.complete_orchestrator_task(piece(0, true, vec![call(1, "x")])).await.unwrap();
    client.complete_orchestrator_task(piece(1, false, vec![call(2, "y")])).await.unwrap();
    let tasks = [worker.activity().await.request.task_id, worker.activity().await.request.task_id];
    assert_eq!(tasks, [1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_lacks_the_past_gets_the_turn_again() {
    let house = House::microsoft().await;
    let mut worker = Worker::connect(&house, GetWorkItemsRequest::default()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let lacking = WorkflowResponse { requires_history: true, ..response(&turn, vec![]) };
    worker.client.complete_orchestrator_task(lacking).await.unwrap();
    let turn = worker.turn().await;
    worker.answer(&turn, vec![completed(1, "2")]).await.unwrap();
    assert_eq!(house.end_of("i").await.output, Some(text("2")));
}
