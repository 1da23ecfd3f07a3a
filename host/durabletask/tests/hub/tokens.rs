//! Who may answer what.

use everturn_durabletask::protocol::{
    AbandonActivityTaskRequest, AbandonOrchestrationTaskRequest, ActivityResponse, WorkflowResponse,
};
use everturn_history::history_event::EventType;
use everturn_history::{OrchestrationStatus, text};
use tonic::Code;

use crate::house::House;
use crate::worker::{Worker, call, completed, dapr, response, result_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_none_is_refused() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let client = &mut worker.client;
    for token in ["x", "00", &"g".repeat(32), &"0".repeat(33)] {
        let completion_token = token.to_owned();
        let answer = WorkflowResponse { completion_token: completion_token.clone(), ..response(&turn, vec![]) };
        assert_eq!(client.complete_orchestrator_task(answer).await.unwrap_err().code(), Code::InvalidArgument);
        let answer = ActivityResponse { completion_token: completion_token.clone(), ..ActivityResponse::default() };
        assert_eq!(client.complete_activity_task(answer).await.unwrap_err().code(), Code::InvalidArgument);
        let request = AbandonOrchestrationTaskRequest { completion_token: completion_token.clone() };
        let refused = client.abandon_task_orchestrator_work_item(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        let request = AbandonActivityTaskRequest { completion_token };
        let refused = client.abandon_task_activity_work_item(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_nobody_waits_for_has_no_effect() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let guessed =
        WorkflowResponse { completion_token: "0".repeat(32), ..response(&turn, vec![completed(1, "stolen")]) };
    worker.client.complete_orchestrator_task(guessed).await.unwrap();
    assert_eq!(house.status("i").await, Some(OrchestrationStatus::Pending));
    worker.answer(&turn, vec![completed(1, "mine")]).await.unwrap();
    worker.answer(&turn, vec![completed(1, "twice")]).await.unwrap();
    assert_eq!(house.end_of("i").await.output, Some(text("mine")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_good_for_its_own_work_only() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![call(1, "x"), call(2, "x")]).await.unwrap();
    let (first, second) = (worker.activity().await, worker.activity().await);
    house.start("j", "1").await;
    let other = worker.turn().await;

    let client = &mut worker.client;
    let swapped = ActivityResponse { completion_token: second.token.clone(), ..result_of(&first, "y") };
    assert_eq!(client.complete_activity_task(swapped).await.unwrap_err().code(), Code::InvalidArgument);
    let strange = WorkflowResponse { instance_id: "i".to_owned(), ..response(&other, vec![]) };
    assert_eq!(client.complete_orchestrator_task(strange).await.unwrap_err().code(), Code::InvalidArgument);
    let crossed = WorkflowResponse { completion_token: first.token.clone(), ..response(&other, vec![]) };
    assert_eq!(client.complete_orchestrator_task(crossed).await.unwrap_err().code(), Code::InvalidArgument);
    // A turn is not given back with the token of an activity.
    let request = AbandonOrchestrationTaskRequest { completion_token: first.token.clone() };
    client.abandon_task_orchestrator_work_item(request).await.unwrap();
    let request = AbandonActivityTaskRequest { completion_token: other.token.clone() };
    client.abandon_task_activity_work_item(request).await.unwrap();
    for activity in [&first, &second] {
        worker.done(activity, "y").await.unwrap();
    }
    worker.answer(&other, vec![completed(1, "2")]).await.unwrap();
    house.end_of("j").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_only_the_connection_that_has_the_work_may_answer() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    let mut stranger = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    // Either of them may have it.
    let turn = tokio::select! {
        turn = worker.turn() => turn,
        turn = stranger.turn() => {
            std::mem::swap(&mut worker, &mut stranger);
            turn
        }
    };
    let bare = |result: &str| WorkflowResponse {
        completion_token: String::new(),
        ..response(&turn, vec![completed(1, result)])
    };
    let refused = stranger.client.complete_orchestrator_task(bare("stolen")).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let refused = house.client().await.complete_orchestrator_task(bare("stolen")).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let missing = WorkflowResponse { instance_id: "missing".to_owned(), ..bare("x") };
    assert_eq!(worker.client.complete_orchestrator_task(missing).await.unwrap_err().code(), Code::NotFound);
    let activity = ActivityResponse { instance_id: "i".to_owned(), task_id: 1, ..ActivityResponse::default() };
    assert_eq!(worker.client.complete_activity_task(activity).await.unwrap_err().code(), Code::PermissionDenied);
    worker.client.complete_orchestrator_task(bare("mine")).await.unwrap();
    assert_eq!(house.end_of("i").await.output, Some(text("mine")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_lost_worker_had_is_done_by_another_and_its_late_answer_is_dropped() {
    let house = House::new().await;
    let mut lost = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = lost.turn().await;
    lost.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let begun = lost.activity().await;
    // Its stream breaks, and it does not notice: it goes on with what it has.
    let Worker { client: mut zombie, items } = lost;
    drop(items);
    let mut other = Worker::connect(&house, dapr()).await;
    let again = other.activity().await;
    assert_eq!((again.request.task_id, again.token == begun.token), (1, false));
    zombie.complete_activity_task(result_of(&begun, "late")).await.unwrap();
    zombie.complete_orchestrator_task(response(&turn, vec![completed(1, "late")])).await.unwrap();
    other.done(&again, "in time").await.unwrap();
    let turn = other.turn().await;
    let answers = turn.request.new_events.iter().filter_map(|event| match &event.event_type {
        Some(EventType::TaskCompleted(done)) => done.result.clone(),
        _ => None,
    });
    let answers: Vec<_> = answers.collect();
    assert_eq!(answers, [text("in time")]);
    other.answer(&turn, vec![completed(2, "done")]).await.unwrap();
    assert_eq!(house.end_of("i").await.output, Some(text("done")));
}
