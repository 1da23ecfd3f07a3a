//! What a workflow asks of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use everturn_history::HistoryEvent;
use everturn_runtime::store::Status;
use everturn_runtime::{Activities, ActivityError};
use everturn_test_guests::script::{Callee, Retry, Step};
use serde_json::{Value, json};

use crate::stage::{Stage, never};

fn callee(name: &str, input: impl Into<Value>) -> Callee {
    Callee { name: name.to_owned(), input: input.into(), retry: None }
}

/// Up to three attempts.
fn retried(name: &str, input: impl Into<Value>) -> Callee {
    let retry = Retry { max_attempts: 3, first_interval_milliseconds: 10, coefficient: 2.0 };
    Callee { retry: Some(retry), ..callee(name, input) }
}

fn failing() -> Activities {
    Activities::new().with("A", |_context, _input: Value| async {
        Err::<Value, _>(ActivityError::new("CardDeclined", "the bank said no"))
    })
}

pub(super) async fn activity() -> Vec<HistoryEvent> {
    Stage::script(vec![Step::Activity(callee("echo", "hello"))]).await.completed().await
}

pub(super) async fn activity_failure() -> Vec<HistoryEvent> {
    Stage::with(failing(), "passes_on_an_activitys_failure", Value::Null).await.ended(Status::Failed).await
}

pub(super) async fn activity_retry() -> Vec<HistoryEvent> {
    let attempts = Arc::new(AtomicU32::new(0));
    let activities = Activities::new().with("flaky", move |_context, _input: Value| {
        let attempt = attempts.fetch_add(1, Relaxed) + 1;
        async move { if attempt < 3 { Err(ActivityError::new("Unavailable", "try later")) } else { Ok(attempt) } }
    });
    Stage::with(activities, "script", [Step::Activity(retried("flaky", 1))]).await.completed().await
}

pub(super) async fn activity_time_limit() -> Vec<HistoryEvent> {
    let limits = json!({"start_to_close": 100, "schedule_to_close": 60_000, "heartbeat": 30_000});
    Stage::with(never(Activities::new(), "A"), "activity_with_limits", limits).await.completed().await
}

pub(super) async fn child() -> Vec<HistoryEvent> {
    Stage::script(vec![Step::Child(callee("doubles", 4))]).await.completed().await
}

pub(super) async fn child_failure() -> Vec<HistoryEvent> {
    Stage::script(vec![Step::Child(callee("fails_in_full", Value::Null))]).await.completed().await
}

pub(super) async fn child_retry() -> Vec<HistoryEvent> {
    Stage::script(vec![Step::Child(retried("fails_by_question_mark", "red"))]).await.completed().await
}

pub(super) async fn custom_status() -> Vec<HistoryEvent> {
    let stage = Stage::with(Activities::new(), "sets_its_status", Value::Null).await;
    stage.raise(3, "go", Value::Null).await;
    stage.completed().await
}

pub(super) async fn detached_workflow() -> Vec<HistoryEvent> {
    let start = Step::StartDetached { workflow: "doubles".to_owned(), input: json!(4) };
    Stage::script(vec![start, Step::Activity(callee("echo", 1))]).await.completed().await
}

pub(super) async fn join() -> Vec<HistoryEvent> {
    let steps = vec![
        Step::Activity(callee("echo", 1)),
        Step::Timer { milliseconds: 20 },
        Step::Child(callee("doubles", 2)),
        Step::Activity(callee("echo", 3)),
    ];
    Stage::script(vec![Step::Join(steps), Step::Activity(callee("echo", 4))]).await.completed().await
}

pub(super) async fn random_and_time() -> Vec<HistoryEvent> {
    let look = || [Step::Uuid, Step::Random { length: 16 }, Step::Now];
    let again = Step::Timer { milliseconds: 20 };
    Stage::script(look().into_iter().chain([again]).chain(look()).collect()).await.completed().await
}

pub(super) async fn sent_event() -> Vec<HistoryEvent> {
    let sent = Step::RaiseEvent { instance_id: "order-7".to_owned(), event: "Payment".to_owned(), data: json!(12) };
    Stage::script(vec![sent, Step::Activity(callee("echo", 1))]).await.completed().await
}
