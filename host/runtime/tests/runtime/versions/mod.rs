//! Versions: the gate says what a new one does to all that is open, and afterwards every instance ends on the version that it
//! should.
//!
//! - `gate`: what it says; `moves`: who moves, by itself and by hand, and back; `races`: what meets in one moment
//! - `held`: who could not go on, and can; `resets`: who goes back in its history first
//! - `successors`: where what belongs to them begins

mod gate;
mod held;
mod moves;
mod races;
mod resets;
mod successors;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use everturn_history::history_event::EventType;
use everturn_runtime::store::{Status, StoreError, Successors};
use everturn_runtime::{
    ActivateRequest, Activities, ActivityError, CauseKind, DeployRequest, Deployed, Gate, Moving, OnProgress, Progress,
    RequestError, Rollout, Runtime, Strategy,
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
fn rebuilt(mut wasm: Vec<u8>) -> Vec<u8> {
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
