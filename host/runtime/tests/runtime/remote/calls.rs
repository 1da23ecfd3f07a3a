//! Workflows of remote workers, of components, and activities call each other.

use everturn_history::workflow_action::ActionType;
use everturn_history::{CreateChildWorkflowAction, text};
use everturn_runtime::{RequestError, StartRequest};

use crate::room::{self, Room};

use super::{action, answer, begin, call, done, kinds, orchestrator, turn};

#[tokio::test(flavor = "multi_thread")]
async fn components_and_remote_workers_call_each_other() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = orchestrator(&host);
    // A component calls a remote workflow: somebody is connected who may have it.
    room::play(&host, "component", &[room::child("remote", 5)]).await;
    let child = turn(&mut worker).await;
    assert_eq!(child.workflow, "remote");
    host.complete_turn(child.token, done("\"from afar\"")).await.unwrap();
    let log = room::log(&host, "component").await;
    assert!(format!("{log:?}").contains("from afar"), "{log:?}");
    // A remote workflow calls a component, without an id for it.
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let child = CreateChildWorkflowAction {
        name: "script".to_owned(),
        input: Some(text("[]")),
        ..CreateChildWorkflowAction::default()
    };
    host.complete_turn(first.token, answer(vec![action(18, ActionType::CreateChildWorkflow(child))])).await.unwrap();
    let second = turn(&mut worker).await;
    assert_eq!(kinds(&second.past), ["turn", "start", "child 18 a:0012"]);
    assert_eq!(kinds(&second.new), ["turn", "child done 18"]);
    host.complete_turn(second.token, done("1")).await.unwrap();
    room::end(&host, "a").await;
    drop(worker);
    // The name is known from now on: who calls it waits for a worker.
    room::play(&host, "later", &[room::child("remote", 5)]).await;
    let mut worker = orchestrator(&host);
    assert_eq!(turn(&mut worker).await.workflow, "remote");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_workflow_is_refused_unless_somebody_may_have_it() {
    let room = Room::new();
    let host = room.open().await;
    let start = |name: &str| StartRequest { workflow: "gret".to_owned(), id: Some(name.into()), ..Default::default() };
    let refused = host.start(start("a")).await.unwrap_err();
    assert!(matches!(refused, RequestError::UnknownWorkflow { .. }), "{refused}");
    let _worker = orchestrator(&host);
    host.start(start("a")).await.unwrap();
    let version = Some("no such".to_owned());
    let request = StartRequest { workflow: "script".to_owned(), version, ..start("b") };
    let refused = host.start(request).await.unwrap_err();
    assert!(matches!(refused, RequestError::UnknownVersion { .. }), "a component has it: {refused}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn children_and_activities_are_told_of_the_past_as_far_as_their_calls_say() {
    let room = Room::new();
    let host = room.open_empty().await;
    let mut worker = orchestrator(&host);
    begin(&host, "order", "a").await;
    let first = turn(&mut worker).await;
    let child = |scope: i32| {
        let child = CreateChildWorkflowAction {
            name: "part".to_owned(),
            history_propagation_scope: Some(scope),
            ..CreateChildWorkflowAction::default()
        };
        action(2, ActionType::CreateChildWorkflow(child))
    };
    host.complete_turn(first.token, answer(vec![child(1)])).await.unwrap();
    let part = turn(&mut worker).await;
    let told = part.propagated.clone().unwrap();
    assert_eq!((told.scope, told.chunks.len()), (1, 1));
    assert_eq!((told.chunks[0].instance_id.as_str(), told.chunks[0].raw_events.len()), ("a", 3));
    let mut activities = room::worker(&host, &["charge"], 1);
    let mut charge = call(1, "charge");
    if let Some(ActionType::ScheduleTask(task)) = &mut charge.action_type {
        task.history_propagation_scope = Some(2);
    }
    host.complete_turn(part.token, answer(vec![charge, child(2)])).await.unwrap();
    let task = room::next(&mut activities).await;
    let told = task.propagated.unwrap();
    let chunks: Vec<_> = told.chunks.iter().map(|it| (it.instance_id.as_str(), it.raw_events.len())).collect();
    assert_eq!((told.scope, chunks), (2, vec![("a", 3), ("a:0002", 3)]));
    let grandchild = turn(&mut worker).await;
    let told = grandchild.propagated.unwrap();
    assert_eq!(told.chunks.iter().map(|it| it.instance_id.as_str()).collect::<Vec<_>>(), ["a", "a:0002"]);
    room::stop(host).await;
}
