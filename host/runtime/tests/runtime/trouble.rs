//! Guests that cannot go on, and hosts under pressure: nothing is lost, and others do not notice.

use std::sync::Arc;
use std::time::Duration;

use everturn_replay::Failure;
use everturn_runtime::store::{Instance, Status};
use everturn_runtime::{Activities, ActivityError, Health, Options, RequestError};
use everturn_test_guests::script::{Log, Outcome, Seen, Step};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::room::{self, Room, activity, child, join, play, retried, select, timer, wait, wait_at_most};

/// A script that asks for more at once than `few_calls` allows, when event `go` comes; beside it, something else.
fn too_much_beside(other: Step) -> Vec<Step> {
    let much = join((0..10).map(|number| activity("echo", number)).collect());
    vec![join(vec![other, Step::Patched { id: "always".into(), steps: vec![wait("go"), much] }])]
}

fn few_calls(room: &mut Room) {
    room.options.limits.calls = 5;
}

fn enough_calls(room: &mut Room) {
    room.options.limits.calls = 100;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_panics_is_held_with_its_words_and_its_messages() {
    let room = Room::new();
    let host = room.open().await;
    room::start(&host, "panics_when_told", "a", &()).await;
    room::raise(&host, "a", "go", "a dark day").await;
    let held = room::until_status(&host, "a", Status::Stalled).await;
    assert!(held.stalled.as_ref().unwrap().contains("a dark day"), "{held:?}");
    room::raise(&host, "a", "more", 1).await;
    room::raise(&host, "a", "more", 2).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.messages, 3, "and the answer that it panicked on");
    assert_eq!(host.statistics().held, 1);

    host.resume(&room::id("a"), None).await.unwrap();
    room::until_true(async || host.statistics().held == 2).await;
    room::until_status(&host, "a", Status::Stalled).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.messages, 3);
    room::stop(host).await;

    let host = room.open_empty().await;
    let instance = host.instance(&room::id("a")).await.unwrap().instance;
    assert_eq!(instance.status, Status::Stalled, "a restart does not try it again");
    host.terminate(&room::id("a"), None, false).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Terminated);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_instance_can_be_terminated_however_much_waits_for_it() {
    let mut room = Room::new();
    room.options.messages_per_turn = 2;
    let host = room.open().await;
    room::start(&host, "panics", "a", &"no").await;
    room::until_status(&host, "a", Status::Stalled).await;
    for number in 0..10 {
        room::raise(&host, "a", "more", number).await;
    }
    host.terminate(&room::id("a"), None, false).await.unwrap();
    assert_eq!(room::end(&host, "a").await.status, Status::Terminated);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_held_instance_keeps_the_answers_of_workers_and_goes_on_with_them() {
    let mut room = Room::new();
    few_calls(&mut room);
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &too_much_beside(activity("A", 1))).await;
    let task = room::next(&mut worker).await;
    room::raise(&host, "a", "go", 1).await;
    room::until_status(&host, "a", Status::Stalled).await;
    host.complete_activity(task.token, Ok("\"kept\"".into())).await.unwrap();
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.tasks, []);
    drop(worker);
    room::stop(host).await;
    enough_calls(&mut room);
    let host = room.open_empty().await;
    host.resume(&room::id("a"), None).await.unwrap();
    let Seen::Joined(seen) = &room::log(&host, "a").await[0] else { panic!("not joined") };
    assert_eq!(seen[0], Seen::Activity(Outcome::Completed(json!("kept"))));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timers_of_a_held_instance_fire_after_it_was_resumed() {
    let mut room = Room::new();
    few_calls(&mut room);
    let host = room.open().await;
    play(&host, "a", &too_much_beside(timer(6_000))).await;
    room::raise(&host, "a", "go", 1).await;
    room::until_status(&host, "a", Status::Stalled).await;
    room::stop(host).await;
    enough_calls(&mut room);
    let host = room.open_empty().await;
    host.resume(&room::id("a"), None).await.unwrap();
    room::log(&host, "a").await;
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_loops_for_ever_is_cut_off_and_others_go_on() {
    let mut room = Room::new();
    room.options.limits.run_time = Duration::from_millis(50);
    room.options.parallel_turns = 1;
    let host = room.open().await;
    room::start(&host, "loops_for_ever", "loop", &()).await;
    for number in 0..5 {
        play(&host, &number.to_string(), &[activity("echo", number), timer(1)]).await;
        room::log(&host, &number.to_string()).await;
    }
    let instance = host.instance(&room::id("loop")).await.unwrap().instance;
    assert_eq!((instance.status, instance.turns, instance.events), (Status::Pending, 0, 0), "nothing was recorded");
    host.terminate(&room::id("loop"), None, false).await.unwrap();
    assert_eq!(room::end(&host, "loop").await.status, Status::Terminated);
    room::stop(host).await;
}

/// What a busy script sees, on a host with these options.
async fn mixed(options: impl FnOnce(&mut Options)) -> (Log, Log, Instance) {
    let mut room = Room::new();
    options(&mut room.options);
    let host = room.open().await;
    let inner = json!([activity("echo", "inner"), timer(1), wait("word")]);
    let rest = vec![wait("early"), activity("echo", 5), wait_at_most("nothing", 2)];
    let steps = [
        activity("echo", 1),
        join(vec![timer(3), activity("echo", 2), retried("fail", "no", 3), child("script", json!([timer(2)]))]),
        select(timer(60 * 60 * 1_000), wait("word")),
        child("script", json!([Step::Fail { error_type: "Broken".into() }])),
        select(child("script", inner), wait("word")),
        Step::CustomStatus(json!("half")),
        Step::Patched { id: "new".into(), steps: vec![activity("echo", 3)] },
        wait("word"),
        Step::ContinueAsNew { steps: rest, keep_unread_events: true },
    ];
    play(&host, "restarts", &steps).await;
    play(&host, "ends", &steps[..steps.len() - 1]).await;
    for event in ["early", "word", "word", "word"] {
        room::raise(&host, "restarts", event, event).await;
        room::raise(&host, "ends", event, event).await;
    }
    let logs = (room::log(&host, "ends").await, room::log(&host, "restarts").await);
    let instance = host.instance(&room::id("restarts")).await.unwrap().instance;
    room::stop(host).await;
    (logs.0, logs.1, instance)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_keeps_no_guests_gives_the_same_results() {
    let (ended, restarted, instance) = mixed(|_| {}).await;
    assert_eq!((ended.len(), restarted.len()), (8, 3), "{ended:?} {restarted:?}");
    for live_guests in [0, 1] {
        let (ended_again, restarted_again, again) = mixed(|options| options.live_guests = live_guests).await;
        assert_eq!((&ended_again, &restarted_again), (&ended, &restarted));
        assert_eq!((again.status, again.generation), (instance.status, instance.generation));
        assert_eq!(again.custom_status, instance.custom_status);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tiny_mailroom_loses_nothing_and_keeps_the_order() {
    let mut room = Room::new();
    room.options.queued_messages = 1;
    room.options.messages_per_turn = 2;
    let host = room.open().await;
    let steps: Vec<_> = (0..500).map(|_| wait("go")).collect();
    let rest = Step::ContinueAsNew { steps: steps[250..].to_vec(), keep_unread_events: true };
    play(&host, "whole", &steps).await;
    play(&host, "restarting", &[&steps[..250], &[rest]].concat()).await;
    for number in 0..500 {
        room::raise(&host, "whole", "go", number).await;
        room::raise(&host, "restarting", "go", number).await;
    }
    let expected =
        |numbers: std::ops::Range<i32>| -> Log { numbers.map(|number| Seen::Event(Some(json!(number)))).collect() };
    assert_eq!(room::log(&host, "whole").await, expected(0..500));
    assert_eq!(room::log(&host, "restarting").await, expected(250..500));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_takes_nothing_new_and_finishes_what_is_under_way() {
    let (begun, goes_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let activities = {
        let (begun, goes_on) = (Arc::clone(&begun), Arc::clone(&goes_on));
        Activities::new().with("slow", move |context, (): ()| {
            begun.notify_one();
            let (goes_on, dispatch) = (Arc::clone(&goes_on), context.call().dispatch);
            async move {
                goes_on.notified().await;
                Ok::<_, ActivityError>(dispatch)
            }
        })
    };
    let room = Room::with(activities);
    let host = room.open().await;
    play(&host, "a", &[activity("slow", Value::Null), wait("go")]).await;
    room::within(begun.notified()).await;
    let waiting = tokio::spawn({
        let host = host.clone();
        async move { host.wait(&room::id("a")).await }
    });
    let stopping = tokio::spawn({
        let host = host.clone();
        async move { host.stop(Duration::from_secs(50)).await }
    });
    room::until_true(async || host.health() == Health::Stopping).await;
    let refused = [
        host.start(room::request("park", "b", &())).await.map(drop),
        host.raise_event(&room::id("a"), "go", None).await.map(drop),
        host.terminate(&room::id("a"), None, false).await,
        host.purge(&room::id("a"), false, true).await.map(drop),
    ];
    assert!(refused.iter().all(|answer| matches!(answer, Err(RequestError::Stopping))), "{refused:?}");
    goes_on.notify_one();
    room::within(stopping).await.unwrap();
    assert!(matches!(room::within(waiting).await.unwrap(), Err(RequestError::Stopping)));

    let host = room.open_empty().await;
    room::raise(&host, "a", "go", 1).await;
    let seen = room::log(&host, "a").await;
    assert_eq!(
        seen[0],
        Seen::Activity(Outcome::Completed(json!(1))),
        "its answer was taken, and it was not done again"
    );
    assert!(host.instance(&room::id("b")).await.is_err());
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_large_fails_its_call_and_nothing_else() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[activity("A", 1), activity("A", 2)]).await;
    let limit = host.options().limits.payload_size;
    let task = room::next(&mut worker).await;
    host.complete_activity(task.token, Ok(json!("x".repeat(limit)).to_string())).await.unwrap();
    let task = room::next(&mut worker).await;
    let huge = Failure {
        error_type: "Huge".into(),
        message: "x".repeat(4 * limit),
        details: None,
        causes: Vec::new(),
        retriable: false,
    };
    host.complete_activity(task.token, Err(huge)).await.unwrap();
    let seen = room::log(&host, "a").await;
    let Seen::Activity(Outcome::Failed { error_type, .. }) = &seen[0] else { panic!("{seen:?}") };
    assert_eq!(error_type, everturn_activity::error_types::RESULT_TOO_LARGE);
    let Seen::Activity(Outcome::Failed { error_type, .. }) = &seen[1] else { panic!("no failure") };
    assert_eq!(error_type, everturn_activity::error_types::RESULT_TOO_LARGE);
    room::stop(host).await;
}
