//! Fifty workers share a thousand orchestrations, and one of the workers is stuck.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::json;

use crate::client::Client;
use crate::host::Host;
use crate::ledger::Ledger;
use crate::sdk::{DAPR_1_19, MICROSOFT_PYTHON, Sdk};
use crate::until::until;
use crate::worker::Worker;

/// How many orchestrations there are.
const ORCHESTRATIONS: usize = 1_000;
/// How many of them there are when the stuck worker is alone: more than it has threads, so that some wait for others.
const EARLY: usize = 40;
/// How many workers there are besides the stuck one.
const OTHERS: usize = 49;
/// How many of those each process holds.
const WORKERS: [usize; 4] = [12, 12, 12, 13];
/// How many more of them the stuck worker may be given when the others are there. Work goes to the worker that has least
/// in hand, so that it is given one more turn or activity only while each of the others has as many in hand.
const MORE: usize = 2 * (ORCHESTRATIONS / OTHERS + 1);

#[test]
fn a_stuck_worker_holds_up_nobody_else_with_microsofts_sdk() {
    a_stuck_worker_holds_up_nobody_else(&MICROSOFT_PYTHON);
}

#[test]
fn a_stuck_worker_holds_up_nobody_else_with_daprs_sdk() {
    a_stuck_worker_holds_up_nobody_else(&DAPR_1_19);
}

fn a_stuck_worker_holds_up_nobody_else(sdk: &Sdk) {
    let directory = tempfile::tempdir().unwrap();
    let host = Host::start(directory.path());
    let client = Client::start(sdk, &host, directory.path());
    let ledger = Ledger::new(directory.path().join("ledger"));
    let given = Ledger::new(directory.path().join("given"));
    let gate = directory.path().join("gate");
    let start = |number: usize| client.start_workflow("pair", &id(number), &ledger.path());

    // Given a worker that is stuck in its activities,
    let options = json!({"gate": gate, "given": given.path()});
    let _stuck = Worker::with(sdk, &host, directory.path(), "stuck", options);
    (0..EARLY).for_each(start);
    until("the stuck worker has its share", || (given.counted().len() == EARLY).then_some(()));
    until("the stuck worker is stuck", || (!ledger.lines().is_empty()).then_some(()));

    // when others come and there is much to do,
    let processes = WORKERS.iter().enumerate();
    let _others: Vec<_> = processes
        .map(|(number, count)| {
            let name = format!("process-{number}");
            Worker::with(sdk, &host, directory.path(), &name, json!({"count": count}))
        })
        .collect();
    (EARLY..ORCHESTRATIONS).for_each(start);

    // then everything ends but what the stuck one was given,
    everything_ends_but(&client, &ledger, &given);
    let held = given.counted().len();
    println!("{held} orchestrations waited for the stuck worker");
    assert!(held <= EARLY + MORE, "the stuck worker was given {held} orchestrations");

    // and that too when it is free again. Each step ran once, one after the other.
    fs::write(gate, "").unwrap();
    for number in 0..ORCHESTRATIONS {
        let id = id(number);
        let state = client.wait(&id);
        assert_eq!(state.status, "COMPLETED", "{id}: {state:?}");
        assert_eq!(state.output(), json!([format!("{id} 1"), format!("{id} 2")]));
    }
    let steps = steps(&ledger);
    assert_eq!(steps.len(), ORCHESTRATIONS);
    for (id, steps) in steps {
        assert_eq!(steps, ["began 1", "ended 1", "began 2", "ended 2"], "{id}");
    }
}

fn id(number: usize) -> String {
    format!("pair-{number}")
}

/// Waits until all orchestrations have ended but those of which the stuck worker was given a part.
fn everything_ends_but(client: &Client, ledger: &Ledger, given: &Ledger) {
    let mut open: BTreeSet<_> = (0..ORCHESTRATIONS).map(id).collect();
    until("everything ends but what the stuck worker was given", || {
        let (given, lines) = (given.counted(), ledger.counted());
        let has_taken_its_last_step = |id: &str| {
            let line = format!("ended {id} 2 ");
            lines.range(line.clone()..).next().is_some_and(|(last, _)| last.starts_with(&line))
        };
        let has_ended = |id: &str| client.get(id).is_some_and(|state| state.status == "COMPLETED");
        open.retain(|id| {
            let is_over = given.contains_key(id) || (has_taken_its_last_step(id) && has_ended(id));
            !is_over
        });
        open.is_empty().then_some(())
    });
}

/// The steps of each instance, in the order in which they happened.
fn steps(ledger: &Ledger) -> BTreeMap<String, Vec<String>> {
    let mut steps = BTreeMap::<_, Vec<_>>::new();
    for line in ledger.lines() {
        let words: Vec<_> = line.split(' ').collect();
        let [what, id, step, _worker] = words[..] else { panic!("an odd line: {line}") };
        steps.entry(id.to_owned()).or_default().push(format!("{what} {step}"));
    }
    steps
}
