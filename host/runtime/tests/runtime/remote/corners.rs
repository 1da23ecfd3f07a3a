//! Where things meet that seldom do: answers of those who are gone, long turns, deaf workers, rewinds with children.

use std::collections::BTreeMap;

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, CreateChildWorkflowAction, OrchestrationStatus, SendEventAction, TaskFailureDetails,
    WorkflowInstance, WorkflowVersion, WorkflowVersionNotAvailableAction, text,
};
use everturn_runtime::store::Status;
use everturn_runtime::{Form, Orchestrator, OrchestratorOptions, Runtime, TurnAnswer, TurnTask};

use super::{action, answer, begin, call, done, end, kinds, orchestrator, turn};
use crate::room::{self, Room, id};

fn fails() -> TurnAnswer {
    let failure = CompleteWorkflowAction {
        workflow_status: OrchestrationStatus::Failed.into(),
        failure_details: Some(TaskFailureDetails { error_type: "Broken".to_owned(), ..Default::default() }),
        ..CompleteWorkflowAction::default()
    };
    answer(vec![action(9, ActionType::CompleteWorkflow(failure))])
}

fn child(number: i32, instance_id: &str) -> everturn_history::WorkflowAction {
    let child = CreateChildWorkflowAction {
        name: "part".to_owned(),
        instance_id: instance_id.to_owned(),
        ..CreateChildWorkflowAction::default()
    };
    action(number, ActionType::CreateChildWorkflow(child))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_a_worker_that_does_not_wait_for_it_counts() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    host.complete_turn(first.token, answer(vec![call(1, "charge")])).await.unwrap();
    let mut activities = room::worker(&host, &["charge"], 1);
    let task = room::next(&mut activities).await;
    {
        let mut answering = Box::pin(host.complete_task(task.token, Ok(None)));
        // Its connection ends when the answer is on its way.
        assert!(futures::poll!(&mut answering).is_pending());
    }
    assert_eq!(kinds(&turn(&mut worker).await.new), ["turn", "done 1"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_long_turn_sends_comes_after_what_came_meanwhile() {
    let room = Room::new();
    let host = room.open_empty().await;
    let workflows = Some(BTreeMap::from([("order".to_owned(), Vec::new())]));
    let mut slow = host.connect_orchestrator(OrchestratorOptions { workflows, capacity: 1, keeps_history: false });
    begin(&host, "order", "a").await;
    let long = turn(&mut slow).await;
    begin(&host, "other", "x").await;
    host.raise_event_as(&id("x"), "first", None, Form::Opaque).await.unwrap();
    let to = WorkflowInstance { instance_id: "x".to_owned(), execution_id: None };
    let second = SendEventAction { instance: Some(to), name: "second".to_owned(), data: Some(text("1")) };
    host.complete_turn(long.token, answer(vec![action(1, ActionType::SendEvent(second))])).await.unwrap();
    let mut any = orchestrator(&host);
    assert_eq!(kinds(&turn(&mut any).await.new), ["turn", "start", "event first", "event second"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_does_not_read_holds_up_nobody() {
    let mut room = Room::new();
    room.options.lease = std::time::Duration::from_millis(20);
    let host = room.open_empty().await;
    let deaf = OrchestratorOptions { workflows: None, capacity: 5, keeps_history: false };
    let _deaf = host.connect_orchestrator(deaf);
    for number in 0..5 {
        begin(&host, "order", &format!("i{number}")).await;
    }
    room::until_true(async || host.statistics().lost_leases >= 5).await;
    let mut healthy =
        host.connect_orchestrator(OrchestratorOptions { workflows: None, capacity: 2, keeps_history: false });
    for _ in 0..5 {
        let next = turn(&mut healthy).await;
        host.complete_turn(next.token, done("1")).await.unwrap();
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_count_once_and_a_failure_needs_none() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    let patches = ["a", "a", "b"].map(str::to_owned).to_vec();
    let version = Some(WorkflowVersion { patches, name: None });
    for (name, last) in [("again", TurnAnswer { version: version.clone(), ..done("1") }), ("fails", fails())] {
        begin(&host, "order", name).await;
        let first = turn(&mut worker).await;
        let patched = TurnAnswer { version: version.clone(), ..answer(vec![call(1, "echo")]) };
        host.complete_turn(first.token, patched).await.unwrap();
        let second = turn(&mut worker).await;
        host.complete_turn(second.token, last).await.unwrap();
        assert!(host.find_instance(&id(name)).await.unwrap().unwrap().status.is_ended(), "{name}");
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_came_while_another_had_the_turn_gets_what_that_cannot_do() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut old = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut old).await;
    let mut new = orchestrator(&host);
    let missing = ActionType::WorkflowVersionNotAvailable(WorkflowVersionNotAvailableAction {});
    host.complete_turn(first.token, answer(vec![action(1, missing)])).await.unwrap();
    drop(old);
    assert_eq!(turn(&mut new).await.instance_id, id("a"));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_cannot_be_its_own_child() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let mut last = done("result");
    last.actions.push(child(2, "a"));
    host.complete_turn(first.token, last).await.unwrap();
    let ended = room::end(&host, "a").await;
    assert_eq!((ended.workflow.as_str(), ended.outcome.unwrap().result), ("order", Some(text("result"))));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_suspended_while_restarting_is_suspended_when_it_starts() {
    let room = Room::new();
    let host = room.open_empty().await;
    begin(&host, "order", "a").await;
    host.raise_event_as(&id("a"), "go", None, Form::Opaque).await.unwrap();
    host.suspend(&id("a"), None).await.unwrap();
    let mut worker = orchestrator(&host);
    let first = turn(&mut worker).await;
    host.complete_turn(first.token, answer(vec![end(OrchestrationStatus::ContinuedAsNew, "1")])).await.unwrap();
    let next = turn(&mut worker).await;
    // The first turn may have been on its way when the others came: then they are in the next one.
    let mut expected = vec!["turn", "start", "suspended"];
    if !kinds(&first.new).contains(&"event go".to_owned()) {
        expected.insert(2, "event go");
    }
    assert_eq!(kinds(&next.new), expected);
    host.complete_turn(next.token, answer(vec![])).await.unwrap();
    room::until_status(&host, "a", Status::Suspended).await;
    room::stop(host).await;
}

/// Lets an instance fail while its child is with the worker.
async fn failed_with_open_child(host: &Runtime, worker: &mut Orchestrator) -> TurnTask {
    begin(host, "order", "a").await;
    let first = turn(worker).await;
    host.complete_turn(first.token, answer(vec![child(2, "")])).await.unwrap();
    let open = turn(worker).await;
    host.raise_event_as(&id("a"), "fail", None, Form::Opaque).await.unwrap();
    let last = turn(worker).await;
    host.complete_turn(last.token, fails()).await.unwrap();
    open
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_is_open_answers_its_parent_after_a_rewind() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    let open = failed_with_open_child(&host, &mut worker).await;
    host.rewind(&id("a"), None).await.unwrap();
    let again = turn(&mut worker).await;
    assert_eq!((again.instance_id.as_str(), kinds(&again.new)), ("a", vec!["turn".to_owned()]));
    host.complete_turn(again.token, answer(vec![])).await.unwrap();
    host.complete_turn(open.token, done("1")).await.unwrap();
    assert_eq!(kinds(&turn(&mut worker).await.new), ["turn", "child done 2"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_has_succeeded_meanwhile_is_not_run_again_by_a_rewind() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    let open = failed_with_open_child(&host, &mut worker).await;
    host.complete_turn(open.token, done("1")).await.unwrap();
    host.rewind(&id("a"), None).await.unwrap();
    let again = turn(&mut worker).await;
    assert_eq!(again.instance_id.as_str(), "a");
    assert_eq!(kinds(&again.new), ["turn", "child done 2"]);
    room::stop(host).await;
}
