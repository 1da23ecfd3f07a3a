//! Children and workflows that were started by others: how they begin, whom they answer, and how they end.

use std::time::{Duration, SystemTime};

use everturn_history::history_event::EventType;
use everturn_runtime::Runtime;
use everturn_runtime::store::{Filter, Status};
use everturn_test_guests::script::{Outcome, Seen, Step};
use serde_json::{Value, json};

use crate::room::{self, Room, activity, child, play, select, wait};

/// A parent `parent` that calls a child `child` until it is told to leave.
async fn parent(host: &Runtime, workflow: &str, input: impl Into<Value>, terminate: bool) {
    let input: Value = input.into();
    let input = json!({"workflow": workflow, "input": input, "instance_id": "child", "terminate": terminate});
    room::start(host, "calls_one_child", "parent", &input).await;
}

fn script(steps: &[Step]) -> Value {
    serde_json::to_value(steps).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_hears_the_result_of_its_child_once() {
    let room = Room::new();
    let host = room.open().await;
    parent(&host, "script", script(&[activity("echo", 7)]), false).await;
    assert_eq!(room::result(&host, "parent").await, json!([{"activity": {"completed": 7}}]));
    let child = host.instance(&room::id("child")).await.unwrap();
    assert_eq!(child.instance.parent.unwrap().instance, room::id("parent"));
    let answers = room::history(&host, "parent").await;
    let answers = answers.iter().filter(|event| matches!(event, EventType::ChildWorkflowInstanceCompleted(_))).count();
    assert_eq!(answers, 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_that_cannot_be_or_goes_wrong_is_a_failure_with_a_name() {
    let table = [
        ("no_such_workflow", json!(null), "UnknownWorkflow"),
        ("script", script(&[Step::Fail { error_type: "Broken".into() }]), "Broken"),
    ];
    for (workflow, input, error_type) in table {
        let room = Room::new();
        let host = room.open().await;
        parent(&host, workflow, input, false).await;
        assert_eq!(room::result(&host, "parent").await, json!(error_type));
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_in_use_fails_the_call_and_leaves_its_owner_alone() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "child", &[wait("go")]).await;
    parent(&host, "script", script(&[]), true).await;
    assert_eq!(room::result(&host, "parent").await, json!("InstanceAlreadyExists"));
    room::raise(&host, "child", "go", 1).await;
    assert_eq!(room::log(&host, "child").await, [Seen::Event(Some(json!(1)))]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_is_terminated_with_its_parent_or_goes_on_as_its_policy_says() {
    for terminate in [true, false] {
        let room = Room::new();
        let host = room.open().await;
        parent(&host, "script", script(&[wait("go")]), terminate).await;
        room::until_status(&host, "child", Status::Running).await;
        room::raise(&host, "parent", "leave", Value::Null).await;
        assert_eq!(room::result(&host, "parent").await, json!("left"));
        if terminate {
            assert_eq!(room::end(&host, "child").await.status, Status::Terminated);
        } else {
            room::raise(&host, "child", "go", 1).await;
            assert_eq!(room::log(&host, "child").await, [Seen::Event(Some(json!(1)))]);
        }
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn terminating_reaches_children_and_theirs_when_asked_to() {
    for recursive in [true, false] {
        let room = Room::new();
        let host = room.open().await;
        let grandchild = json!([child("script", script(&[wait("go")]))]);
        parent(&host, "script", grandchild, false).await;
        let all = async || host.list(Filter::default(), None, 10).await.unwrap().instances;
        room::until_true(async || all().await.iter().filter(|one| one.status == Status::Running).count() == 3).await;
        host.terminate(&room::id("parent"), Some("\"enough\"".into()), recursive).await.unwrap();
        let ended = room::end(&host, "parent").await;
        assert_eq!(ended.status, Status::Terminated);
        assert_eq!(ended.outcome.unwrap().result.unwrap().value, "\"enough\"");
        if recursive {
            for instance in all().await {
                assert_eq!(room::end(&host, instance.id.as_str()).await.status, Status::Terminated);
            }
        } else {
            let open = all().await.into_iter().filter(|instance| !instance.status.is_ended()).count();
            assert_eq!(open, 2, "its child goes on, and that one's");
        }
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parent_hears_that_its_child_was_terminated_or_purged() {
    for purge in [false, true] {
        let room = Room::new();
        let host = room.open().await;
        parent(&host, "script", script(&[wait("go")]), false).await;
        room::until_status(&host, "child", Status::Running).await;
        if purge {
            assert_eq!(host.purge(&room::id("child"), false, true).await.unwrap(), 1);
        } else {
            host.terminate(&room::id("child"), None, false).await.unwrap();
        }
        let expected = if purge { "ChildPurged" } else { "ChildTerminated" };
        assert_eq!(room::result(&host, "parent").await, json!(expected));
        room::stop(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_is_no_child_is_started_and_answers_nobody() {
    let room = Room::new();
    let host = room.open().await;
    let start = json!({"workflow": "script", "input": [activity("echo", 1)], "instance_id": "free", "start_at": null});
    room::start(&host, "starts_one_detached", "a", &start).await;
    room::result(&host, "a").await;
    room::until(&host, "free", |instance| instance.status == Status::Completed).await;
    assert_eq!(room::log(&host, "free").await.len(), 1);
    assert_eq!(host.instance(&room::id("free")).await.unwrap().instance.parent, None);
    // An id that is in use is no failure of who starts it.
    room::start(&host, "starts_one_detached", "b", &start).await;
    room::result(&host, "b").await;
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_that_is_started_for_later_begins_then_also_after_a_restart() {
    let room = Room::new();
    let host = room.open().await;
    let hour = Duration::from_secs(60 * 60);
    let start = |id: &str, at: SystemTime| json!({"workflow": "script", "input": [Step::Now], "instance_id": id, "start_at": at});
    let soon = SystemTime::now() + Duration::from_millis(1_500);
    room::start(&host, "starts_one_detached", "a", &start("soon", soon)).await;
    room::start(&host, "starts_one_detached", "b", &start("later", SystemTime::now() + hour)).await;
    room::until(&host, "soon", |instance| instance.status == Status::Completed).await;
    let Seen::Now(began) = room::log(&host, "soon").await[0] else { panic!("no time") };
    let due = soon.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
    assert!(u128::from(began) >= due / 1_000 * 1_000, "{began} is before {due}");
    room::result(&host, "b").await;
    assert_eq!(host.instance(&room::id("later")).await.unwrap().instance.status, Status::Pending);
    room::stop(host).await;
    let file = rusqlite::Connection::open(room.file()).unwrap();
    // An hour passes.
    file.execute("UPDATE message SET visible_at = visible_at - ?1", [60 * 60 * 1_000_000_i64]).unwrap();
    drop(file);
    let host = room.open_empty().await;
    assert_eq!(room::log(&host, "later").await.len(), 1);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_child_outlives_the_host_and_answers_after_the_restart() {
    let room = Room::new();
    let host = room.open().await;
    parent(&host, "script", script(&[wait("go")]), false).await;
    room::until_status(&host, "child", Status::Running).await;
    room::stop(host).await;
    let host = room.open_empty().await;
    room::raise(&host, "child", "go", 5).await;
    assert_eq!(room::result(&host, "parent").await, json!([{"event": 5}]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_to_a_generation_that_is_over_is_dropped() {
    let room = Room::new();
    let host = room.open().await;
    let next = vec![select(wait("never"), child("script", script(&[wait("go"), activity("echo", "new")])))];
    let first = select(wait("again"), child("script", script(&[wait("go"), activity("echo", "old")])));
    play(&host, "a", &[first, Step::ContinueAsNew { steps: next, keep_unread_events: true }]).await;
    room::until_status(&host, "a:0.1", Status::Running).await;
    room::raise(&host, "a", "again", 1).await;
    room::until_status(&host, "a:1.1", Status::Running).await;
    room::raise(&host, "a:0.1", "go", 1).await;
    room::log(&host, "a:0.1").await;
    room::raise(&host, "a:1.1", "go", 1).await;
    assert_new_answer(&room::log(&host, "a").await);
    room::stop(host).await;
}

fn assert_new_answer(seen: &[Seen]) {
    let answer = json!([{"event": 1}, {"activity": {"completed": "new"}}]);
    let expected = Seen::Selected { winner: 1, seen: Box::new(Seen::Child(Outcome::Completed(answer))) };
    assert_eq!(seen, [expected]);
}

/// One turn at a time, and somebody keeps the place for a while: the parent gets its event, and has not seen the answer
/// of its child that is there as well, when it begins again.
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_lies_in_the_inbox_when_a_generation_ends_is_dropped() {
    let mut room = Room::new();
    room.options.parallel_turns = 1;
    room.options.limits.run_time = Duration::from_secs(2);
    let host = room.open().await;
    let old = script(&[wait("go")]);
    let next = vec![select(wait("never"), child("script", script(&[wait("go"), activity("echo", "new")])))];
    let first = select(wait("again"), child("script", old));
    play(&host, "a", &[first, Step::ContinueAsNew { steps: next, keep_unread_events: true }]).await;
    room::until_status(&host, "a:0.1", Status::Running).await;
    room::start(&host, "loops_for_ever", "loop", &()).await;
    // The child's turn is before the parent's: both wait for the one that loops.
    room::raise(&host, "a:0.1", "go", 0).await;
    room::raise(&host, "a", "again", 1).await;
    room::until_status(&host, "a:1.1", Status::Running).await;
    room::raise(&host, "a:1.1", "go", 1).await;
    assert_new_answer(&room::log(&host, "a").await);
    host.terminate(&room::id("loop"), None, false).await.unwrap();
    room::stop(host).await;
}
