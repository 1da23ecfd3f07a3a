//! Open instances that go back in their history: nothing that others sent is lost, and nothing that was asked for before is
//! done twice.

use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, StoreError};
use everturn_runtime::{ExistingInstance, RequestError, ResetInstance, ResetRequest, Runtime};
use everturn_test_guests::script::{Log, Outcome, Seen, Step};
use serde_json::{Value, json};

use crate::room::{self, Room, activity, child, id, join, play, timer, wait, within};

async fn try_reset(host: &Runtime, name: &str, to: u64) -> Result<ResetInstance, RequestError> {
    within(host.reset(&id(name), ResetRequest { to, ..ResetRequest::default() })).await
}

async fn reset(host: &Runtime, name: &str, to: u64) -> ResetInstance {
    try_reset(host, name, to).await.unwrap()
}

/// The number of the first event of which this holds, as `history` shows it.
async fn number(host: &Runtime, name: &str, is_it: impl Fn(&EventType) -> bool) -> u64 {
    let place = room::history(host, name).await.iter().position(is_it).unwrap();
    place as u64 + 1
}

fn seen_event(payload: impl Into<Value>) -> Seen {
    Seen::Event(Some(payload.into()))
}

/// Steps beside others.
fn beside(steps: Vec<Step>) -> Step {
    Step::Patched { id: "always".into(), steps }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_sent_is_seen_again_in_its_order_before_what_waits() {
    for live_guests in [0, 100] {
        let mut room = Room::new();
        room.options.live_guests = live_guests;
        let host = room.open().await;
        let mut steps = vec![Step::Uuid, Step::CustomStatus(json!("begun"))];
        steps.extend((0..4).map(|_| wait("go")));
        steps.push(Step::CustomStatus(json!("half")));
        steps.extend((0..3).map(|_| wait("go")));
        play(&host, "a", &steps).await;
        for number in 0..5 {
            room::raise(&host, "a", "go", number).await;
        }
        room::until(&host, "a", |instance| instance.custom_status.as_deref() == Some("\"half\"")).await;
        // Suspended, it takes note of what comes, and its code does not see it.
        host.suspend(&id("a"), None).await.unwrap();
        room::until_status(&host, "a", Status::Suspended).await;
        room::raise(&host, "a", "go", 5).await;
        let first = number(&host, "a", |event| matches!(event, EventType::EventRaised(_))).await;
        reset(&host, "a", first).await;
        let again = room::until_status(&host, "a", Status::Suspended).await;
        assert_eq!(again.custom_status.as_deref(), Some("\"half\""), "what suspended it came again too");
        host.resume(&id("a"), None).await.unwrap();
        room::raise(&host, "a", "go", 6).await;
        let log = room::log(&host, "a").await;
        let events: Log = log.into_iter().filter(|seen| matches!(seen, Seen::Event(_))).collect();
        assert_eq!(events, (0..7).map(seen_event).collect::<Log>(), "with {live_guests} guests");
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_its_start_it_begins_again_with_the_same_input_and_random_numbers() {
    let room = Room::new();
    let host = room.open().await;
    let steps = [Step::Uuid, wait("go"), Step::Uuid, wait("stop"), Step::Uuid];
    // The same run twice: one as it is, and one that is reset.
    let begin = async || {
        let mut request = room::request("script", "a", &steps);
        request.execution_id = Some("run".to_owned());
        request.if_exists = ExistingInstance::ReplaceEnded;
        host.start(request).await.unwrap();
        room::until(&host, "a", |instance| instance.turns == 1).await;
        room::raise(&host, "a", "go", 1).await;
        room::until(&host, "a", |instance| instance.turns == 2).await;
    };
    begin().await;
    room::raise(&host, "a", "stop", 2).await;
    let as_it_is = room::log(&host, "a").await;
    begin().await;
    let view = host.instance(&id("a")).await.unwrap();
    let go = number(&host, "a", |event| matches!(event, EventType::EventRaised(_))).await;
    assert_eq!(reset(&host, "a", go).await.kept, 3);
    room::until(&host, "a", |instance| instance.turns == 4).await;
    assert_eq!(reset(&host, "a", 2).await.kept, 0);
    assert_eq!(host.instance(&id("a")).await.unwrap().input, view.input);
    room::until(&host, "a", |instance| instance.status == Status::Running).await;
    let instance = host.instance(&id("a")).await.unwrap().instance;
    assert_ne!(instance.execution_id, view.instance.execution_id);
    room::raise(&host, "a", "stop", 2).await;
    assert_eq!(room::log(&host, "a").await, as_it_is);
    let resets = room::history(&host, "a").await;
    let resets = resets.iter().filter(|event| matches!(event, EventType::WorkflowReset(_))).count();
    assert_eq!(resets, 1, "the second took back the first");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_what_stays_comes_again_and_one_to_what_goes_is_late() {
    for live_guests in [0, 100] {
        let mut room = Room::new();
        room.options.live_guests = live_guests;
        let host = room.open().await;
        let mut worker = room::worker(&host, &["A"], 2);
        play(&host, "a", &[activity("A", 1), activity("A", 2)]).await;
        let first = room::next(&mut worker).await;
        host.complete_activity(first.token, Ok("\"first\"".into())).await.unwrap();
        let gone = room::next(&mut worker).await;
        let answered = number(&host, "a", |event| matches!(event, EventType::TaskCompleted(_))).await;
        reset(&host, "a", answered).await;
        let again = room::next(&mut worker).await;
        let (again_scheduled, gone_scheduled) = (&again.scheduled, &gone.scheduled);
        assert_eq!(again_scheduled.input, gone_scheduled.input, "the first is not done again");
        assert_ne!(again_scheduled.task_execution_id, gone_scheduled.task_execution_id, "it is another call");
        let late = host.complete_activity(gone.token, Ok("\"late\"".into())).await.unwrap_err();
        assert!(matches!(late, RequestError::Store(StoreError::StaleToken { .. })), "{late}");
        host.complete_activity(again.token, Ok("\"second\"".into())).await.unwrap();
        let completed = |text: &str| Seen::Activity(Outcome::Completed(json!(text)));
        assert_eq!(room::log(&host, "a").await, [completed("first"), completed("second")]);
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_has_from_before_is_answered_after() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[join(vec![activity("A", 1), beside(vec![wait("go"), wait("stop")])])]).await;
    let task = room::next(&mut worker).await;
    room::raise(&host, "a", "go", 1).await;
    room::until(&host, "a", |instance| instance.turns == 2).await;
    let go = number(&host, "a", |event| matches!(event, EventType::EventRaised(_))).await;
    reset(&host, "a", go).await;
    host.complete_activity(task.token, Ok("\"kept\"".into())).await.unwrap();
    room::raise(&host, "a", "stop", 2).await;
    let Seen::Joined(seen) = &room::log(&host, "a").await[0] else { panic!("not joined") };
    assert_eq!(seen[0], Seen::Activity(Outcome::Completed(json!("kept"))));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn children_from_before_answer_and_those_from_since_do_not() {
    for live_guests in [0, 100] {
        let mut room = Room::new();
        room.options.live_guests = live_guests;
        let host = room.open().await;
        let called = || child("script", json!([wait("go")]));
        play(&host, "a", &[join(vec![called(), beside(vec![wait("x"), called()])])]).await;
        room::until_status(&host, "a:0.1", Status::Running).await;
        room::raise(&host, "a", "x", 1).await;
        room::until_status(&host, "a:0.2", Status::Running).await;
        let x = number(&host, "a", |event| matches!(event, EventType::EventRaised(_))).await;
        let turns = host.instance(&id("a")).await.unwrap().instance.turns;
        assert_eq!(reset(&host, "a", x).await.warnings, [""; 0]);
        let anew = format!("a:0.2:reset-{turns}");
        room::until_status(&host, &anew, Status::Running).await;
        // The script abandons its children: the one that was given up goes on, and its parent hears nothing of it.
        room::raise(&host, "a:0.2", "go", "given up").await;
        assert_eq!(room::log(&host, "a:0.2").await, [seen_event("given up")]);
        room::raise(&host, "a:0.1", "go", "kept").await;
        room::raise(&host, &anew, "go", "anew").await;
        let log = serde_json::to_value(room::log(&host, "a").await).unwrap();
        assert_eq!(log[0]["joined"][0]["child"]["completed"], json!([{"event": "kept"}]), "{log}");
        let second = &log[0]["joined"][1]["patched"][1];
        assert_eq!(second["child"]["completed"], json!([{"event": "anew"}]), "{log}");
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_from_since_is_terminated_as_its_policy_says_and_its_id_is_in_the_way() {
    let room = Room::new();
    let host = room.open().await;
    let input = json!({"workflow": "script", "input": [wait("go")], "instance_id": "child", "terminate": true});
    room::start(&host, "calls_one_child", "parent", &input).await;
    room::until_status(&host, "child", Status::Running).await;
    let done = reset(&host, "parent", 1).await;
    assert_eq!(done.warnings.len(), 1);
    assert!(done.warnings[0].contains("child `child`"), "{:?}", done.warnings);
    assert_eq!(room::end(&host, "child").await.status, Status::Terminated);
    assert_eq!(room::result(&host, "parent").await, json!("InstanceAlreadyExists"));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_that_fired_is_delivered_again_and_one_from_since_begins_anew() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[join(vec![timer(1), wait("x")]), timer(3_600_000)]).await;
    room::until(&host, "a", |instance| instance.turns == 2).await;
    room::raise(&host, "a", "x", 1).await;
    room::until(&host, "a", |instance| instance.turns == 3).await;
    assert_eq!(host.instance(&id("a")).await.unwrap().open.messages, 1, "the long timer");
    let fired = number(&host, "a", |event| matches!(event, EventType::TimerFired(_))).await;
    let x = number(&host, "a", |event| matches!(event, EventType::EventRaised(_))).await;
    reset(&host, "a", fired.min(x)).await;
    room::until_true(async || {
        let timers = room::history(&host, "a").await;
        timers.iter().filter(|event| matches!(event, EventType::TimerFired(_))).count() == 1
            && host.instance(&id("a")).await.unwrap().open.messages == 1
    })
    .await;
    let events = room::history(&host, "a").await;
    let timers = events.iter().filter(|event| matches!(event, EventType::TimerCreated(_))).count();
    assert_eq!(timers, 3, "the first, that of the wait, and the long one once more: {events:?}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_reset_goes_on_after_a_restart() {
    let room = Room::new();
    let host = room.open().await;
    let mut worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[activity("A", 1), wait("go"), wait("stop")]).await;
    let task = room::next(&mut worker).await;
    host.complete_activity(task.token, Ok("\"once\"".into())).await.unwrap();
    room::until(&host, "a", |instance| instance.turns == 2).await;
    room::raise(&host, "a", "go", 1).await;
    room::until(&host, "a", |instance| instance.turns == 3).await;
    reset(&host, "a", 4).await;
    drop(worker);
    room::stop(host).await;
    let host = room.open_empty().await;
    room::raise(&host, "a", "stop", 2).await;
    let once = Seen::Activity(Outcome::Completed(json!("once")));
    assert_eq!(room::log(&host, "a").await, [once, seen_event(1), seen_event(2)]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_from_since_is_taken_back_and_its_caller_is_told() {
    let room = Room::new();
    let host = room.open().await;
    room::start(&host, "takes_notes", "a", &"zero").await;
    room::until_status(&host, "a", Status::Running).await;
    let add = async |text: &str, update: &str| {
        let input = Some(json!(text).to_string());
        within(host.update(&id("a"), "add", input, Some(update.to_owned()))).await
    };
    add("one", "u1").await.unwrap();
    // One that waits for an activity that nobody has.
    let waits = tokio::spawn({
        let host = host.clone();
        async move { host.update(&id("a"), "fetch_now", Some("\"x\"".into()), Some("u2".into())).await }
    });
    let accepted =
        |events: Vec<EventType>| events.iter().filter(|event| matches!(event, EventType::UpdateAccepted(_))).count();
    room::until_true(async || accepted(room::history(&host, "a").await) == 2).await;
    let first = number(&host, "a", |event| matches!(event, EventType::UpdateAccepted(_))).await;
    let done = reset(&host, "a", first).await;
    assert_eq!(done.warnings.len(), 2, "{:?}", done.warnings);
    assert!(done.warnings[0].contains("update `add` with id `u1` was taken back"), "{:?}", done.warnings);
    let unanswered = within(waits).await.unwrap().unwrap_err();
    assert!(matches!(unanswered, RequestError::Unanswered { .. }), "{unanswered}");
    let texts = async || within(host.query(&id("a"), "texts", None)).await.unwrap();
    assert_eq!(texts().await, "[\"zero\"]");
    add("two", "u1").await.unwrap();
    assert_eq!(texts().await, "[\"zero\",\"two\"]", "its id can be used again");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resets_while_turns_go_on_lose_nothing() {
    let room = Room::new();
    let host = room.open().await;
    let count = 60;
    play(&host, "a", &(0..count).map(|_| wait("go")).collect::<Vec<_>>()).await;
    room::until(&host, "a", |instance| instance.turns == 1).await;
    let raising = tokio::spawn({
        let host = host.clone();
        async move {
            for number in 0..count - 1 {
                room::raise(&host, "a", "go", number).await;
            }
        }
    });
    let mut resets = 0;
    while !raising.is_finished() {
        match try_reset(&host, "a", 4).await {
            Ok(_) => resets += 1,
            Err(RequestError::CannotReset { .. } | RequestError::Store(StoreError::Conflict)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    raising.await.unwrap();
    room::raise(&host, "a", "go", count - 1).await;
    assert_eq!(room::log(&host, "a").await, (0..count).map(seen_event).collect::<Log>(), "after {resets} resets");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_reset_is_refused_and_nothing_has_happened() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[wait("go")]).await;
    room::until(&host, "a", |instance| instance.turns == 1).await;
    for to in [0, 4, u64::MAX] {
        let range = try_reset(&host, "a", to).await.unwrap_err();
        assert!(range.to_string().ends_with("its history has events 1 to 3"), "{range}");
    }
    let unknown = try_reset(&host, "nobody", 1).await.unwrap_err();
    assert!(matches!(unknown, RequestError::Store(StoreError::NotFound { .. })), "{unknown}");
    room::raise(&host, "a", "go", 1).await;
    assert_eq!(room::log(&host, "a").await, [seen_event(1)]);
    let ended = try_reset(&host, "a", 1).await.unwrap_err();
    assert!(ended.to_string().contains("it has ended (completed); `everturn workflow rerun`"), "{ended}");
    let mut remote = room::request("elsewhere", "remote", &());
    remote.unknown = everturn_runtime::UnknownWorkflow::AwaitWorker;
    host.start(remote).await.unwrap();
    let remote = try_reset(&host, "remote", 1).await.unwrap_err();
    assert!(remote.to_string().contains("remote workers run it"), "{remote}");
    room::stop(host).await;
}
