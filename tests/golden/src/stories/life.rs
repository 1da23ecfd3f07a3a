//! What becomes of an instance: new code, new generations, and its end.

use everturn_history::HistoryEvent;
use everturn_runtime::store::Status;
use everturn_runtime::{Activities, ActivityError, ResetRequest};
use everturn_test_guests::script::{Callee, Limit, Step};
use everturn_tests::guests::TEST_GUESTS;
use serde_json::Value;

use crate::stage::Stage;

fn wait(event: &str) -> Step {
    Step::Wait { event: event.to_owned(), limit: Limit::Never }
}

fn new_way() -> Activities {
    Activities::new().with("New", |_context, _input: Value| async { Ok::<_, ActivityError>(()) })
}

/// The second generation, with the events that nobody had read in the first one.
pub(super) async fn continue_as_new() -> Vec<HistoryEvent> {
    let steps = vec![wait("left"), wait("left"), Step::Now];
    let stage = Stage::script(vec![wait("go"), Step::ContinueAsNew { steps, keep_unread_events: true }]).await;
    stage.raise(3, "left", 1).await;
    stage.raise(5, "Left", 2).await;
    stage.raise(7, "go", 3).await;
    stage.completed().await
}

pub(super) async fn patch() -> Vec<HistoryEvent> {
    Stage::with(new_way(), "takes_patches", Value::Null).await.completed().await
}

pub(super) async fn deprecated_patch() -> Vec<HistoryEvent> {
    Stage::with(new_way(), "deprecates_a_patch", Value::Null).await.completed().await
}

pub(super) async fn failure() -> Vec<HistoryEvent> {
    Stage::with(Activities::new(), "fails_in_full", Value::Null).await.ended(Status::Failed).await
}

/// It calls an activity, is taken back to before that, and calls it again.
pub(super) async fn reset() -> Vec<HistoryEvent> {
    let call = Step::Activity(Callee { name: "echo".to_owned(), input: Value::Null, retry: None });
    let stage = Stage::script(vec![wait("go"), call, wait("end")]).await;
    stage.raise(3, "go", 1).await;
    stage.until(|instance| instance.events >= 9).await;
    let request = ResetRequest { to: 4, version: None, reason: Some("once more".to_owned()) };
    stage.host.reset(&stage.id, request).await.unwrap();
    stage.raise(10, "end", 2).await;
    stage.completed().await
}

pub(super) async fn suspension() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("go"), Step::Timer { milliseconds: 20 }]).await;
    stage.until(|instance| instance.events >= 3).await;
    stage.host.suspend(&stage.id, Some("a holiday".to_owned())).await.unwrap();
    stage.until(|instance| instance.status == Status::Suspended).await;
    stage.raise(5, "go", 1).await;
    stage.until(|instance| instance.events >= 7).await;
    stage.host.resume(&stage.id, None).await.unwrap();
    stage.completed().await
}

pub(super) async fn termination() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("go")]).await;
    stage.until(|instance| instance.events >= 3).await;
    stage.host.terminate(&stage.id, Some("\"nobody needs it\"".to_owned()), true).await.unwrap();
    stage.ended(Status::Terminated).await
}

/// It begins on one version and ends on another: the same code with another digest.
pub(super) async fn version_changed() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("first"), wait("second")]).await;
    stage.raise(3, "first", 1).await;
    stage.until(|instance| instance.events >= 6).await;
    let mut rebuilt = TEST_GUESTS.bytes().unwrap();
    // A custom section that says nothing.
    rebuilt.extend([0, 5, 4, b'n', b'o', b'n', b'e']);
    stage.deploy(rebuilt, "2").await;
    stage.raise(6, "second", 2).await;
    stage.completed().await
}
