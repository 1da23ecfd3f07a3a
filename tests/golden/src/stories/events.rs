//! What others tell a workflow, and ask of it.

use everturn_history::HistoryEvent;
use everturn_runtime::Activities;
use everturn_test_guests::script::{Limit, Step};
use serde_json::{Value, json};

use crate::stage::{Stage, echoes};

fn wait(event: &str, limit: Limit) -> Step {
    Step::Wait { event: event.to_owned(), limit }
}

pub(super) async fn event() -> Vec<HistoryEvent> {
    let stage = Stage::with(Activities::new(), "waits_for_approval", Value::Null).await;
    stage.raise(3, "Approval", json!({"by": "Grace"})).await;
    stage.completed().await
}

pub(super) async fn event_in_another_case() -> Vec<HistoryEvent> {
    let stage = Stage::with(Activities::new(), "waits_for_approval", Value::Null).await;
    stage.raise(3, "aPPROVAL", json!({"by": "Grace"})).await;
    stage.completed().await
}

pub(super) async fn event_before_the_wait() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("first", Limit::Never), wait("second", Limit::Never)]).await;
    stage.raise(3, "second", 2).await;
    stage.raise(5, "first", 1).await;
    stage.completed().await
}

pub(super) async fn event_in_time() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("go", Limit::Milliseconds(3_600_000))]).await;
    stage.raise(3, "go", 1).await;
    stage.completed().await
}

pub(super) async fn event_too_late() -> Vec<HistoryEvent> {
    let stage = Stage::script(vec![wait("go", Limit::Milliseconds(20)), wait("end", Limit::Never)]).await;
    stage.raise(6, "go", 1).await;
    stage.raise(8, "end", 2).await;
    stage.completed().await
}

pub(super) async fn event_without_wait() -> Vec<HistoryEvent> {
    let take = || wait("there", Limit::Zero);
    let stage = Stage::script(vec![take(), wait("go", Limit::Never), take(), take()]).await;
    stage.raise(3, "there", 1).await;
    stage.raise(5, "go", 2).await;
    stage.completed().await
}

pub(super) async fn registered_handlers() -> Vec<HistoryEvent> {
    let stage = Stage::with(echoes(&["answer"]), "asks_patiently", Value::Null).await;
    stage.raise(2, "ask", "when").await;
    stage.raise(5, "ask", "where").await;
    stage.completed().await
}

pub(super) async fn signals() -> Vec<HistoryEvent> {
    let stage = Stage::with(echoes(&["A", "fetch"]), "takes_notes", "first").await;
    stage.raise(5, "note", "second").await;
    stage.raise(7, "fetch", "third").await;
    stage.raise(12, "done", Value::Null).await;
    stage.completed().await
}

pub(super) async fn updates() -> Vec<HistoryEvent> {
    let stage = Stage::with(echoes(&["A", "fetch"]), "takes_notes", "first").await;
    stage.update(5, "add", "second").await;
    // One that is refused leaves nothing behind.
    stage.update(5, "add", "").await;
    stage.update(8, "fetch_now", "third").await;
    // One that fails was accepted.
    stage.update(13, "clear", Value::Null).await;
    stage.raise(13, "done", Value::Null).await;
    stage.completed().await
}

pub(super) async fn wait_until() -> Vec<HistoryEvent> {
    let stage = Stage::with(echoes(&["count"]), "waits_for_votes", 2).await;
    stage.raise(3, "vote", Value::Null).await;
    stage.raise(5, "vote", Value::Null).await;
    stage.completed().await
}
