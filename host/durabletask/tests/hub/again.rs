//! Reruns, restarts and rewinds.

use everturn_durabletask::protocol::{RerunWorkflowFromEventRequest, RestartInstanceRequest, RewindInstanceRequest};
use everturn_history::{OrchestrationStatus, text};
use tonic::Code;

use crate::house::House;
use crate::worker::{Worker, call, completed, dapr, failed, kinds};

fn rerun(id: &str, event: u32) -> RerunWorkflowFromEventRequest {
    RerunWorkflowFromEventRequest {
        source_instance_id: id.to_owned(),
        event_id: event,
        new_instance_id: Some("again".to_owned()),
        input: Some(text("other")),
        overwrite_input: true,
        ..RerunWorkflowFromEventRequest::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_runs_again_from_an_activity() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let activity = worker.activity().await;
    worker.done(&activity, "y").await.unwrap();
    worker.end("z").await;
    house.end_of("i").await;

    let mut client = house.client().await;
    let response = client.rerun_workflow_from_event(rerun("i", 1)).await.unwrap().into_inner();
    assert_eq!(response.new_instance_id, "again");
    let activity = worker.activity().await;
    assert_eq!(activity.request.input, Some(text("other")));
    worker.done(&activity, "w").await.unwrap();
    worker.end("v").await;
    assert_eq!(house.end_of("again").await.output, Some(text("v")));

    for (id, event, code) in [("missing", 1, Code::NotFound), ("i", u32::MAX, Code::InvalidArgument)] {
        assert_eq!(client.rerun_workflow_from_event(rerun(id, event)).await.unwrap_err().code(), code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_has_ended_starts_once_more() {
    let house = House::microsoft().await;
    let mut client = house.client().await;
    let restart =
        |id: &str, new: bool| RestartInstanceRequest { instance_id: id.to_owned(), restart_with_new_instance_id: new };
    house.start("i", "1").await;
    assert_eq!(client.restart_instance(restart("i", false)).await.unwrap_err().code(), Code::FailedPrecondition);
    assert_eq!(client.restart_instance(restart("j", false)).await.unwrap_err().code(), Code::NotFound);
    let mut worker = Worker::connect(&house, dapr()).await;
    worker.end("2").await;
    house.end_of("i").await;

    assert_eq!(client.restart_instance(restart("i", false)).await.unwrap().into_inner().instance_id, "i");
    worker.end("3").await;
    assert_eq!(house.end_of("i").await.output, Some(text("3")));
    let other = client.restart_instance(restart("i", true)).await.unwrap().into_inner().instance_id;
    assert_ne!(other, "i");
    worker.end("4").await;
    assert_eq!(house.end_of(&other).await.input, Some(text("1")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_failed_tries_again_what_failed() {
    let house = House::new().await;
    let mut client = house.client().await;
    let rewind = |id: &str| RewindInstanceRequest { instance_id: id.to_owned(), reason: None };
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let activity = worker.activity().await;
    assert_eq!(client.rewind_instance(rewind("i")).await.unwrap_err().code(), Code::FailedPrecondition);
    worker.fail(&activity, "it broke").await.unwrap();
    let turn = worker.turn().await;
    worker.answer(&turn, vec![failed(2, "it broke")]).await.unwrap();
    assert_eq!(house.end_of("i").await.workflow_status(), OrchestrationStatus::Failed);

    client.rewind_instance(rewind("i")).await.unwrap();
    let turn = worker.turn().await;
    assert_eq!(kinds(&turn.request.past_events), [14, 3, 14], "what failed is forgotten, and so is its failure");
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let activity = worker.activity().await;
    worker.done(&activity, "y").await.unwrap();
    let turn = worker.turn().await;
    worker.answer(&turn, vec![completed(2, "z")]).await.unwrap();
    assert_eq!(house.end_of("i").await.workflow_status(), OrchestrationStatus::Completed);
    assert_eq!(client.rewind_instance(rewind("missing")).await.unwrap_err().code(), Code::NotFound);
}
