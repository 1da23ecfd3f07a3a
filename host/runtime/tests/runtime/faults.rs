//! A host on a disk that fails: busy, broken, full, in the middle of a batch. Workflows do not notice.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use everturn_faulty_vfs::{Fault, FaultyVfs, Operation, When};
use everturn_runtime::store::{Instance, Status, StoreError};
use everturn_runtime::{Activities, ActivityError, Health, RequestError, Runtime};
use everturn_test_guests::script::{Callee, Outcome, Retry, Seen, Step};
use futures::future::join_all;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use serde_json::{Value, json};

use crate::room::{self, Room, activity, child, play, timer, wait};

/// Scripts that run at the same time while the disk fails.
const WAVE: u64 = 25;
/// Scripts that run at least.
const SCRIPTS: u64 = 100;
/// Ways in which the disk fails meanwhile, at least.
const WAYS: u64 = 30;
/// Events that each of them gets, before and after it continues as new.
const EVENTS: u64 = 3;
/// What the faults are drawn from.
const SEED: u64 = 20_261_116;

/// A room on a disk of its own that fails on request.
fn faulty(name: &str, activities: Activities) -> (Room, FaultyVfs) {
    let vfs = FaultyVfs::register(name).unwrap();
    let mut room = Room::with(activities);
    room.sqlite.vfs = Some(name.to_owned());
    room.sqlite.busy_timeout = Duration::from_millis(5);
    (room, vfs)
}

/// What each activity call did, by its task execution id: how often.
type Effects = Arc<Mutex<std::collections::BTreeMap<String, u64>>>;

/// `echo`, and `flaky`, whose first attempt fails.
fn activities(effects: &Effects) -> Activities {
    let (echoes, flaky) = (Arc::clone(effects), Arc::clone(effects));
    let note = |effects: &Effects, call: String| *effects.lock().unwrap().entry(call).or_default() += 1;
    Activities::new()
        .with("echo", move |context, input: Value| {
            note(&echoes, context.call().task_execution_id.clone());
            async move { Ok::<_, ActivityError>(input) }
        })
        .with("flaky", move |context, input: Value| {
            let attempt = context.call().attempt;
            note(&flaky, format!("{} {attempt}", context.call().task_execution_id));
            async move { if attempt == 1 { Err(ActivityError::new("Flaky", "once")) } else { Ok(input) } }
        })
}

fn script(number: u64) -> Vec<Step> {
    let retry = Some(Retry { max_attempts: 3, first_interval_milliseconds: 2, coefficient: 1.0 });
    let half = || {
        let flaky = Callee { name: "flaky".into(), input: json!(number), retry: retry.clone() };
        let waits = (0..EVENTS).map(|_| wait("go"));
        let mut steps = vec![activity("echo", number), timer(number % 7), Step::Activity(flaky)];
        steps.extend(waits);
        steps.push(child("script", json!([activity("echo", "child"), timer(1)])));
        steps
    };
    let mut steps = half();
    steps.push(Step::ContinueAsNew { steps: half(), keep_unread_events: true });
    steps
}

/// What the second half of a script sees.
fn expected(number: u64) -> Vec<Seen> {
    let completed = |value: Value| Seen::Activity(Outcome::Completed(value));
    let mut seen = vec![completed(json!(number)), Seen::Timer, completed(json!(number))];
    seen.extend((EVENTS..2 * EVENTS).map(|event| Seen::Event(Some(json!(event)))));
    let child = json!([{"activity": {"completed": "child"}}, "timer"]);
    seen.push(Seen::Child(Outcome::Completed(child)));
    seen
}

/// Asks until the disk lets it pass. Says whether it was there already, which only a start can be.
async fn insist<T>(mut ask: impl AsyncFnMut() -> Result<T, RequestError>) -> Option<T> {
    loop {
        match ask().await {
            Ok(answer) => return Some(answer),
            Err(RequestError::Store(StoreError::AlreadyExists { .. })) => return None,
            Err(RequestError::Store(error)) if error.is_temporary() => {
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// Starts a script and gives it its events, one after the other.
async fn drive(host: &Runtime, number: u64) {
    let id = format!("s{number}");
    insist(async || host.start(room::request("script", &id, &script(number))).await).await;
    for event in 0..2 * EVENTS {
        insist(async || host.raise_event(&room::id(&id), "go", Some(event.to_string())).await).await;
    }
}

/// Breaks the disk in one way after the other and counts them, until it is told that this is enough. Gives how often
/// somebody had it locked.
fn break_things(vfs: FaultyVfs, file: &Path, ways: &AtomicU64, enough: &AtomicBool) -> u64 {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let mut draw = |below: u64| random.next_u64() % below;
    let mut locks = 0;
    while !enough.load(Ordering::Relaxed) {
        let operation = [Operation::Write, Operation::Sync, Operation::Read, Operation::Truncate][draw(4) as usize];
        let fault = [Fault::Io, Fault::Full][draw(2) as usize];
        match draw(4) {
            0 => {
                let other = rusqlite::Connection::open(file).unwrap();
                if other.execute_batch("BEGIN IMMEDIATE").is_ok() {
                    locks += 1;
                    std::thread::sleep(Duration::from_millis(draw(30)));
                }
            }
            1 => vfs.fail(operation, fault, When::Nth(1 + draw(40))),
            2 => vfs.fail(operation, fault, When::Every(2 + draw(20))),
            _ => vfs.fail(operation, fault, When::Always),
        }
        std::thread::sleep(Duration::from_millis(5 + draw(40)));
        vfs.heal();
        ways.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(draw(60)));
    }
    locks
}

async fn ended(host: &Runtime, id: &str) -> Instance {
    room::within(insist(async || host.wait(&room::id(id)).await)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_disk_that_fails_in_all_ways_loses_nothing_and_doubles_nothing() {
    let effects = Effects::default();
    let (room, vfs) = faulty("runtime-all-ways", activities(&effects));
    let host = room.open().await;
    let (ways, enough) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let breaking = std::thread::spawn({
        let (ways, enough, file) = (Arc::clone(&ways), Arc::clone(&enough), room.file());
        move || break_things(vfs, &file, &ways, &enough)
    });
    let mut scripts = 0;
    while scripts < SCRIPTS || ways.load(Ordering::Relaxed) < WAYS {
        room::within(join_all((scripts..scripts + WAVE).map(|number| drive(&host, number)))).await;
        scripts += WAVE;
    }
    enough.store(true, Ordering::Relaxed);
    let locks = breaking.join().unwrap();

    let (mut lost, mut wrong) = (0, Vec::new());
    for number in 0..scripts {
        let instance = ended(&host, &format!("s{number}")).await;
        if instance.status != Status::Completed {
            lost += 1;
            wrong.push(format!("{instance:?}"));
            continue;
        }
        let result = instance.outcome.unwrap().result.unwrap().value;
        let seen: Vec<Seen> = serde_json::from_str(&result).unwrap();
        if seen != expected(number) {
            wrong.push(format!("s{number}: {seen:?}"));
        }
    }
    let doubled = effects.lock().unwrap().values().filter(|times| **times > 1).count();
    let statistics = host.statistics();
    println!(
        "faults: {} operations failed, locked {locks} times, {} retries; {scripts} starts, {lost} lost, {doubled} doubled",
        vfs.failures(),
        statistics.storage_retries
    );
    assert_eq!(wrong, [""; 0]);
    assert_eq!((statistics.held, doubled), (0, 0), "no workflow is stopped by its disk: {statistics:?}");
    assert!(vfs.failures() > 20 && statistics.storage_retries > 0, "the disk was too good: {statistics:?}");
    assert_eq!(effects.lock().unwrap().len() as u64, scripts * 2 * 4, "each effect is there");
    room::until_true(async || host.health() == Health::Ready).await;
    room::stop(host).await;
    let verdict: String = room.look().query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_starts_and_everything_goes_on_when_there_is_room() {
    let (mut room, vfs) = faulty("runtime-full", activities(&Effects::default()));
    room.options.live_guests = 0;
    let host = room.open().await;
    for number in 0..10 {
        play(&host, &format!("t{number}"), &[timer(300 + 20 * number), activity("echo", number)]).await;
    }
    play(&host, "a", &[wait("go"), wait("go")]).await;
    room::raise(&host, "a", "go", 1).await;
    room::until(&host, "a", |instance| instance.turns >= 2).await;

    vfs.fail_writes(Fault::Full, When::Always);
    let refused = host.start(room::request("park", "new", &())).await.unwrap_err();
    assert!(matches!(refused, RequestError::Store(StoreError::Full)), "{refused}");
    let lost = host.raise_event(&room::id("a"), "go", Some("\"lost\"".into())).await.unwrap_err();
    assert!(matches!(lost, RequestError::Store(StoreError::Full)), "{lost}");
    // While timers come due and turns are tried again, it stays like that.
    let failing = |health: Health| matches!(health, Health::StorageFailing { .. });
    let due = AtomicU64::new(0);
    room::until_true(async || {
        assert!(failing(host.health()), "{:?} after {} looks", host.health(), due.fetch_add(1, Ordering::Relaxed));
        host.instance(&room::id("a")).await.unwrap();
        host.statistics().wakeups >= 2 && host.statistics().storage_retries >= 5
    })
    .await;

    vfs.heal();
    for number in 0..10 {
        assert_eq!(room::log(&host, &format!("t{number}")).await.len(), 2);
    }
    assert_eq!(host.health(), Health::Ready);
    room::raise(&host, "a", "go", 2).await;
    assert_eq!(room::result(&host, "a").await, json!([{"event": 1}, {"event": 2}]));
    room::start(&host, "park", "new", &()).await;
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_leaves_while_its_task_is_not_yet_on_disk_fails_nothing() {
    let (room, vfs) = faulty("runtime-leaving", Activities::new());
    let host = room.open().await;
    let worker = room::worker(&host, &["A"], 1);
    play(&host, "a", &[timer(500), activity("A", 1)]).await;
    room::until(&host, "a", |instance| instance.turns == 1).await;
    vfs.fail(Operation::Sync, Fault::Io, When::Always);
    room::until_true(async || host.statistics().storage_retries > 0 || host.statistics().dispatches > 0).await;
    drop(worker);
    vfs.heal();
    let mut other = room::worker(&host, &["A"], 1);
    let task = room::next(&mut other).await;
    host.complete_activity(task.token, Ok("7".into())).await.unwrap();
    assert_eq!(room::log(&host, "a").await[1], Seen::Activity(Outcome::Completed(json!(7))));
    room::stop(host).await;
}
