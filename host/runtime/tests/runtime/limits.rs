//! The time limits of activities: from its schedule, from its begin, between signs of life.

use std::time::Duration;

use everturn_runtime::store::OpenWork;
use everturn_runtime::{Activities, ActivityError};
use serde_json::{Value, json};

use crate::activities::is_stale;
use crate::room::{self, Room, activity, play};

#[tokio::test(flavor = "multi_thread")]
async fn signs_of_life_keep_a_lease_and_a_heartbeat_limit() {
    let mut room = Room::new();
    room.options.lease = Duration::from_secs(2);
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    room::start(&host, "activity_with_limits", "a", &json!({"heartbeat": 2_000})).await;
    let task = room::next(&mut worker).await;
    let begun = std::time::Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        assert!(host.heartbeat(task.token));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    host.complete_activity(task.token, Ok("\"done\"".into())).await.unwrap();
    assert_eq!(room::result(&host, "a").await, json!("done"));
    assert_eq!(host.statistics().lost_leases, 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_or_slow_activity_fails_with_the_limit_it_exceeded() {
    let table = [
        ("start_to_close", "StartToCloseTimeout"),
        ("heartbeat", "HeartbeatTimeout"),
        ("schedule_to_close", "ScheduleToCloseTimeout"),
    ];
    for outside in [true, false] {
        let endless = Activities::new().with("A", |_context, (): ()| async {
            std::future::pending::<()>().await;
            Ok::<_, ActivityError>(())
        });
        let room = Room::with(if outside { Activities::new() } else { endless });
        let host = room.open().await;
        let mut worker = outside.then(|| room::worker(&host, &["A"], 5));
        for (limit, error_type) in table {
            room::start(&host, "activity_with_limits", limit, &json!({limit: 100})).await;
            assert_eq!(room::result(&host, limit).await, json!(error_type), "outside: {outside}");
            if let Some(worker) = &mut worker {
                let late = room::next(worker).await;
                assert!(is_stale(&host.complete_activity(late.token, Ok("1".into())).await));
                assert!(!host.heartbeat(late.token));
            }
        }
        room::until_true(async || host.statistics().running_activities == 0).await;
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_from_the_schedule_on_holds_without_a_worker_and_through_a_restart() {
    let room = Room::with(Activities::new());
    let host = room.open().await;
    room::start(&host, "activity_with_limits", "at once", &json!({"schedule_to_close": 20})).await;
    assert_eq!(room::result(&host, "at once").await, json!("ScheduleToCloseTimeout"));
    room::start(&host, "activity_with_limits", "later", &json!({"schedule_to_close": 60 * 60 * 1_000})).await;
    room::until(&host, "later", |instance| instance.turns == 1).await;
    room::stop(host).await;
    let file = rusqlite::Connection::open(room.file()).unwrap();
    // An hour passes.
    file.execute("UPDATE message SET visible_at = visible_at - ?1", [60 * 60 * 1_000_000_i64]).unwrap();
    drop(file);
    let host = room.open_empty().await;
    assert_eq!(room::result(&host, "later").await, json!("ScheduleToCloseTimeout"));
    let mut worker = room::worker(&host, &["A", "B"], 1);
    play(&host, "next", &[activity("B", 1)]).await;
    assert_eq!(room::next(&mut worker).await.call.activity, "B", "the task is gone with its limit");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_in_time_leaves_no_limit_behind() {
    let room = Room::with(Activities::new().with("A", |_context, (): ()| async { Ok::<_, ActivityError>(7) }));
    let host = room.open().await;
    let limits = json!({"schedule_to_close": 60 * 60 * 1_000, "stays": true});
    room::start(&host, "activity_with_limits", "a", &limits).await;
    room::until(&host, "a", |instance| instance.turns == 2).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open, OpenWork::default());
    room::raise(&host, "a", "end", Value::Null).await;
    assert_eq!(room::result(&host, "a").await, json!(7));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_lets_tasks_lie_gets_the_next_one_all_the_same() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    // One that it has, and one that lies in its way: the time of both runs out.
    for id in ["held", "lying"] {
        room::start(&host, "activity_with_limits", id, &json!({"start_to_close": 50})).await;
        assert_eq!(room::result(&host, id).await, json!("StartToCloseTimeout"));
    }
    room::start(&host, "activity_with_limits", "next", &json!({})).await;
    room::until(&host, "next", |_| host.statistics().dispatches == 3).await;
    loop {
        let task = room::next(&mut worker).await;
        let answer = host.complete_activity(task.token, Ok("\"done\"".into())).await;
        if answer.is_ok() {
            break;
        }
        assert!(is_stale(&answer));
    }
    assert_eq!(room::result(&host, "next").await, json!("done"));
    room::stop(host).await;
}
