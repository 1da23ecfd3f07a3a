//! Queries, lists of ids, histories in pieces.

use everturn_durabletask::Limits;
use everturn_durabletask::protocol::{
    GetInstanceHistoryRequest, InstanceQuery, ListInstanceIDsRequest, ListInstanceIdsRequest, QueryInstancesRequest,
    StreamInstanceHistoryRequest,
};
use everturn_history::{HistoryEvent, OrchestrationStatus, Timestamp, text};
use tonic::Code;

use crate::house::{Client, House};
use crate::worker::{Worker, call, dapr};

async fn query(client: &mut Client, query: InstanceQuery) -> (Vec<String>, Option<String>) {
    let request = QueryInstancesRequest { query: Some(query) };
    let response = client.query_instances(request).await.unwrap().into_inner();
    let ids = response.orchestration_state.into_iter().map(|state| state.instance_id).collect();
    (ids, response.continuation_token.map(|token| token.value))
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_are_found_by_what_they_are() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("a-1", "1").await;
    worker.end("2").await;
    house.end_of("a-1").await;
    drop(worker);
    house.start("a-2", "1").await;
    house.start("b-1", "1").await;
    let mut client = house.client().await;

    let all = InstanceQuery::default();
    assert_eq!(query(&mut client, all.clone()).await.0, ["b-1", "a-2", "a-1"]);
    let prefixed = InstanceQuery { instance_id_prefix: Some(text("a-")), ..all.clone() };
    assert_eq!(query(&mut client, prefixed).await.0, ["a-2", "a-1"]);
    let completed = InstanceQuery { runtime_status: vec![OrchestrationStatus::Completed.into()], ..all.clone() };
    assert_eq!(query(&mut client, completed).await.0, ["a-1"]);
    let cancelled = InstanceQuery { runtime_status: vec![OrchestrationStatus::Canceled.into()], ..all.clone() };
    assert!(query(&mut client, cancelled).await.0.is_empty());
    let future = Timestamp { seconds: 4_000_000_000, nanos: 0 };
    assert!(query(&mut client, InstanceQuery { created_time_from: Some(future), ..all.clone() }).await.0.is_empty());

    let (first, next) = query(&mut client, InstanceQuery { max_instance_count: 2, ..all.clone() }).await;
    assert_eq!(first, ["b-1", "a-2"]);
    let rest = InstanceQuery { max_instance_count: 2, continuation_token: next.map(text), ..all };
    assert_eq!(query(&mut client, rest).await, (vec!["a-1".to_owned()], None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_ends_before_it_is_too_large_for_a_message() {
    let house = House::with_limits(Limits { outbound_message: 10_000, ..Limits::default() }).await;
    for id in ["a", "b", "c"] {
        house.start(id, &"x".repeat(6_000)).await;
    }
    let mut client = house.client().await;
    let (mut seen, mut token) = (Vec::new(), None::<String>);
    loop {
        let page = InstanceQuery {
            fetch_inputs_and_outputs: true,
            continuation_token: token.map(text),
            ..InstanceQuery::default()
        };
        let (ids, next) = query(&mut client, page).await;
        assert_eq!(ids.len(), 1);
        seen.extend(ids);
        token = next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["c", "b", "a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_lists_of_ids_have_pages() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    for id in ["a", "b", "c"] {
        house.start(id, "1").await;
        worker.end("2").await;
        house.end_of(id).await;
    }
    drop(worker);
    house.start("open", "1").await;
    let mut client = house.client().await;

    let request = ListInstanceIDsRequest { page_size: Some(3), continuation_token: None };
    let first = client.list_instance_i_ds(request).await.unwrap().into_inner();
    assert_eq!(first.instance_ids, ["open", "c", "b"]);
    let request = ListInstanceIDsRequest { page_size: Some(3), continuation_token: first.continuation_token };
    let rest = client.list_instance_i_ds(request).await.unwrap().into_inner();
    assert_eq!((rest.instance_ids, rest.continuation_token), (vec!["a".to_owned()], None));

    let request = ListInstanceIdsRequest { page_size: 2, ..ListInstanceIdsRequest::default() };
    let first = client.list_instance_ids(request).await.unwrap().into_inner();
    assert_eq!(first.instance_ids, ["c", "b"]);
    let request = ListInstanceIdsRequest { last_instance_key: first.last_instance_key, ..Default::default() };
    let rest = client.list_instance_ids(request).await.unwrap().into_inner();
    assert_eq!((rest.instance_ids, rest.last_instance_key), (vec!["a".to_owned()], None));

    let future = Timestamp { seconds: 4_000_000_000, nanos: 0 };
    let request = ListInstanceIdsRequest { completed_time_from: Some(future), ..Default::default() };
    assert!(client.list_instance_ids(request).await.unwrap().into_inner().instance_ids.is_empty());
    let request = ListInstanceIdsRequest {
        runtime_status: vec![OrchestrationStatus::Running.into()],
        ..ListInstanceIdsRequest::default()
    };
    assert!(client.list_instance_ids(request).await.unwrap().into_inner().instance_ids.is_empty());

    let wrong = ListInstanceIDsRequest { page_size: None, continuation_token: Some("x".to_owned()) };
    assert_eq!(client.list_instance_i_ds(wrong).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_comes_whole_or_in_pieces() {
    let house = House::with_limits(Limits { outbound_message: 5_000, history_chunk: 1_000, ..Limits::default() }).await;
    let mut client = house.client().await;
    let request = |id: &str| GetInstanceHistoryRequest { instance_id: id.to_owned() };
    let in_pieces = |run: Option<&str>| StreamInstanceHistoryRequest {
        instance_id: "i".to_owned(),
        execution_id: run.map(text),
        for_work_item_processing: false,
    };
    assert_eq!(client.get_instance_history(request("i")).await.unwrap_err().code(), Code::NotFound);
    assert_eq!(client.stream_instance_history(in_pieces(None)).await.unwrap_err().code(), Code::NotFound);

    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, (1..=3).map(|id| call(id, &"x".repeat(700))).collect()).await.unwrap();
    worker.activity().await;
    let whole = client.get_instance_history(request("i")).await.unwrap().into_inner().events;

    let run = turn.request.execution_id.unwrap().value;
    let mut pieces = client.stream_instance_history(in_pieces(Some(&run))).await.unwrap().into_inner();
    let (mut count, mut events) = (0, Vec::<HistoryEvent>::new());
    while let Some(piece) = pieces.message().await.unwrap() {
        count += 1;
        events.extend(piece.events);
    }
    assert_eq!((count, events), (3, whole));
    let refused = client.stream_instance_history(in_pieces(Some("other"))).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);

    house.start("long", "1").await;
    let turn = worker.turn_of("long").await;
    worker.answer(&turn, (1..=9).map(|id| call(id, &"x".repeat(700))).collect()).await.unwrap();
    assert_eq!(client.get_instance_history(request("long")).await.unwrap_err().code(), Code::ResourceExhausted);
}
