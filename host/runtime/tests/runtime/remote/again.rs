//! What has ended begins once more: run again from an event, rewound, restarted.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, CreateChildWorkflowAction, OrchestrationStatus, SequenceId, TaskFailureDetails, text,
};
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{Form, RequestError, RerunRequest};

use crate::room::{self, Room, id};

use super::{action, answer, begin, call, done, kinds, orchestrator, turn};

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_of_a_worker_is_run_again_from_an_event() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    for number in 1..3 {
        let next = turn(&mut worker).await;
        host.complete_turn(next.token, answer(vec![call(number, "echo")])).await.unwrap();
    }
    let last = turn(&mut worker).await;
    host.complete_turn(last.token, done("1")).await.unwrap();
    room::end(&host, "a").await;
    let request = RerunRequest {
        from: SequenceId::new(2),
        new_id: Some("b".into()),
        input: Some("other".to_owned()),
        form: Form::Opaque,
        ..RerunRequest::default()
    };
    host.rerun(&id("a"), request).await.unwrap();
    let again = turn(&mut worker).await;
    assert_eq!(again.instance_id.as_str(), "b");
    assert_eq!(kinds(&again.past), ["turn", "start", "call 1 echo", "turn", "done 1", "call 2 echo"]);
    assert_eq!(kinds(&again.new), ["turn", "failed 2"], "echo takes JSON, and was given none");
    host.complete_turn(again.token, done("1")).await.unwrap();
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_failed_is_rewound_with_its_children() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let child = CreateChildWorkflowAction { name: "part".to_owned(), ..CreateChildWorkflowAction::default() };
    let child = action(2, ActionType::CreateChildWorkflow(child));
    host.complete_turn(first.token, answer(vec![call(1, "echo"), child, call(3, "fail")])).await.unwrap();
    let failure = CompleteWorkflowAction {
        workflow_status: OrchestrationStatus::Failed.into(),
        failure_details: Some(TaskFailureDetails { error_type: "Broken".to_owned(), ..Default::default() }),
        ..CompleteWorkflowAction::default()
    };
    let fails = || answer(vec![action(9, ActionType::CompleteWorkflow(failure.clone()))]);
    let ended = |instance: &everturn_runtime::store::Instance| instance.status == Status::Failed;
    while host.instance(&id("a")).await.unwrap().instance.status != Status::Failed {
        let next = turn(&mut worker).await;
        let seen = kinds(&[next.past, next.new].concat());
        let all = ["done 1", "failed 3", "child failed 2"].iter().all(|kind| seen.iter().any(|it| it == kind));
        let is_child = next.instance_id.as_str() == "a:0002";
        let reply = if is_child || all { fails() } else { answer(vec![]) };
        host.complete_turn(next.token, reply).await.unwrap();
    }
    room::until(&host, "a", ended).await;
    let refused = host.rewind(&id("nobody"), None).await.unwrap_err();
    assert!(matches!(refused, RequestError::Store(StoreError::NotFound { .. })), "{refused}");
    host.rewind(&id("a"), Some("try again".to_owned())).await.unwrap();
    let mut rewound = BTreeMap::new();
    for _ in 0..2 {
        let next = turn(&mut worker).await;
        rewound.insert(next.instance_id.to_string(), (kinds(&next.past), kinds(&next.new)));
        let reply = if next.instance_id.as_str() == "a" { answer(vec![call(3, "echo")]) } else { done("1") };
        host.complete_turn(next.token, reply).await.unwrap();
    }
    let (past, new) = &rewound["a"];
    assert!(past.iter().any(|kind| kind == "done 1") && past.iter().any(|kind| kind == "child 2 a:0002"), "{past:?}");
    assert!(
        !past.iter().any(|kind| kind.contains("failed") || kind == "end" || kind.starts_with("call 3")),
        "{past:?}"
    );
    assert_eq!(new, &["turn"]);
    assert_eq!(rewound["a:0002"].1, ["turn"]);
    loop {
        let next = turn(&mut worker).await;
        let seen = kinds(&[next.past, next.new].concat());
        let all = ["done 1", "done 3", "child done 2"].iter().all(|kind| seen.iter().any(|it| it == kind));
        host.complete_turn(next.token, if all { done("1") } else { answer(vec![]) }).await.unwrap();
        if all {
            break;
        }
    }
    assert_eq!(room::end(&host, "a").await.status, Status::Completed);
    let refused = host.rewind(&id("a"), None).await.unwrap_err();
    assert!(matches!(refused, RequestError::CannotRewind { .. }), "{refused}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_has_ended_is_started_again_with_its_input() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let refused = host.restart(&id("a"), false).await.unwrap_err();
    assert!(matches!(refused, RequestError::Store(StoreError::Open { .. })), "{refused}");
    host.complete_turn(first.token, done("1")).await.unwrap();
    room::end(&host, "a").await;
    assert_eq!(host.restart(&id("a"), false).await.unwrap(), id("a"));
    let again = turn(&mut worker).await;
    let EventType::ExecutionStarted(start) = again.new[1].event_type.clone().unwrap() else { panic!() };
    assert_eq!(start.input, Some(text("no JSON")));
    host.complete_turn(again.token, done("2")).await.unwrap();
    room::end(&host, "a").await;
    let other = host.restart(&id("a"), true).await.unwrap();
    assert_ne!(other, id("a"));
    assert_eq!(turn(&mut worker).await.instance_id, other);
    room::stop(host).await;
}
