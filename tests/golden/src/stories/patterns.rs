//! What the SDK makes of calls, timers and messages.

use everturn_history::HistoryEvent;
use everturn_runtime::store::Status;
use everturn_runtime::{Activities, ActivityError};
use serde_json::Value;

use crate::stage::{Stage, echoes, never};

pub(super) async fn debounce() -> Vec<HistoryEvent> {
    let stage = Stage::with(echoes(&["take"]), "takes_bursts", Value::Null).await;
    for item in 1..=3 {
        stage.raise(2, "item", item).await;
    }
    // The burst is taken after 5 s of quiet, and the next one begins.
    let events = stage.until_answered().await;
    stage.raise(events, "item", 4).await;
    stage.open(events + 1).await
}

pub(super) async fn fan_out() -> Vec<HistoryEvent> {
    let activities = Activities::new()
        .with("After", |_context, failure: String| async move { Ok::<_, ActivityError>([failure]) })
        .with("A", |_context, number: u32| async move {
            if number < 3 { Ok(number) } else { Err(ActivityError::new("TooMany", "three are enough")) }
        });
    Stage::with(activities, "fans_out_until_one_fails", 6).await.completed().await
}

pub(super) async fn rate_limiter() -> Vec<HistoryEvent> {
    let nothing = Activities::new().with("A", |_context, _number: u32| async { Ok::<_, ActivityError>(()) });
    Stage::with(nothing, "calls_at_a_rate", 3).await.completed().await
}

pub(super) async fn saga() -> Vec<HistoryEvent> {
    let activities = ["cancel_flight", "cancel_hotel", "refund_if_charged"].into_iter().fold(
        Activities::new()
            .with("book_flight", |_context, _input: Value| async { Ok::<_, ActivityError>(11) })
            .with("book_hotel", |_context, _input: Value| async { Ok::<_, ActivityError>(22) })
            .with("charge", |_context, _input: Value| async {
                Err::<(), _>(ActivityError::new("Declined", "no money"))
            }),
        |activities, name| activities.with(name, |_context, _input: Value| async { Ok::<_, ActivityError>(()) }),
    );
    Stage::with(activities, "books_a_trip", Value::Null).await.ended(Status::Failed).await
}

pub(super) async fn scope() -> Vec<HistoryEvent> {
    let activities =
        never(Activities::new().with("After", |_context, _input: Value| async { Ok::<_, ActivityError>(()) }), "A");
    let stage = Stage::with(activities, "works_in_a_scope", Value::Null).await;
    stage.raise(4, "cancel", Value::Null).await;
    stage.completed().await
}

pub(super) async fn timeout() -> Vec<HistoryEvent> {
    Stage::with(never(Activities::new(), "A"), "limits_a_call", Value::Null).await.ended(Status::Failed).await
}

pub(super) async fn timeout_kept() -> Vec<HistoryEvent> {
    Stage::with(echoes(&["A"]), "limits_a_call", Value::Null).await.completed().await
}
