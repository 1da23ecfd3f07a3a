//! Timers are messages that become visible later: in one commit with their event, never early, once, and without anybody
//! who looks after them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, NEVER};
use everturn_runtime::Runtime;
use everturn_runtime::store::{Status, Time, decode_events};
use everturn_test_guests::script::Seen;
use rusqlite::Connection;
use serde_json::json;

use crate::room::{self, Room, activity, join, play, select, timer, wait, wait_at_most};

/// Far enough that no test lives to see it.
const HOUR: u64 = 60 * 60 * 1_000;

/// Timers in all histories that have neither fired nor been given up, and messages that are to fire one: both from one
/// state of the file.
fn timers_and_messages(file: &mut Connection) -> (i64, i64) {
    let snapshot = file.transaction().unwrap();
    let mut statement = snapshot.prepare("SELECT bytes FROM turn ORDER BY instance, number").unwrap();
    let turns: Vec<Vec<u8>> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut open = 0;
    for turn in turns {
        let mut events = Vec::new();
        decode_events(&turn, &mut events).unwrap();
        open += events.iter().map(opens).sum::<i64>();
    }
    let sql = "SELECT count(*) FROM message WHERE task IS NOT NULL";
    (open, snapshot.query_row(sql, [], |row| row.get(0)).unwrap())
}

fn opens(event: &HistoryEvent) -> i64 {
    match &event.event_type {
        Some(EventType::TimerCreated(timer)) => i64::from(timer.fire_at != Some(NEVER)),
        Some(EventType::TimerFired(_)) => -1,
        _ => 0,
    }
}

/// Every timer that fired, with when it was to fire and when the turn was that took it.
fn fires(history: &[HistoryEvent]) -> Vec<(i32, Time, Time)> {
    let mut due = BTreeMap::new();
    let mut turn = Time::FIRST;
    let mut fires = Vec::new();
    for event in history {
        match event.event_type.as_ref().unwrap() {
            EventType::WorkflowStarted(_) => turn = Time::at_or_after(event.timestamp.unwrap()),
            EventType::TimerCreated(timer) => {
                due.insert(event.event_id, Time::at_or_after(timer.fire_at.unwrap()));
            }
            EventType::TimerFired(fired) => fires.push((fired.timer_id, due[&fired.timer_id], turn)),
            _ => {}
        }
    }
    fires
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_and_its_message_are_written_and_taken_in_one_commit() {
    let room = Room::new();
    let host = room.open().await;
    let mut file = room.look();
    let watching = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let watches = watching.clone();
    let observer = std::thread::spawn(move || {
        let mut seen = std::collections::BTreeSet::new();
        while watches.load(std::sync::atomic::Ordering::Relaxed) {
            let (timers, messages) = timers_and_messages(&mut file);
            assert_eq!(timers, messages, "a timer without its message, or a message without its timer");
            seen.insert(timers);
        }
        seen
    });
    for number in 0..40 {
        play(&host, &number.to_string(), &[timer(number * 2), timer(1), activity("echo", 1), timer(3)]).await;
    }
    for number in 0..40 {
        room::log(&host, &number.to_string()).await;
    }
    watching.store(false, std::sync::atomic::Ordering::Relaxed);
    let seen = observer.join().unwrap();
    assert!(seen.len() > 1, "nothing was seen happening: {seen:?}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_fire_once_in_order_and_never_early() {
    let room = Room::new();
    let host = room.open().await;
    let delays = [40, 5, 0, 25, 5, 60, 1, 33];
    play(&host, "a", &[join(delays.into_iter().map(timer).collect()), timer(2), timer(0)]).await;
    room::log(&host, "a").await;
    let fires = fires(&host.history(&room::id("a")).await.unwrap());
    let mut ids: Vec<_> = fires.iter().map(|(id, ..)| *id).collect();
    let dues: Vec<_> = fires.iter().map(|(_, due, _)| *due).collect();
    assert!(fires.iter().all(|(_, due, turn)| turn >= due), "{fires:?}");
    assert!(dues.is_sorted(), "{fires:?}");
    ids.sort_unstable();
    assert_eq!(ids, (0..10).collect::<Vec<_>>(), "each once");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_is_not_visible_before_its_time() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[timer(HOUR)]).await;
    let instance = room::until(&host, "a", |instance| instance.turns == 1).await;
    let view = host.instance(&room::id("a")).await.unwrap();
    assert_eq!(view.open.messages, 1, "it is in the inbox");
    room::stop(host).await;
    let store = everturn_runtime::store::sqlite::SqliteStore::open(&room.file(), room.sqlite.clone()).unwrap();
    let inbox = async |time| everturn_runtime::store::Store::inbox(&store, instance.key, time, 10).await.unwrap();
    let due = instance.updated_at.after(Duration::from_millis(HOUR));
    assert_eq!(inbox(Time::from_micros(due.as_micros() - 1)).await, []);
    let messages = inbox(due).await;
    assert!(matches!(&messages[0].event.event_type, Some(EventType::TimerFired(_))), "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_that_were_due_while_the_host_was_down_fire_when_it_is_up_once_and_in_order() {
    let room = Room::new();
    let host = room.open().await;
    for name in ["a", "b"] {
        play(&host, name, &[join(vec![timer(3 * HOUR), timer(HOUR), timer(2 * HOUR), wait("go")])]).await;
        room::until(&host, name, |instance| instance.turns == 1).await;
    }
    room::stop(host).await;
    let file = Connection::open(room.file()).unwrap();
    // Four hours pass.
    file.execute("UPDATE message SET visible_at = visible_at - ?1", [4 * HOUR * 1_000]).unwrap();
    drop(file);
    let host = room.open_empty().await;
    for name in ["a", "b"] {
        room::raise(&host, name, "go", 1).await;
        room::log(&host, name).await;
        let fires = fires(&host.history(&room::id(name)).await.unwrap());
        assert_eq!(fires.iter().map(|(id, ..)| *id).collect::<Vec<_>>(), [1, 2, 0], "{fires:?}");
    }
    assert_eq!(host.statistics().wakeups, 0, "they were due, so nobody had to sleep for them");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_that_nobody_waits_for_any_more_leaves_no_message() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[select(wait("go"), timer(HOUR)), wait_at_most("on", HOUR), wait("end")]).await;
    room::until(&host, "a", |instance| instance.turns == 1).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.messages, 1);
    room::raise(&host, "a", "go", 1).await;
    room::until(&host, "a", |instance| instance.turns == 2).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.messages, 1, "the limit of the second wait");
    room::raise(&host, "a", "on", 2).await;
    room::until(&host, "a", |instance| instance.turns == 3).await;
    assert_eq!(host.instance(&room::id("a")).await.unwrap().open.messages, 0, "a wait without limit has none");
    room::raise(&host, "a", "end", 3).await;
    assert_eq!(room::log(&host, "a").await[1], Seen::Event(Some(json!(2))));
    assert_eq!(host.statistics().wakeups, 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_runs_out_is_told_and_an_event_in_time_wins() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "late", &[wait_at_most("go", 5), wait("go")]).await;
    play(&host, "early", &[wait("first"), wait_at_most("go", 1), wait("go")]).await;
    room::raise(&host, "early", "go", 1).await;
    room::raise(&host, "early", "first", 0).await;
    room::until(&host, "late", |instance| instance.turns >= 2).await;
    room::raise(&host, "late", "go", 1).await;
    room::raise(&host, "early", "go", 2).await;
    assert_eq!(room::log(&host, "late").await, [Seen::Event(None), Seen::Event(Some(json!(1)))]);
    let seen = room::log(&host, "early").await;
    assert_eq!(seen[1..], [Seen::Event(Some(json!(1))), Seen::Event(Some(json!(2)))]);
    room::stop(host).await;
}

/// Starts so many that sleep until a moment.
async fn start_sleepers(host: &Runtime, prefix: &str, count: usize, moment: SystemTime) {
    let starts = (0..count).map(|number| {
        let (host, id) = (host.clone(), format!("{prefix}{number}"));
        tokio::spawn(async move { room::start(&host, "sleeps_until", &id, &moment).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await.unwrap();
    }
}

/// They have slept until then, and were woken once.
async fn have_slept(host: &Runtime, prefix: &str, count: usize, moment: SystemTime) {
    for number in 0..count {
        let id = format!("{prefix}{number}");
        let end: SystemTime = serde_json::from_value(room::result(host, &id).await).unwrap();
        assert!(end >= moment, "{:?} early", moment.duration_since(end));
        assert_eq!(fires(&host.history(&room::id(&id)).await.unwrap()).len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_timers_of_one_moment_fire_once_each_with_few_wakeups() {
    let room = Room::new();
    let host = room.open().await;
    let moment = SystemTime::now() + Duration::from_secs(10);
    start_sleepers(&host, "s", 1_000, moment).await;
    have_slept(&host, "s", 1_000, moment).await;
    let statistics = host.statistics();
    assert!(statistics.wakeups <= 20, "one moment needs one wake-up, and a few for late comers: {statistics:?}");
    assert_eq!(statistics.conflicts, 0);
    room::stop(host).await;
}

/// They are looked for, and their turns are played, a moment before. Several times, since a busy machine may be too late for that.
#[tokio::test(flavor = "multi_thread")]
async fn timers_that_are_found_ahead_of_their_time_wait_for_it() {
    let room = Room::new();
    let host = room.open().await;
    let first = SystemTime::now() + Duration::from_secs(5);
    let moments: Vec<_> = (0..10).map(|number| (number, first + Duration::from_millis(100) * number)).collect();
    for (number, moment) in &moments {
        start_sleepers(&host, &format!("s{number}-"), 100, *moment).await;
    }
    let mut changes = host.changes();
    for _ in 0..1_000 {
        let ended = room::within(changes.recv()).await.unwrap();
        let (_, moment) = moments[ended.id.as_str()[1..2].parse::<usize>().unwrap()];
        assert!(SystemTime::now() >= moment, "{} was seen to end before its time", ended.id);
    }
    for (number, moment) in moments {
        have_slept(&host, &format!("s{number}-"), 100, moment).await;
    }
    assert!(host.statistics().foreseen > 0, "nobody was ready");
    room::stop(host).await;
}

/// Also one that comes when the turn without it was played already. Again, since a busy machine may be too late for that.
#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_acknowledged_before_a_timer_is_due_comes_first() {
    let room = Room::new();
    let host = room.open().await;
    let mut in_time = 0;
    for round in 0..50 {
        let names: Vec<_> = (0..50).map(|number| format!("{round}-{number}")).collect();
        for name in &names {
            play(&host, name, &[select(wait("go"), timer(1_000))]).await;
        }
        let mut first = Vec::new();
        for name in &names {
            let due = due(&host.history(&room::id(name)).await.unwrap());
            room::until_true(async || SystemTime::now() + Duration::from_millis(10) >= due).await;
            // It may have ended.
            let raised = host.raise_event(&room::id(name), "go", Some("1".to_owned())).await;
            first.extend((raised.is_ok() && SystemTime::now() < due).then_some(name));
        }
        for name in &first {
            let seen = room::log(&host, name).await;
            assert!(matches!(seen[..], [Seen::Selected { winner: 0, .. }]), "{name}: {seen:?}");
        }
        in_time += first.len();
        if in_time >= 100 {
            return room::stop(host).await;
        }
    }
    panic!("only {in_time} events were acknowledged in time");
}

/// The same where many are due at one moment: their turns are on their way to the disk before it.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_terminated_before_the_moment_of_a_crowd_does_not_wake() {
    let room = Room::new();
    let host = room.open().await;
    let mut in_time = 0;
    for round in 0..20_u32 {
        let moment = SystemTime::now() + Duration::from_secs(3);
        start_sleepers(&host, &format!("{round}-"), 300, moment).await;
        let ends = (0..300_u64).map(|number| {
            let (host, id) = (host.clone(), room::id(&format!("{round}-{number}")));
            tokio::spawn(async move {
                let ahead = moment - Duration::from_millis(number / 5);
                tokio::time::sleep(ahead.duration_since(SystemTime::now()).unwrap_or_default()).await;
                // It may have ended.
                let told = host.terminate(&id, None, false).await;
                (told.is_ok() && SystemTime::now() < moment).then_some(id)
            })
        });
        for end in ends.collect::<Vec<_>>() {
            if let Some(id) = end.await.unwrap() {
                room::until_status(&host, id.as_str(), Status::Terminated).await;
                in_time += 1;
            }
        }
        if in_time >= 300 {
            return room::stop(host).await;
        }
    }
    panic!("only {in_time} were terminated in time");
}

/// When the first timer of a history is due that is ever due.
fn due(history: &[HistoryEvent]) -> SystemTime {
    let created = history.iter().find_map(|event| match &event.event_type {
        Some(EventType::TimerCreated(timer)) => timer.fire_at.filter(|fire_at| *fire_at != NEVER),
        _ => None,
    });
    let micros = Time::at_or_after(created.unwrap()).as_micros();
    UNIX_EPOCH + Duration::from_micros(micros.try_into().unwrap())
}

/// Its turn is played ahead like any other, and nothing is made of it before its time.
#[tokio::test(flavor = "multi_thread")]
async fn code_that_stops_when_its_timer_fires_is_held_as_ever() {
    let room = Room::new();
    let host = room.open().await;
    for number in 0..100 {
        room::start(&host, "panics_after_await", &number.to_string(), &"on purpose").await;
    }
    for number in 0..100 {
        let held = room::until_status(&host, &number.to_string(), Status::Stalled).await;
        assert!(held.stalled.unwrap().contains("on purpose"));
        let due = due(&host.history(&held.id).await.unwrap());
        assert!(SystemTime::now() >= due, "it was held before its time");
        assert_eq!(host.instance(&held.id).await.unwrap().open.messages, 1, "its timer waits for better code");
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sleeps_is_ready_when_the_time_comes() {
    let room = Room::new();
    let host = room.open().await;
    // A busy machine may be too late to get one ready, and then nothing is different: so until it is not.
    let mut number = 0;
    room::within(async {
        while host.statistics().foreseen == 0 {
            number += 1;
            let name = format!("sleeps{number}");
            play(&host, &name, &[timer(500)]).await;
            assert_eq!(room::log(&host, &name).await, [Seen::Timer]);
            let fires = fires(&host.history(&room::id(&name)).await.unwrap());
            assert!(matches!(fires[..], [(0, due, turn)] if turn >= due), "{fires:?}");
        }
    })
    .await;
    room::stop(host).await;
}

/// Whatever happens first, each timer fires once at most, and a wait that ended leaves none.
#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_is_ready_for_its_timer_may_have_another_turn_first() {
    let room = Room::new();
    let host = room.open().await;
    let script = [select(wait("go"), timer(400)), timer(200)];
    for number in 0..20 {
        play(&host, &number.to_string(), &script).await;
    }
    // Those that are ready are in memory.
    room::until_true(async || host.statistics().live_guests > 0 || host.statistics().foreseen > 0).await;
    for number in 0..20 {
        room::raise(&host, &number.to_string(), "go", 1).await;
    }
    for number in 0..20 {
        let name = number.to_string();
        assert_eq!(room::log(&host, &name).await.len(), 2);
        let fires = fires(&host.history(&room::id(&name)).await.unwrap());
        assert!(fires.iter().all(|(_, due, turn)| turn >= due), "{fires:?}");
        assert!(fires.iter().map(|(id, ..)| id).is_sorted_by(|one, next| one < next), "{fires:?}");
        assert_eq!(host.instance(&room::id(&name)).await.unwrap().open.messages, 0);
    }
    assert_eq!(host.statistics().conflicts, 0, "what was read before that turn is not used after it");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_live_guests_nobody_is_made_ready_and_timers_fire_all_the_same() {
    let mut room = Room::new();
    room.options.live_guests = 0;
    let host = room.open().await;
    for number in 0..20 {
        play(&host, &number.to_string(), &[timer(100 + number)]).await;
    }
    for number in 0..20 {
        assert_eq!(room::log(&host, &number.to_string()).await, [Seen::Timer]);
    }
    assert_eq!(host.statistics().foreseen, 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_only_far_away_timers_are_pending_nobody_wakes_up() {
    let room = Room::new();
    let host = room.open().await;
    for number in 0..20 {
        play(&host, &format!("far{number}"), &[timer(HOUR + number)]).await;
    }
    play(&host, "busy", &(0..50).map(|_| wait("go")).collect::<Vec<_>>()).await;
    for number in 0..50 {
        room::raise(&host, "busy", "go", number).await;
    }
    assert_eq!(room::log(&host, "busy").await.len(), 50);
    assert_eq!(host.statistics().wakeups, 0);
    play(&host, "near", &[timer(1), timer(1), timer(1)]).await;
    room::log(&host, "near").await;
    let wakeups = host.statistics().wakeups;
    assert!((1..=3).contains(&wakeups), "{wakeups} wake-ups for three timers");
    let count: u64 =
        host.count().await.unwrap().iter().filter(|(status, _)| *status == Status::Running).map(|(_, n)| n).sum();
    assert_eq!(count, 20);
    room::stop(host).await;
}
