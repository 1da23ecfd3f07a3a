//! Who is held, and goes on by itself when there is a version that fits.

use std::time::Duration;

use everturn_runtime::store::sqlite::SqliteStore;
use everturn_runtime::store::{Activation, Follow, Store, Time};
use everturn_test_guests::script::Seen;
use everturn_tests::guests::TEST_GUESTS;

use super::*;

/// How long the timer runs that must not be forgotten: it is released before that.
const TIMER: Duration = Duration::from_secs(3);

/// Has an instance held that arrives on a version that does not come this far.
async fn stumble(host: &Runtime, name: &str) {
    deploy(host, "stumbles").await;
    room::start(host, "journey", name, &name).await;
    raise(host, name, "depart").await;
    raise(host, name, "arrive").await;
    room::until_status(host, name, Status::Stalled).await;
}

/// Nobody is checked.
fn unchecked(strategy: Strategy) -> Rollout {
    Rollout { strategy, gate: Gate::Off, ..Rollout::default() }
}

async fn activate(host: &Runtime, label: &str, rollout: Rollout) {
    let request = ActivateRequest { label: label.to_owned(), rollout, dry_run: false };
    assert!(host.activate(request, None).await.unwrap().is_active);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_and_was_not_checked_goes_on_where_it_fits() {
    let (_room, host) = first().await;
    stumble(&host, "held").await;
    host.deploy(DeployRequest { rollout: unchecked(Strategy::Upgrade), ..request("later") }).await.unwrap();
    assert_eq!(room::result(&host, "held").await, json!(["later", "later", "later"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_rollbacks_in_a_row_take_along_whom_the_last_version_stopped() {
    let (_room, host) = first().await;
    activate(&host, "first", unchecked(Strategy::Pin)).await;
    host.deploy(DeployRequest { rollout: unchecked(Strategy::Pin), ..request("reordered") }).await.unwrap();
    host.deploy(DeployRequest { rollout: unchecked(Strategy::Pin), ..request("stumbles") }).await.unwrap();
    room::start(&host, "journey", "held", &"held").await;
    room::start(&host, "journey", "open", &"open").await;
    raise(&host, "held", "depart").await;
    raise(&host, "held", "arrive").await;
    room::until_status(&host, "held", Status::Stalled).await;
    room::until(&host, "open", |instance| instance.events >= 6).await;
    host.roll_back().await.unwrap();
    room::until_status(&host, "held", Status::Stalled).await;
    host.roll_back().await.unwrap();
    assert_eq!(room::result(&host, "held").await, json!(["first", "first", "first"]));
    let open = [("open".to_owned(), Point::Depart)];
    assert_eq!(finish(&host, &open).await["open"], ["first", "first", "first"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_goes_on_after_a_crash_right_after_the_activation() {
    let (room, host) = first().await;
    stumble(&host, "held").await;
    host.deploy(DeployRequest { rollout: unchecked(Strategy::Pin), ..request("later") }).await.unwrap();
    let later = host.deployments().await.unwrap().into_iter().find(|one| one.label == "later").unwrap().id;
    room::stop(host).await;
    let store = SqliteStore::open(&room.file(), room.sqlite.clone()).unwrap();
    let at = Time::from_micros(1);
    store.activate(Activation { deployment: later, follow: Follow::Everybody, share: None, at }).await.unwrap();
    store.close().await;
    drop(store);
    let host = room.open_empty().await;
    assert_eq!(room::result(&host, "held").await, json!(["later", "later", "later"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_in_the_moment_in_which_a_version_comes_goes_on_there() {
    // Given an instance whose turn waits for one that does not end,
    let (mut room, host) = first().await;
    for version in ["loops", "later"] {
        host.deploy(DeployRequest { rollout: unchecked(Strategy::Pin), ..request(version) }).await.unwrap();
    }
    deploy(&host, "stumbles").await;
    let all = [("slow".to_owned(), Point::Arrive)];
    room::start(&host, "journey", "slow", &"slow").await;
    raise(&host, "slow", "depart").await;
    room::until(&host, "slow", |instance| instance.events >= 10).await;
    room::stop(host).await;
    room.options.parallel_turns = 1;
    let host = room.open_empty().await;
    let mut endless = room::request("journey", "endless", &"endless");
    endless.version = Some("loops".to_owned());
    host.start(endless).await.unwrap();
    raise(&host, "slow", "arrive").await;
    // when a version comes before the instance is held by the old one,
    activate(&host, "later", unchecked(Strategy::Upgrade)).await;
    // then it goes on on the new one.
    assert_eq!(room::result(&host, &all[0].0).await, json!(["later", "later", "later"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timers_of_who_was_held_count_again() {
    // Given an instance that is held while its timer runs, since its component is damaged,
    let room = Room::new();
    let host = room.open().await;
    let wasm = rebuilt(TEST_GUESTS.bytes().unwrap());
    let rollout = unchecked(Strategy::Pin);
    let rebuilt = DeployRequest { wasm, label: Some("rebuilt".to_owned()), rollout, ..DeployRequest::default() };
    host.deploy(rebuilt).await.unwrap();
    host.roll_back().await.unwrap();
    let steps = [room::join(vec![room::wait("go"), room::timer(TIMER.as_millis() as u64)])];
    room::play(&host, "slow", &steps).await;
    room::until(&host, "slow", |instance| instance.events >= 3).await;
    room::stop(host).await;
    let damaged = rusqlite::Connection::open(room.file()).unwrap();
    let sql =
        "UPDATE component SET wasm = x'00' WHERE digest <> (SELECT digest FROM deployment WHERE label = 'rebuilt')";
    assert_eq!(damaged.execute(sql, []).unwrap(), 1);
    drop(damaged);
    let host = room.open_empty().await;
    room::raise(&host, "slow", "go", "gone").await;
    room::until_status(&host, "slow", Status::Stalled).await;
    // and whose timer is forgotten, since another one was due meanwhile,
    let mut soon = room::request("script", "soon", &json!([]));
    soon.starts_at = Some(Time::from_micros(clock() + 1_000));
    host.start(soon).await.unwrap();
    room::until_status(&host, "soon", Status::Stalled).await;
    // when a version comes that can be had, then the timer fires.
    activate(&host, "rebuilt", Rollout::default()).await;
    assert_eq!(room::log(&host, "slow").await, [Seen::Joined(vec![Seen::Event(Some(json!("gone"))), Seen::Timer])]);
    room::stop(host).await;
}

fn clock() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    now.as_micros().try_into().unwrap()
}
