//! Work that is too large to be sent, and workers that are too many.

use std::time::Duration;

use everturn_durabletask::protocol::workflow_action::ActionType;
use everturn_durabletask::protocol::{GetWorkItemsRequest, StreamInstanceHistoryRequest};
use everturn_durabletask::{Dialect, GrpcOptions, Limits};
use everturn_history::history_event::EventType;
use everturn_history::{HistoryPropagationScope, OrchestrationStatus};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tonic::Code;

use crate::house::{House, look, until};
use crate::worker::{Worker, call, completed, dapr};

fn small() -> Limits {
    Limits { outbound_message: 2_000, ..Limits::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_fits_no_message_holds_its_instance() {
    let house = House::with_limits(small()).await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("large", &"x".repeat(3_000)).await;
    let mut client = house.client().await;
    // Stalled is as good as begun to those who wait for that.
    client.wait_for_instance_start(look("large")).await.unwrap();
    assert_eq!(house.status("large").await, Some(OrchestrationStatus::Stalled));
    house.start("small", "1").await;
    assert_eq!(worker.turn().await.request.instance_id, "small");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_activity_that_fits_no_message_fails() {
    let house = House::with_limits(small()).await;
    let mut worker =
        Worker::connect(&house, GetWorkItemsRequest { dapr_capabilities: vec![2], ..Default::default() }).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    // With what it is told of the past, it has its input twice.
    let mut action = call(1, &"x".repeat(1_000));
    if let Some(ActionType::ScheduleTask(task)) = &mut action.action_type {
        task.history_propagation_scope = Some(HistoryPropagationScope::OwnHistory.into());
    }
    worker.answer(&turn, vec![action]).await.unwrap();
    let turn = worker.turn().await;
    let failed = turn.request.new_events.iter().find_map(|event| match &event.event_type {
        Some(EventType::TaskFailed(failed)) => failed.failure_details.clone(),
        _ => None,
    });
    let failure = failed.unwrap();
    assert_eq!((failure.error_type.as_str(), failure.is_non_retriable), ("PayloadSizeExceeded", true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_streams_histories_gets_a_long_one_that_way() {
    let house = House::with(GrpcOptions { dialect: Dialect::Microsoft, token: None, limits: small() }).await;
    let request = GetWorkItemsRequest { microsoft_capabilities: vec![1], ..GetWorkItemsRequest::default() };
    let mut worker = Worker::connect(&house, request).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, (1..=3).map(|id| call(id, &"x".repeat(900))).collect()).await.unwrap();
    let activity = worker.activity().await;
    worker.done(&activity, "y").await.unwrap();
    let turn = worker.turn_of("i").await;
    assert!(turn.request.requires_history_streaming && turn.request.past_events.is_empty());
    let request = StreamInstanceHistoryRequest {
        instance_id: "i".to_owned(),
        execution_id: turn.request.execution_id.clone(),
        for_work_item_processing: true,
    };
    let mut pieces = worker.client.stream_instance_history(request).await.unwrap().into_inner();
    let mut count = 0;
    while let Some(piece) = pieces.message().await.unwrap() {
        count += piece.events.len();
    }
    assert_eq!(count, 5);
    worker.answer(&turn, vec![completed(9, "z")]).await.unwrap();
    house.end_of("i").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_workers_are_connected() {
    let house = House::with_limits(Limits { streams: 1, ..Limits::default() }).await;
    let worker = Worker::connect(&house, dapr()).await;
    let refused = house.client().await.get_work_items(dapr()).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    drop(worker);
    until(|| house.usage.streams() == 0).await;
    Worker::connect(&house, dapr()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_has_no_more_than_it_takes() {
    let house = House::new().await;
    let request = GetWorkItemsRequest { max_concurrent_orchestration_work_items: Some(1), ..dapr() };
    let mut small = Worker::connect(&house, request).await;
    house.start("i", "1").await;
    let first = small.turn().await;
    house.start("j", "1").await;
    let mut large = Worker::connect(&house, dapr()).await;
    let second = tokio::select! {
        second = large.turn() => second,
        item = small.next() => panic!("{item:?} is more than it takes"),
    };
    assert_eq!((first.request.instance_id.as_str(), second.request.instance_id.as_str()), ("i", "j"));
    small.answer(&first, vec![completed(1, "2")]).await.unwrap();
    house.end_of("i").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_does_not_finish_its_greeting_does_not_keep_others_out() {
    let limits = Limits { connections: 1, greeting_time: Duration::from_millis(50), ..Limits::default() };
    let house = House::with_limits(limits).await;
    let mut silent = TcpStream::connect(house.address).await.unwrap();
    silent.write_all(b"PRI * HTTP").await.unwrap();
    let mut other = house.client().await;
    let greeted = tokio::time::timeout(Duration::from_secs(60), other.hello(pbjson_types::Empty {})).await;
    greeted.expect("the only place stays taken").unwrap();
}
