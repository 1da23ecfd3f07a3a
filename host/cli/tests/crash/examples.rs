//! Examples on a real host that is killed in the middle of them. What they do without a crash, their own tests show.

use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use everturn_tests::guests::{BATCH, EXTENSIONS, Guest, PAYMENT};
use serde_json::{Value, json};

use crate::client::Client;
use crate::host::Host;

const HOUR: Duration = Duration::from_secs(3600);
/// How many instances there are of what is quick: some are begun, some in the middle and some at their end when the host
/// is killed.
const MANY: usize = 30;

/// A host with one example on it.
fn host_with(example: Guest) -> (Host, Client) {
    let mut host = Host::new();
    host.start();
    let client = Client::new(host.url());
    client.deploy_as_it_is(example.path());
    (host, client)
}

fn in_future(time: Duration) -> String {
    humantime::format_rfc3339_millis(SystemTime::now() + time).to_string()
}

fn ask(client: &Client, id: &str, query: &str) -> Value {
    client.ask(&format!("/v1/workflows/{id}/queries/{query}"), &json!({}))["result"].clone()
}

fn extend(client: &Client, id: &str, until: &str, by: &str) -> Value {
    let extension = json!({"input": {"until": until, "by": by}});
    client.ask(&format!("/v1/workflows/{id}/updates/extend"), &extension)
}

fn instance(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/workflows/{id}"))
}

/// What waits in the inbox of an instance, its timers included.
fn waiting(client: &Client, id: &str) -> u64 {
    instance(client, id)["pending"]["messages"].as_u64().unwrap()
}

fn output(client: &Client, id: &str) -> Value {
    let ended = client.get(&format!("/v1/workflows/{id}/wait"));
    assert_eq!(ended["status"], "completed", "{ended}");
    ended["output"].clone()
}

/// The names of the activities that an instance called, in order, without their further attempts.
fn called(client: &Client, id: &str) -> Vec<String> {
    let history = client.get(&format!("/v1/workflows/{id}/history"));
    let mut calls = BTreeSet::new();
    let events = history.as_array().unwrap().iter().filter_map(|event| event.get("taskScheduled"));
    let first = events.filter(|task| calls.insert(task["taskExecutionId"].to_string()));
    first.map(|task| task["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_deadline_that_was_moved_stays_moved_and_has_one_timer() {
    let (mut host, client) = host_with(EXTENSIONS);
    let (first, latest) = (in_future(HOUR), in_future(100 * HOUR));
    let request = json!({"purpose": "desk", "deadline": first, "latest": latest, "max_extensions": 4});
    client.start("extendable_approval", "desk", &request);
    assert_eq!(ask(&client, "desk", "deadline"), json!(first));

    // Given a deadline that was extended twice and shortened once,
    let (farther, farthest, nearer) = (in_future(20 * HOUR), in_future(50 * HOUR), in_future(10 * HOUR));
    for (until, by) in [(&farther, "ann"), (&farthest, "bob"), (&nearer, "eve")] {
        assert_eq!(extend(&client, "desk", until, by), json!({"accepted": true, "result": until}));
        assert_eq!(waiting(&client, "desk"), 1, "the timer of the deadline before is gone");
    }
    let moves = ask(&client, "desk", "moves");
    let before = client.get("/v1/workflows/desk/history");

    // when the host is killed,
    host.kill();
    host.start();

    // then it is as it was, and what is not allowed is still not allowed.
    assert_eq!(client.get("/v1/workflows/desk/history"), before);
    assert_eq!((ask(&client, "desk", "deadline"), ask(&client, "desk", "moves")), (json!(nearer), moves));
    assert_eq!(waiting(&client, "desk"), 1);
    let past = humantime::format_rfc3339_millis(SystemTime::now() - HOUR).to_string();
    for until in [past, in_future(200 * HOUR)] {
        let refused = extend(&client, "desk", &until, "mallory");
        assert_eq!(refused["accepted"], false, "{refused}");
    }
    assert_eq!(extend(&client, "desk", &farther, "ann")["accepted"], true);
    assert_eq!(extend(&client, "desk", &farthest, "ann")["accepted"], false, "that would be the fifth");
    assert_eq!(waiting(&client, "desk"), 1);

    client.ask("/v1/workflows/desk/signals/approve", &json!({"data": "ann"}));
    assert_eq!(output(&client, "desk"), json!({"approved_by": "ann", "extensions": 4}));
    assert_eq!(waiting(&client, "desk"), 0, "nothing wakes it any more");
    assert_eq!(client.refused("/v1/workflows/desk/updates/extend", &json!({})), 409, "it is approved");
}

#[test]
fn a_deadline_that_passes_while_the_host_is_down_has_passed() {
    let (mut host, client) = host_with(EXTENSIONS);
    let deadline = in_future(Duration::from_millis(500));
    let request = json!({"purpose": "desk", "deadline": deadline, "latest": in_future(HOUR), "max_extensions": 4});
    client.start("extendable_approval", "desk", &request);
    host.kill();
    host.start();
    assert_eq!(output(&client, "desk"), json!({"approved_by": null, "extensions": 0}));
    assert_eq!(client.refused("/v1/workflows/desk/updates/extend", &json!({})), 409, "it has expired");
}

#[test]
fn a_saga_is_taken_back_once_and_in_order_wherever_the_host_was_killed() {
    let (mut host, client) = host_with(PAYMENT);
    let purchase = |number: usize, kind: &str, card: &str| {
        let order = format!("{kind}-{number}");
        let input = json!({"order": order, "customer": "ada", "item": "chair", "amount": 100, "card": card});
        client.start("payment", &order, &input);
        order
    };
    let waits = purchase(0, "odd", "declined-card");
    crate::until("the customer is asked for another card", || ask(&client, &waits, "stage") == "waiting_for_card");
    let refused: Vec<_> = (1..MANY).map(|number| purchase(number, "odd", "good-card")).collect();
    let paid: Vec<_> = (0..MANY).map(|number| purchase(number, "even", "good-card")).collect();

    host.kill();
    host.start();

    assert_eq!(ask(&client, &waits, "stage"), "waiting_for_card");
    client.ask(&format!("/v1/workflows/{waits}/signals/use_card"), &json!({"data": "good-card"}));
    for order in &refused {
        let ended = client.get(&format!("/v1/workflows/{order}/wait"));
        assert_eq!(ended["failure"]["type"], "BookingRefused", "{ended}");
        assert_eq!(called(&client, order), ["reserve", "charge", "book", "refund", "release"]);
        assert_eq!(ask(&client, order, "stage"), "taken_back");
    }
    for order in &paid {
        assert_eq!(output(&client, order)["booking"], format!("booking-{order}"));
        assert_eq!(called(&client, order), ["reserve", "charge", "book"]);
    }
    client.get(&format!("/v1/workflows/{waits}/wait"));
    let steps = ["reserve", "charge", "ask_for_card", "charge", "book", "refund", "release"];
    assert_eq!(called(&client, &waits), steps);
}

#[test]
fn a_batch_does_all_of_its_items_once_wherever_the_host_was_killed() {
    let (mut host, client) = host_with(BATCH);
    let mut customers: Vec<_> = (0..MANY).map(|number| format!("customer{number:02}")).collect();
    customers.extend(["stranger".to_owned(), "slowpoke".to_owned()]);
    client.start("batch", "january", &json!({"month": "2026-01", "customers": customers}));

    host.kill();
    host.start();

    let report = output(&client, "january");
    let mut sent: Vec<_> = report["sent"].as_array().unwrap().iter().map(|sent| &sent["customer"]).collect();
    sent.sort_by_key(ToString::to_string);
    customers.retain(|customer| customer != "stranger");
    assert_eq!(json!(sent), json!(customers), "each once");
    assert_eq!(report["failed"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["failed"][0]["error_type"], "UnknownCustomer");
    for customer in &customers {
        assert_eq!(called(&client, &format!("january-{customer}")), ["add_up", "send_invoice"]);
    }
}
