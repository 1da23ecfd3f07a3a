//! The way of a workflow, from its start to its end.

use everturn_durabletask::protocol::{
    AbandonActivityTaskRequest, AbandonOrchestrationTaskRequest, GetInstanceHistoryRequest, WorkflowResponse,
};
use everturn_history::history_event::EventType;
use everturn_history::{OrchestrationStatus, TraceContext, text};

use crate::house::{House, look, start, until};
use crate::worker::{Turn, Worker, call, child, completed, dapr, ended, kinds, response, result_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_runs_from_its_start_to_its_end() {
    let house = House::new().await;
    let mut client = house.client().await;
    client.hello(pbjson_types::Empty {}).await.unwrap();
    let mut worker = Worker::connect(&house, dapr()).await;

    let started = client.start_instance(start("i", "not JSON")).await.unwrap().into_inner();
    assert_eq!(started.instance_id, "i");
    let turn = worker.turn().await;
    assert_eq!((turn.request.instance_id.as_str(), turn.request.past_events.len()), ("i", 0));
    assert_eq!(kinds(&turn.request.new_events), [14, 3]);
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let running = client.wait_for_instance_start(look("i")).await.unwrap().into_inner();
    assert_eq!(running.workflow_state.unwrap().workflow_status(), OrchestrationStatus::Running);

    let activity = worker.activity().await;
    assert_eq!((activity.request.name.as_str(), activity.request.task_id), ("a", 1));
    assert_eq!(activity.request.input, Some(text("x")));
    worker.done(&activity, "y").await.unwrap();

    let turn = worker.turn().await;
    assert_eq!((kinds(&turn.request.past_events), kinds(&turn.request.new_events)), (vec![14, 3, 6], vec![14, 7]));
    worker.answer(&turn, vec![call(2, "x")]).await.unwrap();
    let activity = worker.activity().await;
    worker.done(&activity, "y").await.unwrap();

    let turn = worker.turn().await;
    assert_eq!(turn.request.cached_history.unwrap().event_count, 3, "it keeps what it was sent");
    assert_eq!(kinds(&turn.request.past_events), [14, 7, 6]);
    worker.answer(&turn, vec![completed(3, "z")]).await.unwrap();

    let state = house.end_of("i").await;
    assert_eq!(state.workflow_status(), OrchestrationStatus::Completed);
    assert_eq!((state.input, state.output), (Some(text("not JSON")), Some(text("z"))));
    let request = GetInstanceHistoryRequest { instance_id: "i".to_owned() };
    let history = client.get_instance_history(request).await.unwrap().into_inner();
    assert_eq!(kinds(&history.events), [14, 3, 6, 14, 7, 6, 14, 7, 4]);
    until(|| house.usage.items() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_an_activity_reaches_its_workflow_whole() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let activity = worker.activity().await;
    worker.fail(&activity, "it broke").await.unwrap();
    let turn = worker.turn().await;
    assert_eq!(kinds(&turn.request.new_events), [14, 8]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_given_back_comes_again_with_another_token() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;

    let first = worker.turn().await;
    let request = AbandonOrchestrationTaskRequest { completion_token: first.token.clone() };
    worker.client.abandon_task_orchestrator_work_item(request).await.unwrap();
    let second = worker.turn().await;
    assert_ne!(first.token, second.token);
    worker.answer(&first, vec![completed(1, "late")]).await.unwrap();
    worker.answer(&second, vec![call(1, "x")]).await.unwrap();

    let first = worker.activity().await;
    let request = AbandonActivityTaskRequest { completion_token: first.token.clone() };
    worker.client.abandon_task_activity_work_item(request).await.unwrap();
    let second = worker.activity().await;
    assert_ne!(first.token, second.token);
    worker.done(&first, "late").await.unwrap();
    worker.done(&second, "y").await.unwrap();
    worker.end("z").await;
    assert_eq!(house.end_of("i").await.output, Some(text("z")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_continues_as_new() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    worker.answer(&turn, vec![ended(1, OrchestrationStatus::ContinuedAsNew, "2")]).await.unwrap();
    let next = worker.turn().await;
    assert_ne!(turn.request.execution_id, next.request.execution_id);
    assert_eq!((kinds(&next.request.past_events), kinds(&next.request.new_events)), (vec![], vec![14, 3]));
    worker.answer(&next, vec![completed(1, "3")]).await.unwrap();
    assert_eq!(house.end_of("i").await.input, Some(text("2")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newer_name_of_a_method_does_the_same() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    house.start("i", "1").await;
    let turn = worker.turn().await;
    let status = WorkflowResponse { custom_status: Some(text("half")), ..response(&turn, vec![call(1, "x")]) };
    worker.client.complete_workflow_task(status).await.unwrap();
    let activity = worker.activity().await;
    assert_eq!(house.state("i").await.unwrap().custom_status, Some(text("half")));
    worker.client.complete_activity_task(result_of(&activity, "y")).await.unwrap();
    worker.end("z").await;
    house.end_of("i").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_goes_from_the_start_to_the_activities_and_children() {
    let house = House::new().await;
    let mut worker = Worker::connect(&house, dapr()).await;
    let trace = TraceContext { trace_parent: "00-0af7-b7ad-01".to_owned(), ..TraceContext::default() };
    let mut request = start("i", "1");
    request.fields.parent_trace_context = Some(trace.clone());
    house.client().await.start_instance(request).await.unwrap();
    let turn = worker.turn().await;
    let told = |turn: &Turn| match turn.request.new_events[1].event_type.clone() {
        Some(EventType::ExecutionStarted(start)) => start.parent_trace_context,
        other => panic!("{other:?} is no start"),
    };
    assert_eq!(told(&turn), Some(trace.clone()));
    worker.answer(&turn, vec![call(1, "x")]).await.unwrap();
    let activity = worker.activity().await;
    assert_eq!(activity.request.parent_trace_context, Some(trace.clone()));
    worker.done(&activity, "y").await.unwrap();
    let turn = worker.turn().await;
    worker.answer(&turn, vec![child(2, "part")]).await.unwrap();
    assert_eq!(told(&worker.turn_of("part").await), Some(trace));
}
