//! Versions: the gate says what a new one does to all that is open, and afterwards every instance ends on the version that it
//! should.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, StoreError, Successors};
use everturn_runtime::{
    ActivateRequest, Activities, ActivityError, CauseKind, DeployRequest, Deployed, Gate, RequestError, Rollout,
    Runtime, Strategy,
};
use everturn_tests::guests::{SOCKET, in_version};
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};

use crate::room::{self, Room, id, within};

/// How many instances are open when a version is deployed.
const MANY: usize = 1_000;
/// How many things are asked of the host at the same time.
const AT_A_TIME: usize = 64;

/// The same code with another digest: a custom section that says nothing.
fn rebuilt(version: &str) -> Vec<u8> {
    let mut wasm = in_version(version);
    wasm.extend([0, 5, 4, b'n', b'o', b'n', b'e']);
    wasm
}

fn request(version: &str) -> DeployRequest {
    DeployRequest { wasm: in_version(version), label: Some(version.to_owned()), ..DeployRequest::default() }
}

async fn deploy(host: &Runtime, version: &str) -> Deployed {
    host.deploy(request(version)).await.unwrap()
}

/// A host with the first version, and activities that do nothing.
async fn first() -> (Room, Runtime) {
    let names = ["pack", "unpack", "insure", "rest", "celebrate"];
    let activities = names.into_iter().fold(Activities::new(), |activities, name| {
        activities.with(name, |_context, _name: Value| async { Ok::<_, ActivityError>(()) })
    });
    let room = Room::with(activities);
    let host = room.open_empty().await;
    assert!(deploy(&host, "first").await.is_active);
    (room, host)
}

/// Where an instance waits when a new version comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    Depart,
    Arrive,
}

fn points(count: usize) -> Vec<(String, Point)> {
    let point = |number: usize| if number.is_multiple_of(2) { Point::Depart } else { Point::Arrive };
    (0..count).map(|number| (format!("journey-{number:04}"), point(number))).collect()
}

/// Does something for all of them, several at a time.
async fn for_all<F: Future<Output = ()>>(all: &[(String, Point)], each: impl Fn(String, Point) -> F) {
    let all: Vec<_> = all.iter().map(|(name, point)| each(name.clone(), *point)).collect();
    stream::iter(all).buffer_unordered(AT_A_TIME).collect::<()>().await;
}

async fn raise(host: &Runtime, name: &str, event: &str) {
    host.raise_event(&id(name), event, None).await.unwrap();
}

/// Instances that wait at their points.
async fn under_way(host: &Runtime, count: usize) -> Vec<(String, Point)> {
    let all = points(count);
    for_all(&all, async |name, point| {
        room::start(host, "journey", &name, &name).await;
        if point == Point::Arrive {
            raise(host, &name, "depart").await;
        }
        let events = if point == Point::Arrive { 10 } else { 6 };
        room::until(host, &name, |instance| instance.events >= events).await;
    })
    .await;
    all
}

/// Lets all of them come to their end, and gives what each says that it ran on.
async fn finish(host: &Runtime, all: &[(String, Point)]) -> BTreeMap<String, Vec<String>> {
    let ended = Mutex::new(BTreeMap::new());
    for_all(all, async |name, point| {
        if point == Point::Depart {
            raise(host, &name, "depart").await;
        }
        raise(host, &name, "arrive").await;
        let parts = room::result(host, &name).await;
        ended.lock().unwrap().insert(name, serde_json::from_value(parts).unwrap());
    })
    .await;
    ended.into_inner().unwrap()
}

/// The activities that an instance called, in order.
async fn called(host: &Runtime, name: &str) -> Vec<String> {
    let events = room::history(host, name).await;
    events
        .into_iter()
        .filter_map(|event| match event {
            EventType::TaskScheduled(task) => Some(task.name),
            _ => None,
        })
        .collect()
}

/// How often an instance moved.
async fn moves(host: &Runtime, name: &str) -> usize {
    room::history(host, name).await.iter().filter(|event| matches!(event, EventType::VersionChanged(_))).count()
}

fn counts(deployed: &Deployed) -> (u64, u64, u64) {
    let report = &deployed.report;
    (report.compatible, report.diverged, report.not_checked)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_identical_rebuild_takes_over_everything() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let request = DeployRequest { wasm: rebuilt("first"), label: Some("again".into()), ..DeployRequest::default() };
    let deployed = host.deploy(request).await.unwrap();
    assert_eq!((counts(&deployed), deployed.is_active), ((1_000, 0, 0), true));
    let ended = finish(&host, &all).await;
    assert_eq!(ended.values().collect::<BTreeSet<_>>().len(), 1);
    for (name, _) in all.iter().step_by(97) {
        assert_eq!(moves(&host, name).await, 1);
        assert_eq!(host.instance(&id(name)).await.unwrap().deployment.as_deref(), Some("again"));
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_after_the_wait_points_fits_all_and_is_what_they_do_then() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "later").await;
    assert_eq!(counts(&deployed), (1_000, 0, 0));
    let ended = finish(&host, &all).await;
    for (name, point) in &all {
        assert_eq!(ended[name], ["later", "later", "later"], "{point:?}: what was done is done again by the new code");
    }
    assert_eq!(called(&host, &all[0].0).await, ["pack", "unpack", "celebrate"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_reorders_activities_leaves_those_that_have_done_them_where_they_are() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "reordered").await;
    assert_eq!((counts(&deployed), deployed.is_active), ((0, 1_000, 0), true));
    let [cause] = &deployed.report.causes[..] else { panic!("{:?}", deployed.report.causes) };
    assert_eq!((cause.kind, cause.count, cause.instances.len()), (CauseKind::Mismatch, 1_000, 1_000));
    assert_eq!((cause.recorded.as_str(), cause.candidate.as_str()), ("activity \"pack\"", "activity \"unpack\""));
    assert_eq!((cause.instances[0].id.as_str(), cause.instances[0].event), ("journey-0000", Some(3)));
    room::start(&host, "journey", "new", &"new").await;
    let mut with_new = all.clone();
    with_new.push(("new".to_owned(), Point::Depart));
    let ended = finish(&host, &with_new).await;
    assert_eq!(ended["new"], ["reordered", "reordered", "reordered"]);
    for (name, _) in &all {
        assert_eq!(ended[name], ["first", "first", "first"]);
    }
    assert_eq!(moves(&host, &all[1].0).await, 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_behind_a_patch_fits_all_and_holds_for_those_that_have_not_passed_it() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "patched").await;
    assert_eq!(counts(&deployed), (1_000, 0, 0));
    finish(&host, &all).await;
    for (name, point) in &all {
        let expected: &[&str] = match point {
            Point::Depart => &["pack", "insure", "unpack", "rest"],
            Point::Arrive => &["pack", "unpack", "rest"],
        };
        assert_eq!(called(&host, name).await, expected, "{point:?}");
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_cannot_run_what_is_open_does_not_become_active() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let panics = deploy(&host, "panics").await;
    assert_eq!((counts(&panics), panics.is_active), ((0, 1_000, 0), false));
    let [cause] = &panics.report.causes[..] else { panic!("{:?}", panics.report.causes) };
    assert_eq!(cause.kind, CauseKind::Fault);
    assert!(cause.candidate.contains("this version does not work"), "{}", cause.candidate);
    let loops = deploy(&host, "loops").await;
    let (compatible, diverged, not_checked) = counts(&loops);
    assert!(compatible == 0 && (1..100).contains(&diverged) && diverged + not_checked == 1_000, "{loops:?}");
    assert_eq!((loops.report.causes[0].kind, loops.is_active), (CauseKind::Timeout, false));
    let ended = finish(&host, &all).await;
    assert!(ended.values().all(|parts| *parts == ["first", "first", "first"]));
    room::start(&host, "journey", "new", &"new").await;
    let new = vec![("new".to_owned(), Point::Depart)];
    assert_eq!(finish(&host, &new).await["new"], ["first", "first", "first"], "starts go where they went");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_component_or_reaches_too_far_is_refused_and_nothing_changes() {
    let (_room, host) = first().await;
    let all = under_way(&host, 10).await;
    for wasm in [b"garbage".to_vec(), SOCKET.bytes().unwrap()] {
        let refused = host.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await.unwrap_err();
        assert!(matches!(refused, RequestError::Component(_)), "{refused}");
    }
    assert_eq!(host.deployments().await.unwrap().len(), 1);
    assert_eq!(host.gate_reports().await.unwrap().len(), 1, "that of the first one");
    let ended = finish(&host, &all).await;
    assert!(ended.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_the_same_and_changes_nothing() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    let dry = host.deploy(DeployRequest { dry_run: true, ..request("reordered") }).await.unwrap();
    assert_eq!((counts(&dry), dry.is_active), ((0, 20, 0), false));
    assert_eq!(host.deployments().await.unwrap().len(), 1);
    let reports = host.gate_reports().await.unwrap();
    assert_eq!((reports[0].0.as_str(), &reports[0].2), ("reordered", &dry.report), "it can be shown again");
    let sample = Rollout { gate: Gate::Sample(5), ..Rollout::default() };
    let sampled = host.deploy(DeployRequest { dry_run: true, rollout: sample, ..request("later") }).await.unwrap();
    assert_eq!(counts(&sampled), (5, 0, 15));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_checked_is_checked_when_it_would_move() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    let unchecked = Rollout { gate: Gate::Off, ..Rollout::default() };
    let deployed = host.deploy(DeployRequest { rollout: unchecked, ..request("reordered") }).await.unwrap();
    assert_eq!((counts(&deployed), deployed.is_active), ((0, 0, 20), true));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_rollout_and_who_asked_for_a_version_stay() {
    let (_room, host) = first().await;
    let mut all = under_way(&host, 10).await;
    let pin = Rollout { strategy: Strategy::Pin, ..Rollout::default() };
    host.deploy(DeployRequest { rollout: pin, ..request("later") }).await.unwrap();
    let mut asked = room::request("journey", "asked", &"asked");
    asked.version = Some("first".to_owned());
    host.start(asked).await.unwrap();
    host.activate(ActivateRequest { label: "later".to_owned(), rollout: pin, dry_run: false }, None).await.unwrap();
    all.push(("asked".to_owned(), Point::Depart));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_brings_back_who_moved() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    deploy(&host, "later").await;
    // Half of them take a turn on the new version.
    for (name, _) in all.iter().filter(|(_, point)| *point == Point::Depart) {
        raise(&host, name, "depart").await;
        room::until(&host, name, |instance| instance.events >= 10).await;
        assert_eq!(moves(&host, name).await, 1);
    }
    let undone = host.roll_back().await.unwrap();
    assert_eq!(undone.label, "later");
    assert!(undone.workflows.contains(&("journey".to_owned(), Some("first".to_owned()))), "{undone:?}");
    let waiting: Vec<_> = all.iter().map(|(name, _)| (name.clone(), Point::Arrive)).collect();
    assert!(finish(&host, &waiting).await.values().all(|parts| *parts == ["first", "first", "first"]));
    assert_eq!((moves(&host, &all[0].0).await, moves(&host, &all[1].0).await), (2, 0));
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(host.instance(&id("new")).await.unwrap().deployment.as_deref(), Some("first"));
    host.roll_back().await.unwrap();
    let nothing = host.roll_back().await.unwrap_err();
    assert!(matches!(nothing, RequestError::NothingToUndo), "{nothing}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_code_that_stops_in_its_first_turn_leaves_the_turn_to_the_old() {
    let (_room, host) = first().await;
    let all = under_way(&host, 10).await;
    let deployed = deploy(&host, "stumbles").await;
    assert_eq!((counts(&deployed), deployed.is_active), ((10, 0, 0), true), "replay checks the past");
    let arriving: Vec<_> = all.iter().filter(|(_, point)| *point == Point::Arrive).cloned().collect();
    let ended = finish(&host, &arriving).await;
    assert!(ended.values().all(|parts| *parts == ["first", "first", "first"]), "{ended:?}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_goes_on_when_a_version_comes_that_fits() {
    let (_room, host) = first().await;
    deploy(&host, "stumbles").await;
    room::start(&host, "journey", "held", &"held").await;
    raise(&host, "held", "depart").await;
    raise(&host, "held", "arrive").await;
    room::until_status(&host, "held", Status::Stalled).await;
    let deployed = deploy(&host, "later").await;
    assert_eq!(counts(&deployed), (1, 0, 0));
    assert_eq!(room::result(&host, "held").await, json!(["later", "later", "later"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_is_moved_by_hand_if_it_fits() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    let pin = Rollout { strategy: Strategy::Pin, gate: Gate::Off, ..Rollout::default() };
    for version in ["later", "reordered"] {
        host.deploy(DeployRequest { rollout: pin, ..request(version) }).await.unwrap();
    }
    let name = &all[0].0;
    let misfit = host.move_to(&id(name), "reordered").await.unwrap_err();
    assert!(matches!(&misfit, RequestError::DoesNotFit { .. }), "{misfit}");
    assert!(misfit.to_string().contains("recorded: activity \"pack\""), "{misfit}");
    let unknown = host.move_to(&id(name), "nowhere").await.unwrap_err();
    assert!(matches!(&unknown, RequestError::UnknownDeployment { .. }), "{unknown}");
    host.move_to(&id(name), "later").await.unwrap();
    room::until_true(async || host.instance(&id(name)).await.unwrap().deployment.as_deref() == Some("later")).await;
    assert_eq!(moves(&host, name).await, 1);
    let ended = finish(&host, &all).await;
    assert_eq!((&ended[name][2], &ended[&all[1].0][2]), (&"later".to_owned(), &"first".to_owned()));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_moved_by_hand_stays_there() {
    let (_room, host) = first().await;
    let all = under_way(&host, 1).await;
    let name = &all[0].0;
    deploy(&host, "later").await;
    raise(&host, name, "depart").await;
    room::until(&host, name, |instance| instance.events >= 10).await;
    host.move_to(&id(name), "first").await.unwrap();
    room::until_true(async || host.instance(&id(name)).await.unwrap().deployment.as_deref() == Some("first")).await;
    raise(&host, name, "arrive").await;
    assert_eq!(room::result(&host, name).await, json!(["first", "first", "first"]));
    assert_eq!(moves(&host, name).await, 2);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_lets_go_on_whom_the_undone_version_stopped() {
    let (_room, host) = first().await;
    let all = under_way(&host, 1).await;
    let name = &all[0].0;
    deploy(&host, "stumbles").await;
    raise(&host, name, "depart").await;
    room::until(&host, name, |instance| instance.events >= 10).await;
    raise(&host, name, "arrive").await;
    room::until_status(&host, name, Status::Stalled).await;
    host.roll_back().await.unwrap();
    assert_eq!(room::result(&host, name).await, json!(["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_has_not_begun_does_not_make_a_broken_version_work() {
    let (_room, host) = first().await;
    under_way(&host, 2).await;
    let mut later = room::request("journey", "waits", &"waits");
    later.starts_at = Some(everturn_runtime::store::Time::from_micros(i64::MAX / 2));
    host.start(later).await.unwrap();
    let deployed = deploy(&host, "panics").await;
    assert_eq!((counts(&deployed), deployed.is_active, deployed.is_broken), ((1, 2, 0), false, true));
    let unmoved = host.move_to(&id("waits"), "first").await.unwrap_err();
    assert!(unmoved.to_string().contains("it has not begun"), "{unmoved}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_gets_a_share_of_new_starts_and_nobody_moves() {
    let (_room, host) = first().await;
    let all = under_way(&host, 4).await;
    let trial = Rollout { share: Some(50), ..Rollout::default() };
    host.deploy(DeployRequest { rollout: trial, ..request("later") }).await.unwrap();
    let mut seen = BTreeSet::new();
    for number in 0..50 {
        let name = format!("trial-{number}");
        room::start(&host, "journey", &name, &name).await;
        seen.insert(host.instance(&id(&name)).await.unwrap().deployment);
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    let impossible = Rollout { share: Some(100), ..Rollout::default() };
    let refused = host.deploy(DeployRequest { rollout: impossible, ..request("patched") }).await.unwrap_err();
    assert!(matches!(refused, RequestError::InvalidShare { share: 100 }), "{refused}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_retired_when_nobody_needs_it() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    deploy(&host, "reordered").await;
    let needed = host.retire("first").await.unwrap_err();
    assert!(matches!(needed, RequestError::Store(StoreError::InstancesLeft { count: 2, .. })), "{needed}");
    let active = host.retire("reordered").await.unwrap_err();
    assert!(matches!(active, RequestError::Store(StoreError::Active { .. })), "{active}");
    finish(&host, &all).await;
    host.retire("first").await.unwrap();
    let gone = host.activate(ActivateRequest { label: "first".into(), ..ActivateRequest::default() }, None).await;
    assert!(gone.is_err());
    assert!(deploy(&host, "first").await.is_active, "deployed again, it is there again");
    room::stop(host).await;
}

/// Which versions spoke in which turn of which instance.
type Told = BTreeMap<(String, u32), Vec<String>>;

#[tokio::test(flavor = "multi_thread")]
async fn no_turn_runs_on_two_versions_while_they_are_swapped_under_load() {
    // Given activities that note which version told them, in which turn of which instance,
    let told: Arc<Mutex<Told>> = Arc::default();
    let noting = Arc::clone(&told);
    let activities =
        Activities::new().with("tell", move |context: everturn_runtime::ActivityContext, (turn, version)| {
            let key = (context.call().instance_id.to_string(), turn);
            noting.lock().unwrap().entry(key).or_default().push(version);
            async { Ok::<_, ActivityError>(()) }
        });
    let room = Room::with(activities);
    let host = room.open_empty().await;
    deploy(&host, "first").await;
    let names: Vec<_> = (0..40).map(|number| format!("steady-{number}")).collect();
    for name in &names {
        room::start(&host, "steady", name, &Value::Null).await;
    }

    // when two versions are swapped twenty times while starts and events keep flowing,
    let swapping = tokio::spawn({
        let host = host.clone();
        async move {
            for round in 0..20 {
                let version = if round % 2 == 0 { "later" } else { "first" };
                assert!(deploy(&host, version).await.is_active);
            }
        }
    });
    let mut rounds = 0;
    let mut started = Vec::new();
    while !swapping.is_finished() || rounds < 5 {
        for name in &names {
            host.raise_event(&id(name), "next", Some("true".to_owned())).await.unwrap();
        }
        let name = format!("started-{rounds}");
        room::start(&host, "steady", &name, &Value::Null).await;
        started.push(name);
        rounds += 1;
    }
    swapping.await.unwrap();

    // then none failed, and each turn was told by one version.
    for name in &started {
        host.raise_event(&id(name), "next", Some("false".to_owned())).await.unwrap();
        assert_eq!(room::result(&host, name).await, json!(1));
    }
    for name in &names {
        host.raise_event(&id(name), "next", Some("false".to_owned())).await.unwrap();
        assert_eq!(room::result(&host, name).await, json!(rounds + 1));
    }
    room::stop(host).await;
    let told = told.lock().unwrap();
    for (turn, versions) in told.iter() {
        assert!(versions.windows(2).all(|pair| pair[0] == pair[1]), "{turn:?}: {versions:?}");
    }
    let versions: BTreeSet<_> = told.values().flatten().collect();
    assert_eq!(versions.len(), 2, "both were at work: {versions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_and_versions_are_there_after_a_restart() {
    let (room, host) = first().await;
    let all = under_way(&host, 4).await;
    deploy(&host, "later").await;
    room::stop(host).await;
    let host = room.open_empty().await;
    assert_eq!(finish(&host, &all).await[&all[0].0], ["later", "later", "later"]);
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(host.instance(&id("new")).await.unwrap().deployment.as_deref(), Some("later"));
    within(host.roll_back()).await.unwrap();
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_component_may_keep_what_belongs_to_it() {
    let (_room, host) = first().await;
    let same = DeployRequest { successors: Successors::Same, ..request("later") };
    host.deploy(same).await.unwrap();
    let deployment = host.deployments().await.unwrap().into_iter().find(|one| one.label == "later").unwrap();
    assert_eq!(deployment.successors, Successors::Same);
    room::stop(host).await;
}
