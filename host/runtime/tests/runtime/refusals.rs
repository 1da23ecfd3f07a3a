//! What a host does not take: it says why, and nothing has changed. And what it takes with a warning.

use everturn_runtime::store::{Filter, StoreError};
use everturn_runtime::{DeployRequest, ExistingInstance, RequestError, StartRequest};
use everturn_tests::guests::{APPROVAL, TEST_GUESTS};
use serde_json::json;

use crate::room::{self, Room, activity, play, wait};

const KIB: usize = 1024;

/// JSON text of so many bytes.
fn text_of(bytes: usize) -> String {
    format!("\"{}\"", "x".repeat(bytes - 2))
}

#[tokio::test(flavor = "multi_thread")]
async fn payloads_over_the_limit_are_refused_and_large_ones_are_warned_about() {
    let room = Room::new();
    let host = room.open().await;
    room::start(&host, "park", "a", &()).await;
    let park = |id: &str, input: String| StartRequest { input: Some(input), ..room::request("park", id, &()) };
    let limit = 2 * KIB * KIB;
    for payload in [text_of(limit + 1), text_of(2 * limit)] {
        let too_large =
            |error: RequestError| matches!(error, RequestError::PayloadTooLarge { limit: told, .. } if told == limit);
        assert!(too_large(host.start(park("b", payload.clone())).await.unwrap_err()));
        assert!(too_large(host.raise_event(&room::id("a"), "go", Some(payload.clone())).await.unwrap_err()));
        assert!(too_large(host.terminate(&room::id("a"), Some(payload), false).await.unwrap_err()));
    }
    assert_eq!(host.list(Filter::default(), None, 10).await.unwrap().instances.len(), 1, "nothing was started");
    assert_eq!(host.start(park("small", text_of(512 * KIB - 1))).await.unwrap().warnings, [""; 0]);
    assert_eq!(host.start(park("large", text_of(512 * KIB))).await.unwrap().warnings.len(), 1);
    assert_eq!(host.start(park("largest", text_of(limit))).await.unwrap().warnings.len(), 1);
    let warnings = host.raise_event(&room::id("a"), "go", Some(text_of(limit))).await.unwrap();
    assert_eq!(warnings.len(), 1);
    let seen = room::result(&host, "a").await;
    assert_eq!(seen.as_str().map(str::len), Some(limit - 2), "it arrived whole");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_json_is_refused() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[wait("go")]).await;
    for bad in ["", "{", "nul", "[1,]", "\"", "1 2", "{\"a\":}"] {
        let start = StartRequest { input: Some(bad.into()), ..room::request("park", "b", &()) };
        let invalid = |error: RequestError| matches!(error, RequestError::InvalidPayload { .. });
        assert!(invalid(host.start(start).await.unwrap_err()), "{bad}");
        assert!(invalid(host.raise_event(&room::id("a"), "go", Some(bad.into())).await.unwrap_err()), "{bad}");
        assert!(invalid(host.terminate(&room::id("a"), Some(bad.into()), false).await.unwrap_err()), "{bad}");
    }
    room::raise(&host, "a", "go", json!(null)).await;
    assert_eq!(room::result(&host, "a").await, json!([{"event": null}]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workflow_or_version_that_is_not_there_is_named_with_those_that_are() {
    let room = Room::new();
    let host = room.open_empty().await;
    let nothing = host.start(room::request("park", "a", &())).await.unwrap_err();
    assert!(matches!(&nothing, RequestError::UnknownWorkflow { known, .. } if known.is_empty()), "{nothing}");
    let deploy = |label: &str| DeployRequest {
        wasm: APPROVAL.bytes().unwrap(),
        label: Some(label.into()),
        ..DeployRequest::default()
    };
    let deployed = host.deploy(deploy("1")).await.unwrap();
    let unknown = host.start(room::request("park", "a", &())).await.unwrap_err();
    let RequestError::UnknownWorkflow { known, .. } = &unknown else { panic!("{unknown}") };
    assert_eq!(known, &deployed.workflows);
    assert!(unknown.to_string().contains(&format!("`{}`", known[0])), "{unknown}");
    let version = StartRequest { version: Some("2".into()), ..room::request(&known[0], "a", &()) };
    let unknown = host.start(version).await.unwrap_err();
    assert!(matches!(&unknown, RequestError::UnknownVersion { version, .. } if version == "2"), "{unknown}");
    let wasm = TEST_GUESTS.bytes().unwrap();
    let other = DeployRequest { wasm, ..deploy("1") };
    let taken = host.deploy(other).await.unwrap_err();
    assert!(matches!(taken, RequestError::Store(StoreError::LabelInUse { .. })), "{taken}");
    assert_eq!(host.deployments().await.unwrap().len(), 1);
    assert_eq!(host.list(Filter::default(), None, 10).await.unwrap().instances.len(), 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_ids_that_cannot_be_used_are_refused() {
    let room = Room::new();
    let host = room.open().await;
    play(&host, "a", &[wait("go")]).await;
    let long = "x".repeat(257);
    for bad in ["", "a\nb", "\u{0}", &long] {
        let is_name = |error: RequestError| matches!(error, RequestError::InvalidName { .. });
        assert!(is_name(host.start(room::request("park", bad, &())).await.unwrap_err()), "{bad:?}");
        assert!(is_name(host.raise_event(&room::id("a"), bad, None).await.unwrap_err()), "{bad:?}");
        assert!(is_name(host.start(room::request(bad, "b", &())).await.unwrap_err()), "{bad:?}");
    }
    let longest = "ü".repeat(128);
    host.start(room::request("park", &longest, &())).await.unwrap();
    room::raise(&host, &longest, "go", 1).await;
    assert_eq!(room::result(&host, &longest).await, json!(1));
    let (one, other) = (StartRequest { id: None, ..room::request("park", "", &()) }, ExistingInstance::Fail);
    let ids = [
        host.start(one.clone()).await.unwrap().id,
        host.start(StartRequest { if_exists: other, ..one }).await.unwrap().id,
    ];
    assert_ne!(ids[0], ids[1], "who gives no id gets one");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_component_is_not_deployed() {
    let room = Room::new();
    let host = room.open_empty().await;
    let component = TEST_GUESTS.bytes().unwrap();
    let module = b"\0asm\x01\0\0\0".to_vec();
    for wasm in [Vec::new(), b"garbage".to_vec(), module, component[..component.len() / 2].to_vec()] {
        let refused = host.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await.unwrap_err();
        assert!(matches!(refused, RequestError::Component(_) | RequestError::Activities(_)), "{refused}");
    }
    assert_eq!(host.deployments().await.unwrap(), []);
    let label = DeployRequest { wasm: component, label: Some(String::new()), ..DeployRequest::default() };
    assert!(matches!(host.deploy(label).await.unwrap_err(), RequestError::InvalidName { .. }));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_grows_long_is_warned_about_and_goes_on() {
    let mut room = Room::new();
    room.options.history_events_warning = 20;
    let host = room.open().await;
    play(&host, "short", &[activity("echo", 1), wait("go")]).await;
    let steps: Vec<_> = (0..10).map(|number| activity("echo", number)).collect();
    play(&host, "long", &steps).await;
    assert_eq!(room::log(&host, "long").await.len(), 10, "there is no cliff");
    assert_eq!(host.instance(&room::id("short")).await.unwrap().warnings, [""; 0]);
    let warnings = host.instance(&room::id("long")).await.unwrap().warnings;
    assert!(warnings.len() == 1 && warnings[0].contains("history"), "{warnings:?}");
    room::stop(host).await;
}
