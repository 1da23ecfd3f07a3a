//! Looking at instances, and waiting for them.

use std::time::Duration;

use everturn_durabletask::Limits;
use everturn_durabletask::protocol::GetInstanceRequest;
use everturn_history::OrchestrationStatus;
use tonic::{Code, Request};

use crate::house::{House, look, until};
use crate::worker::{Worker, dapr, failed};

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_not_there_is_no_error() {
    let house = House::new().await;
    let mut client = house.client().await;
    assert!(!client.get_instance(look("i")).await.unwrap().into_inner().exists);
    assert!(!client.wait_for_instance_start(look("i")).await.unwrap().into_inner().exists);
    assert!(!client.wait_for_instance_completion(look("i")).await.unwrap().into_inner().exists);
}

#[tokio::test(flavor = "multi_thread")]
async fn payloads_are_left_out_unless_they_are_asked_for() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![failed(1, "it broke")]).await.unwrap();
    let whole = house.end_of("i").await;
    assert!(whole.input.is_some() && whole.failure_details.is_some());
    assert_eq!(whole.workflow_status(), OrchestrationStatus::Failed);

    let request = GetInstanceRequest { get_inputs_and_outputs: false, ..look("i") };
    let state = house.client().await.get_instance(request).await.unwrap().into_inner().workflow_state.unwrap();
    assert_eq!((state.input, state.output, state.failure_details), (None, None, None));
    assert!(state.created_timestamp.is_some() && state.last_updated_timestamp.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_is_told_when_it_happens() {
    let house = House::new().await;
    house.start("i", "1").await;
    let mut client = house.client().await;
    let waiting = tokio::spawn(async move { client.wait_for_instance_completion(look("i")).await });
    until(|| house.usage.waiting() == 1).await;
    Worker::connect(&house, dapr()).await.end("2").await;
    let ended = waiting.await.unwrap().unwrap().into_inner();
    assert_eq!(ended.workflow_state.unwrap().workflow_status(), OrchestrationStatus::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_with_its_client_or_its_deadline() {
    let house = House::new().await;
    house.start("i", "1").await;
    let mut client = house.client().await;
    let waiting = tokio::spawn(async move { client.wait_for_instance_completion(look("i")).await });
    until(|| house.usage.waiting() == 1).await;
    waiting.abort();
    until(|| house.usage.waiting() == 0).await;

    let mut request = Request::new(look("i"));
    request.set_timeout(Duration::from_millis(1));
    let code = house.client().await.wait_for_instance_completion(request).await.unwrap_err().code();
    // Both sides know the deadline, and either may be first.
    assert!(matches!(code, Code::DeadlineExceeded | Code::Cancelled), "{code}");
    until(|| house.usage.waiting() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_wait() {
    let house = House::with_limits(Limits { waiting: 1, ..Limits::default() }).await;
    house.start("i", "1").await;
    let mut client = house.client().await;
    let waiting = tokio::spawn(async move { client.wait_for_instance_start(look("i")).await });
    until(|| house.usage.waiting() == 1).await;
    let refused = house.client().await.wait_for_instance_start(look("i")).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    waiting.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_ends_when_the_host_stops() {
    let mut house = House::new().await;
    house.start("i", "1").await;
    let mut client = house.client().await;
    let waiting = tokio::spawn(async move { client.wait_for_instance_start(look("i")).await });
    until(|| house.usage.waiting() == 1).await;
    house.stop().await;
    assert_eq!(waiting.await.unwrap().unwrap_err().code(), Code::Unavailable);
}
