//! Events, ends, pauses, and instances that are not there or have ended.

use std::time::Duration;

use everturn_durabletask::Limits;
use everturn_durabletask::protocol::{
    CreateTaskHubRequest, DeleteTaskHubRequest, InstanceBatch, RaiseEventRequest, ResumeRequest,
    SkipGracefulOrchestrationTerminationsRequest, SuspendRequest, TerminateRequest,
};
use everturn_history::{OrchestrationStatus, text};
use tonic::{Code, Status};

use crate::house::{Client, House, look};
use crate::worker::{Worker, dapr, kinds, long_timer};

fn event(id: &str) -> RaiseEventRequest {
    RaiseEventRequest { instance_id: id.to_owned(), name: "go".to_owned(), input: Some(text("1")), router: None }
}

fn terminate(id: &str) -> TerminateRequest {
    TerminateRequest { instance_id: id.to_owned(), output: Some(text("why")), ..TerminateRequest::default() }
}

fn suspend(id: &str) -> SuspendRequest {
    SuspendRequest { instance_id: id.to_owned(), ..SuspendRequest::default() }
}

fn resume(id: &str) -> ResumeRequest {
    ResumeRequest { instance_id: id.to_owned(), ..ResumeRequest::default() }
}

/// The codes of telling an instance everything there is.
async fn tell_everything(client: &mut Client, id: &str) -> [Code; 4] {
    let code = |result: Result<(), Status>| result.map_or_else(|status| status.code(), |()| Code::Ok);
    [
        code(client.raise_event(event(id)).await.map(drop)),
        code(client.suspend_instance(suspend(id)).await.map(drop)),
        code(client.resume_instance(resume(id)).await.map(drop)),
        code(client.terminate_instance(terminate(id)).await.map(drop)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_told_has_had_its_effect_when_the_call_returns() {
    let house = House::with_limits(Limits { effect_time: Duration::from_secs(3_600), ..Limits::default() }).await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;

    // Nothing reaches an instance while a worker has its turn.
    let mut client = house.client().await;
    let suspending = tokio::spawn(async move {
        client.suspend_instance(suspend("i")).await.unwrap();
        client.get_instance(look("i")).await.unwrap().into_inner().workflow_state.unwrap().workflow_status()
    });
    while house.runtime.instance(&"i".into()).await.unwrap().open.messages < 2 {}
    worker.answer(&turn, vec![long_timer(1)]).await.unwrap();
    assert_eq!(suspending.await.unwrap(), OrchestrationStatus::Suspended);

    let mut client = house.client().await;
    client.terminate_instance(terminate("i")).await.unwrap();
    let state = house.state("i").await.unwrap();
    assert_eq!((state.workflow_status(), state.output), (OrchestrationStatus::Terminated, Some(text("why"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_reaches_its_workflow() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![long_timer(1)]).await.unwrap();
    house.client().await.raise_event(event("i")).await.unwrap();
    assert_eq!(kinds(&worker.turn().await.request.new_events), [14, 17]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_has_ended_takes_everything_and_one_that_is_not_there_nothing() {
    let house = House::new().await;
    let mut client = house.client().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    worker.end("2").await;
    house.end_of("i").await;

    assert_eq!(tell_everything(&mut client, "i").await, [Code::Ok; 4]);
    assert_eq!(house.status("i").await, Some(OrchestrationStatus::Completed));
    assert_eq!(tell_everything(&mut client, "j").await, [Code::NotFound; 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_are_terminated_and_the_rest_is_named() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("ended", "1").await;
    worker.end("2").await;
    house.end_of("ended").await;
    // A turn that a worker has comes first.
    drop(worker);
    house.start("open", "1").await;

    let ids = ["open", "ended", "missing"].map(str::to_owned);
    let request = SkipGracefulOrchestrationTerminationsRequest {
        instance_batch: Some(InstanceBatch { instance_ids: ids.to_vec() }),
        reason: Some(text("enough")),
    };
    let response = house.client().await.skip_graceful_orchestration_terminations(request).await.unwrap();
    assert_eq!(response.into_inner().unterminated_instance_ids, ["ended", "missing"]);
    assert_eq!(house.end_of("open").await.workflow_status(), OrchestrationStatus::Terminated);
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_one_hub_and_it_stays() {
    let house = House::new().await;
    let mut client = house.client().await;
    client.create_task_hub(CreateTaskHubRequest::default()).await.unwrap();
    let refused = client.delete_task_hub(DeleteTaskHubRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("remove its data directory"), "{refused}");
}
