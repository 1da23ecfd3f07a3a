//! The host is killed hard, again and again, under a connected worker and client: the worker comes back by itself, and
//! every orchestration ends as if nothing had happened.

use std::collections::BTreeSet;
use std::thread;

use serde_json::{Value, json};

use crate::client::{Client, Refusal};
use crate::host::Host;
use crate::ledger::Ledger;
use crate::sdk::{DAPR_1_17, DAPR_1_18, DAPR_1_19, DAPR_JAVASCRIPT, MICROSOFT_JAVASCRIPT, MICROSOFT_PYTHON, Sdk};
use crate::until::until;
use crate::worker::Worker;

/// How many orchestrations there are.
const JOURNEYS: usize = 40;
/// How many activities each has, with its child.
const ACTIVITIES: usize = 3;
/// How often the host is killed.
const KILLS: usize = 5;

#[test]
fn a_killed_host_loses_nothing_of_microsofts_sdk_for_python() {
    a_killed_host_loses_nothing(&MICROSOFT_PYTHON);
}

#[test]
fn a_killed_host_loses_nothing_of_microsofts_sdk_for_javascript() {
    a_killed_host_loses_nothing(&MICROSOFT_JAVASCRIPT);
}

#[test]
fn a_killed_host_loses_nothing_of_dapr_1_19() {
    a_killed_host_loses_nothing(&DAPR_1_19);
}

#[test]
fn a_killed_host_loses_nothing_of_dapr_1_18() {
    a_killed_host_loses_nothing(&DAPR_1_18);
}

#[test]
fn a_killed_host_loses_nothing_of_dapr_1_17() {
    a_killed_host_loses_nothing(&DAPR_1_17);
}

#[test]
fn a_killed_host_loses_nothing_of_daprs_sdk_for_javascript() {
    a_killed_host_loses_nothing(&DAPR_JAVASCRIPT);
}

fn a_killed_host_loses_nothing(sdk: &Sdk) {
    let directory = tempfile::tempdir().unwrap();
    let mut host = Host::start(directory.path());
    let _worker = Worker::start(sdk, &host, directory.path(), "worker");
    let client = Client::start(sdk, &host, directory.path());
    let ledger = Ledger::new(directory.path().join("ledger"));

    // When the host is killed whenever a part of the work is done,
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..JOURNEYS {
                start(&client, number, &ledger);
            }
            for number in 0..JOURNEYS {
                let request = json!({"do": "raise_event", "id": id(number), "event": "go", "data": number + 1});
                insist(&client, &request);
            }
        });
        for kill in 1..=KILLS {
            let done = kill * JOURNEYS * ACTIVITIES / (KILLS + 1);
            until("the work goes on", || (ledger.counted().len() >= done).then_some(()));
            host.kill();
            host.start_again();
        }
    });

    // then every orchestration completes and has seen each result once,
    for number in 0..JOURNEYS {
        let id = id(number);
        let state = client.wait(&id);
        assert_eq!(state.status, "COMPLETED", "{id}: {state:?}");
        let seen = json!([format!("{id} first"), number + 1, format!("{id}-detour only"), format!("{id} last")]);
        assert_eq!(state.output(), seen, "{id}");
        everything_happened_once(&id, &host.history(&id));
    }
    // and no activity was skipped. That one runs again is allowed: its host was killed before it had the answer.
    assert_eq!(ledger.counted().len(), JOURNEYS * ACTIVITIES);
}

fn id(number: usize) -> String {
    format!("journey-{number}")
}

/// Started is what the host says is started, or refuses to start twice.
fn start(client: &Client, number: usize, ledger: &Ledger) {
    let request = json!({"do": "start", "workflow": "journey", "id": id(number), "input": ledger.path()});
    insist(client, &request);
}

/// Asks until there is an answer. What was asked twice happens once: an id is taken only once, and a journey takes one
/// event.
fn insist(client: &Client, request: &Value) {
    until("the host answers", || match client.ask(request) {
        Ok(_) => Some(()),
        Err(Refusal { code, .. }) if code == "ALREADY_EXISTS" => Some(()),
        Err(Refusal { code, .. }) if code == "UNAVAILABLE" => None,
        // The connection broke in the middle of an answer.
        Err(Refusal { code, .. }) if code == "UNKNOWN" || code == "INTERNAL" || code == "CANCELLED" => None,
        Err(refusal) => panic!("{request}: {refusal:?}"),
    });
}

fn everything_happened_once(id: &str, history: &[Value]) {
    let mut answers = BTreeSet::new();
    for event in history {
        for (kind, field) in [
            ("taskCompleted", "taskScheduledId"),
            ("timerFired", "timerId"),
            ("childWorkflowInstanceCompleted", "taskScheduledId"),
        ] {
            if let Some(answer) = event.get(kind) {
                assert!(answers.insert(answer[field].to_string()), "{id}: {answer} is there twice");
            }
        }
    }
    assert_eq!(answers.len(), 4, "{id}: two activities, a timer and a child");
    let ends = history.iter().filter(|event| event.get("executionCompleted").is_some()).count();
    assert_eq!(ends, 1, "{id} ended {ends} times");
}
