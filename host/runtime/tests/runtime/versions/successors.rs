//! Where the children and the next generations of a version's instances begin.

use super::*;

/// Has an instance begin on a version whose successors go there, deploys another version in this way, and gives the
/// versions that each of two generations, and a child of each, then ran on.
async fn told(successors: Successors, strategy: Strategy) -> Value {
    let room = Room::new();
    let host = room.open_empty().await;
    host.deploy(DeployRequest { successors, ..request("first") }).await.unwrap();
    room::start(&host, "generations", "family", &Value::Array(Vec::new())).await;
    room::until(&host, "family", |instance| instance.events >= 3).await;
    let rollout = Rollout { strategy, ..Rollout::default() };
    let deployed = host.deploy(DeployRequest { rollout, ..request("later") }).await.unwrap();
    assert!(deployed.is_active);
    raise(&host, "family", "next").await;
    room::until(&host, "family", |instance| instance.generation == 1).await;
    raise(&host, "family", "next").await;
    let told = room::result(&host, "family").await;
    room::stop(host).await;
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_a_version_that_keeps_it_stays_however_others_come() {
    for strategy in [Strategy::Pin, Strategy::Upgrade] {
        let told = told(Successors::Same, strategy).await;
        assert_eq!(told, json!([["first", "first"], ["first", "first"]]), "{strategy:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_version_begins_on_the_newest() {
    // The instance is pinned: its child is not, nor is its next generation.
    let pinned = told(Successors::Newest, Strategy::Pin).await;
    assert_eq!(pinned, json!([["first", "later"], ["later", "later"]]));
    let moved = told(Successors::Newest, Strategy::Upgrade).await;
    assert_eq!(moved, json!([["later", "later"], ["later", "later"]]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_keeps_what_belongs_to_it_still_takes_what_comes_to_it() {
    let room = Room::new();
    let host = room.open_empty().await;
    deploy(&host, "first").await;
    room::start(&host, "generations", "family", &Value::Array(Vec::new())).await;
    room::until(&host, "family", |instance| instance.events >= 3).await;
    host.deploy(DeployRequest { successors: Successors::Same, ..request("later") }).await.unwrap();
    raise(&host, "family", "next").await;
    room::until(&host, "family", |instance| instance.generation == 1).await;
    deploy(&host, "patched").await;
    raise(&host, "family", "next").await;
    assert_eq!(room::result(&host, "family").await, json!([["later", "later"], ["later", "later"]]));
    room::stop(host).await;
}
