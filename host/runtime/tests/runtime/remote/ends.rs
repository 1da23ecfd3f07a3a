//! Instances that are suspended, ended, begun anew or held.

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CreateTimerAction, NEVER, OrchestrationStatus, StalledReason, WorkflowVersion, WorkflowVersionNotAvailableAction,
    text,
};
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{ExistingInstance, Form, RequestError, StartRequest, TurnAnswer};

use crate::room::{self, Room, id, within};

use super::{action, answer, begin, call, done, end, kinds, orchestrator, turn};

#[tokio::test(flavor = "multi_thread")]
async fn suspending_and_ending_need_no_worker() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    host.complete_turn(first.token, answer(vec![])).await.unwrap();
    drop(worker);
    host.suspend(&id("a"), None).await.unwrap();
    room::until_status(&host, "a", Status::Suspended).await;
    host.raise_event_as(&id("a"), "go", None, Form::Opaque).await.unwrap();
    host.resume(&id("a"), None).await.unwrap();
    let mut worker = orchestrator(&host);
    let next = turn(&mut worker).await;
    assert_eq!(kinds(&next.past), ["turn", "start", "turn", "suspended"]);
    assert_eq!(kinds(&next.new), ["turn", "event go", "resumed"]);
    host.complete_turn(next.token, answer(vec![])).await.unwrap();
    room::until_status(&host, "a", Status::Running).await;
    drop(worker);
    begin(&host, "order", "never").await;
    for name in ["a", "never"] {
        host.terminate_as(&id(name), Some("over".to_owned()), false, Form::Opaque).await.unwrap();
        let ended = room::end(&host, name).await;
        assert_eq!((ended.status, ended.outcome.unwrap().result), (Status::Terminated, Some(text("over"))));
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_is_ended_while_its_worker_is_stuck() {
    let mut room = Room::new();
    room.options.messages_per_turn = 3;
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let stuck = turn(&mut worker).await;
    // Its end lies behind more than one turn takes.
    for _ in 0..5 {
        host.raise_event_as(&id("a"), "go", None, Form::Opaque).await.unwrap();
    }
    host.terminate_as(&id("a"), Some("over".to_owned()), false, Form::Opaque).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Terminated);
    let late = host.complete_turn(stuck.token, done("late")).await.unwrap_err();
    assert!(matches!(late, RequestError::Store(StoreError::StaleToken { .. })), "{late}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_keeps_the_unread_events_in_their_order_and_forgets_the_rest() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    for name in ["one", "two"] {
        host.raise_event_as(&id("a"), name, None, Form::Opaque).await.unwrap();
    }
    let timer = CreateTimerAction { fire_at: Some(NEVER), ..CreateTimerAction::default() };
    host.complete_turn(first.token, answer(vec![action(1, ActionType::CreateTimer(timer))])).await.unwrap();
    let second = turn(&mut worker).await;
    assert_eq!(kinds(&second.new), ["turn", "event one", "event two"]);
    host.raise_event_as(&id("a"), "three", None, Form::Opaque).await.unwrap();
    let mut restart = end(OrchestrationStatus::ContinuedAsNew, "next");
    if let Some(ActionType::CompleteWorkflow(completion)) = &mut restart.action_type {
        completion.carryover_events = second.new[1..].to_vec();
    }
    host.complete_turn(second.token, answer(vec![restart])).await.unwrap();
    let next = turn(&mut worker).await;
    assert_ne!(next.execution_id, second.execution_id);
    assert_eq!(kinds(&next.past), [""; 0]);
    assert_eq!(kinds(&next.new), ["turn", "start", "event one", "event two", "event three"]);
    host.complete_turn(next.token, done("1")).await.unwrap();
    assert_eq!(room::end(&host, "a").await.generation, 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn code_that_does_not_fit_holds_the_instance_until_a_worker_arrives() {
    let room = Room::new();
    let host = room.open_empty().await;
    let patched = |patches: &[&str]| {
        let patches = patches.iter().map(|patch| (*patch).to_owned()).collect();
        Some(WorkflowVersion { patches, name: Some("v1".to_owned()) })
    };
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let asked = TurnAnswer { version: patched(&["one"]), ..answer(vec![call(1, "echo")]) };
    host.complete_turn(first.token, asked).await.unwrap();
    let second = turn(&mut worker).await;
    let EventType::WorkflowStarted(started) = second.past[0].event_type.clone().unwrap() else { panic!() };
    assert_eq!(started.version, patched(&["one"]));
    host.complete_turn(second.token, TurnAnswer { version: patched(&["two"]), ..done("wrong") }).await.unwrap();
    let held = room::until_status(&host, "a", Status::Stalled).await;
    assert_eq!(held.stalled_reason, Some(StalledReason::PatchMismatch));
    assert!(held.stalled.unwrap().contains("[two], and its history says [one]"));
    let mut newer = orchestrator(&host);
    drop(worker);
    let third = turn(&mut newer).await;
    assert_eq!(kinds(&third.new), ["turn", "done 1"]);
    let missing = ActionType::WorkflowVersionNotAvailable(WorkflowVersionNotAvailableAction {});
    host.complete_turn(third.token, answer(vec![action(2, missing)])).await.unwrap();
    let held = room::until_status(&host, "a", Status::Stalled).await;
    assert_eq!(held.stalled_reason, Some(StalledReason::VersionNotAvailable));
    drop(newer);
    let mut newest = orchestrator(&host);
    let last = turn(&mut newest).await;
    let fits = TurnAnswer { version: patched(&["one", "two"]), ..done("1") };
    host.complete_turn(last.token, fits).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_cannot_be_sent_holds_its_instance() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    assert!(host.hold_turn(first.token, Some(StalledReason::PayloadSizeExceeded), "too large".to_owned()));
    let held = room::until_status(&host, "a", Status::Stalled).await;
    assert_eq!(
        (held.stalled_reason, held.stalled.as_deref()),
        (Some(StalledReason::PayloadSizeExceeded), Some("too large"))
    );
    // Another worker would get the same.
    drop(orchestrator(&host));
    host.resume(&id("a"), None).await.unwrap();
    assert_eq!(turn(&mut worker).await.instance_id.as_str(), "a");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_place_of_an_instance_that_runs_is_taken_without_its_worker() {
    let room = Room::new();
    let host = room.open_empty().await;
    begin(&host, "order", "a").await;
    let request = StartRequest {
        workflow: "order".to_owned(),
        id: Some("a".into()),
        if_exists: ExistingInstance::Replace,
        ..StartRequest::default()
    };
    assert!(within(host.start(request)).await.unwrap().is_new);
    room::stop(host).await;
}
