//! What tests of the store on SQLite have in common.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use everturn_history::{InstanceId, event};
use everturn_store::sqlite::{SqliteOptions, SqliteStore};
use everturn_store::{
    Beginning, CloseChildren, Committed, EncodedEvents, IfExists, InstanceKey, NewInstance, Started, Status, Time, Turn,
};

pub(crate) fn open(path: &Path) -> SqliteStore {
    SqliteStore::open(path, SqliteOptions::default()).unwrap()
}

pub(crate) fn at(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000 + seconds * 1_000_000)
}

pub(crate) fn instance(id: &str) -> NewInstance {
    let id = InstanceId::from(id);
    let beginning = Beginning::Start(event::execution_started(at(0).to_timestamp(), &id, "order", "null"));
    NewInstance {
        execution_id: "first run".to_owned(),
        id,
        workflow: "order".to_owned(),
        version: None,
        deployment: None,
        created_at: at(0),
        starts_at: at(0),
        parent: None,
        tags: BTreeMap::new(),
        beginning,
        if_exists: IfExists::Fail,
    }
}

pub(crate) fn key_of((started, _): &(Started, Committed)) -> InstanceKey {
    match started {
        Started::Made { instance, .. } => *instance,
        Started::Kept(_) => panic!("nothing was made"),
    }
}

/// A turn that adds one event with this payload.
pub(crate) fn turn(instance: InstanceKey, number: u64, payload: &str) -> Arc<Turn> {
    Arc::new(Turn {
        instance,
        number,
        at: at(1),
        events: EncodedEvents::of([&event::event_raised(at(1).to_timestamp(), "event", payload)]),
        consumed: vec![],
        finished: vec![],
        settled: vec![],
        messages: vec![],
        tasks: vec![],
        instances: vec![],
        status: Status::Running,
        outcome: None,
        custom_status: None,
        wants_turn: false,
        assigned: None,
        moved: None,
        restart: None,
        children: CloseChildren::Keep,
    })
}
