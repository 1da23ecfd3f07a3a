//! Deploys, rollbacks and retirements that meet each other, and turns, starts and calls in between.

use std::sync::mpsc;

use everturn_runtime::OnProgress;
use everturn_runtime::store::{DeploymentId, Store, Time};
use everturn_test_guests::script::{Outcome, Seen};
use everturn_tests::guests::PAYMENT;
use tokio::task::JoinHandle;

use super::*;

/// A deploy whose gate has looked at an instance and waits.
struct Gated {
    deploying: JoinHandle<Result<Deployed, RequestError>>,
    go_on: mpsc::Sender<()>,
}

impl Gated {
    async fn begin(host: &Runtime, request: DeployRequest) -> Self {
        let (here, mut is_here) = tokio::sync::mpsc::unbounded_channel();
        let (go_on, may_go_on) = mpsc::channel();
        let may_go_on = Mutex::new(Some(may_go_on));
        let on_progress: OnProgress = Arc::new(move |_| {
            let Some(may_go_on) = may_go_on.lock().unwrap().take() else { return };
            here.send(()).unwrap();
            // An error: the test is over.
            let _: Result<(), _> = tokio::task::block_in_place(|| may_go_on.recv());
        });
        let host = host.clone();
        let deploying = tokio::spawn(async move { host.deploy_watched(request, Some(on_progress)).await });
        within(is_here.recv()).await.unwrap();
        Self { deploying, go_on }
    }

    async fn end(self) -> Result<Deployed, RequestError> {
        self.go_on.send(()).unwrap();
        within(self.deploying).await.unwrap()
    }
}

/// The version that new starts go to.
async fn active(host: &Runtime) -> String {
    let deployments = host.deployments().await.unwrap();
    let is_active = |one: &everturn_runtime::store::Deployment| one.active_workflows.contains(&"journey".to_owned());
    deployments.into_iter().find(is_active).unwrap().label
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_gate_to_undo_what_was_deployed() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    deploy(&host, "later").await;
    let gated = Gated::begin(&host, request("patched")).await;
    assert_eq!(within(host.roll_back()).await.unwrap().label, "later");
    assert_eq!(active(&host).await, "first");
    let deployed = gated.end().await.unwrap();
    assert_eq!((counts(&deployed), deployed.is_active), ((2, 0, 0), true), "what the gate found is still true");
    assert_eq!(finish(&host, &all).await[&all[0].0], ["patched", "patched", "patched"]);
    assert_eq!(host.roll_back().await.unwrap().label, "patched");
    assert_eq!(active(&host).await, "first", "one deploy is undone after the other");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_of_two_deploys_at_once_is_the_active_one() {
    let (_room, host) = first().await;
    under_way(&host, 2).await;
    let gated = Gated::begin(&host, request("later")).await;
    assert!(within(host.deploy(request("patched"))).await.unwrap().is_active);
    assert!(gated.end().await.unwrap().is_active);
    room::start(&host, "journey", "new", &"new").await;
    let new = host.instance(&id("new")).await.unwrap();
    assert_eq!((active(&host).await.as_str(), new.deployment.as_deref()), ("later", Some("later")));
    host.roll_back().await.unwrap();
    assert_eq!(active(&host).await, "patched");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_that_was_taken_during_the_gate_is_refused() {
    let (_room, host) = first().await;
    under_way(&host, 2).await;
    let gated = Gated::begin(&host, request("later")).await;
    let other = DeployRequest { label: Some("later".to_owned()), ..request("patched") };
    assert!(within(host.deploy(other)).await.unwrap().is_active);
    let refused = gated.end().await.unwrap_err();
    assert!(matches!(&refused, RequestError::Store(StoreError::LabelInUse { label }) if label == "later"), "{refused}");
    let all = [("new".to_owned(), Point::Depart)];
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(finish(&host, &all).await["new"], ["patched", "patched", "patched"]);
    room::stop(host).await;
}

async fn number(host: &Runtime, label: &str) -> DeploymentId {
    host.deployments().await.unwrap().into_iter().find(|one| one.label == label).unwrap().id
}

/// A component that has activities.
fn shop(label: &str, wasm: Vec<u8>) -> DeployRequest {
    DeployRequest { wasm, label: Some(label.to_owned()), ..DeployRequest::default() }
}

/// An instance that calls one of them.
async fn calls(host: &Runtime, name: &str) {
    room::play(host, name, &[room::activity("refund", "order")]).await;
}

async fn was_called(host: &Runtime, name: &str) -> bool {
    room::log(host, name).await == [Seen::Activity(Outcome::Completed(Value::Null))]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_goes_to_a_version_that_has_it_and_waits_when_none_has() {
    let room = Room::new();
    let host = room.open().await;
    host.deploy(shop("shop", PAYMENT.bytes().unwrap())).await.unwrap();
    host.roll_back().await.unwrap();
    calls(&host, "kept").await;
    assert!(was_called(&host, "kept").await, "no name leads there, but it has it");
    host.retire("shop", false).await.unwrap();
    calls(&host, "waits").await;
    let warnings = async || host.instance(&id("waits")).await.unwrap().warnings;
    room::until_true(async || warnings().await.iter().any(|one| one.contains("which no worker offers"))).await;
    host.deploy(shop("shop", PAYMENT.bytes().unwrap())).await.unwrap();
    assert!(was_called(&host, "waits").await);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_does_not_fail_because_a_version_is_retired_in_that_moment() {
    let room = Room::new();
    let host = room.open().await;
    host.deploy(shop("old", PAYMENT.bytes().unwrap())).await.unwrap();
    host.deploy(shop("new", rebuilt(PAYMENT.bytes().unwrap()))).await.unwrap();
    room::stop(host).await;
    let (host, store) = room.open_with_store().await;
    let new = number(&host, "new").await;
    store.roll_back().await.unwrap();
    store.retire(new, false, Time::from_micros(1)).await.unwrap();
    calls(&host, "one").await;
    assert!(was_called(&host, "one").await);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_does_not_fail_because_a_version_is_retired_in_that_moment() {
    let room = Room::new();
    let (host, store) = room.open_with_store().await;
    deploy(&host, "first").await;
    deploy(&host, "later").await;
    let later = number(&host, "later").await;
    store.roll_back().await.unwrap();
    store.retire(later, false, Time::from_micros(1)).await.unwrap();
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(host.instance(&id("new")).await.unwrap().deployment.as_deref(), Some("first"));
    room::stop(host).await;
}
