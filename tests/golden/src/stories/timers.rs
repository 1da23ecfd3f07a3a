//! Waiting for a time.

use std::time::{Duration, SystemTime};

use everturn_history::HistoryEvent;
use everturn_test_guests::script::{Callee, Step};
use serde_json::{Value, json};

use crate::stage::{Stage, echoes, never};

pub(super) async fn timer() -> Vec<HistoryEvent> {
    Stage::script(vec![Step::Timer { milliseconds: 20 }]).await.completed().await
}

pub(super) async fn timer_cancelled() -> Vec<HistoryEvent> {
    let echo = || Step::Activity(Callee { name: "echo".to_owned(), input: json!(1), retry: None });
    let race = Step::Select(Box::new(Step::Timer { milliseconds: 3_600_000 }), Box::new(echo()));
    Stage::script(vec![race, echo()]).await.completed().await
}

/// An event wins against an activity and a timer.
pub(super) async fn select_losers() -> Vec<HistoryEvent> {
    let stage = Stage::with(never(echoes(&["After"]), "A"), "races", Value::Null).await;
    stage.raise(5, "go", "Grace").await;
    stage.completed().await
}

pub(super) async fn updatable_timer() -> Vec<HistoryEvent> {
    let hour = Duration::from_secs(3600);
    let in_hours = |hours: u32| serde_json::to_value(SystemTime::now() + hour * hours).unwrap();
    let terms = json!({"deadline": in_hours(1), "latest": in_hours(9), "max_moves": 3});
    let stage = Stage::with(echoes(&["record"]), "approves_in_time", terms).await;
    stage.update(3, "extend", json!([in_hours(2), "Grace"])).await;
    stage.raise(6, "postpone", in_hours(3)).await;
    stage.raise(8, "approve", Value::Null).await;
    stage.raise(13, "end", Value::Null).await;
    stage.completed().await
}
