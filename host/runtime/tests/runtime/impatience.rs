//! Clients that ask for something and do not wait for the answer: a connection that breaks, a timeout.

use everturn_runtime::store::Filter;
use everturn_runtime::{DeployRequest, Runtime};
use everturn_test_guests::script::Seen;
use everturn_tests::guests::APPROVAL;
use futures::FutureExt;

use crate::room::{self, Room, activity, play, wait};

/// Asks, and leaves.
fn ask_and_leave<T>(request: impl Future<Output = T>) {
    let answer = Box::pin(request).now_or_never();
    assert!(answer.is_none(), "nothing is on disk that fast");
}

async fn running(host: &Runtime) -> usize {
    let page = host.list(Filter::default(), None, 1_000).await.unwrap();
    page.instances.iter().filter(|instance| !instance.status.is_ended()).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_whose_client_left_goes_on_if_it_is_there() {
    let room = Room::new();
    let host = room.open().await;
    for number in 0..50 {
        ask_and_leave(host.start(room::request("script", &format!("s{number}"), &[activity("echo", number)])));
    }
    // What is asked for later is made later.
    play(&host, "last", &[]).await;
    room::log(&host, "last").await;
    room::until_true(async || running(&host).await == 0).await;
    assert_eq!(host.list(Filter::default(), None, 1_000).await.unwrap().instances.len(), 51);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_whose_client_left_is_seen_once_and_disturbs_nobody() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &(0..40).map(|_| wait("go")).collect::<Vec<_>>()).await;
    for number in 0..20 {
        ask_and_leave(host.raise_event(&room::id("a"), "go", Some((2 * number).to_string())));
        room::raise(&host, "a", "go", 2 * number + 1).await;
    }
    let number = |seen: &Seen| match seen {
        Seen::Event(Some(number)) => number.as_u64().unwrap(),
        other => panic!("{other:?}"),
    };
    let mut seen: Vec<_> = room::log(&host, "a").await.iter().map(number).collect();
    let waited_for: Vec<_> = seen.iter().filter(|number| *number % 2 == 1).collect();
    assert!(waited_for.is_sorted(), "{seen:?}");
    seen.sort_unstable();
    assert_eq!(seen, (0..40).collect::<Vec<_>>());
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_whose_client_left_is_there() {
    let room = Room::new();
    let host = room.open().await;
    let wasm = APPROVAL.bytes().unwrap();
    ask_and_leave(host.deploy(DeployRequest { wasm, label: Some("left".into()), ..DeployRequest::default() }));
    room::until_true(async || host.deployments().await.unwrap().len() == 2).await;
    let workflow = host.deployments().await.unwrap()[0].workflows[0].clone();
    room::until_true(async || host.start(room::request(&workflow, "a", &())).await.is_ok()).await;
    room::stop(host).await;
}
