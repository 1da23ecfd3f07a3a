//! Deployments and components.

use super::scene::{Scene, at, end, instance, made, turn};
use crate::{Deployment, NewDeployment, NewInstance, Status, StoreError, Turn};

/// A component told from others by this, under this label, with two workflows and an activity.
pub(super) fn deployment(label: &str, mark: u8) -> NewDeployment {
    NewDeployment {
        label: label.to_owned(),
        digest: [mark; 32],
        wasm: vec![mark; 5_000],
        workflows: vec!["order".to_owned(), "refund".to_owned()],
        activities: vec!["charge".to_owned()],
        grants: "{}".to_owned(),
        at: at(0),
    }
}

async fn all(scene: &Scene) -> Vec<Deployment> {
    scene.deployments().await.unwrap()
}

pub(super) async fn the_last_deployment_is_active(scene: Scene) {
    assert_eq!(all(&scene).await, []);
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    let new = NewDeployment { workflows: vec!["refund".to_owned()], at: at(1), ..deployment("two", 2) };
    let second = scene.deploy(new.clone()).await.unwrap();
    assert!(second > first);
    let expected = Deployment {
        id: second,
        label: "two".to_owned(),
        digest: [2; 32],
        size: 5_000,
        workflows: new.workflows.clone(),
        active_workflows: new.workflows,
        activities: new.activities.clone(),
        active_activities: new.activities,
        grants: "{}".to_owned(),
        created_at: at(1),
        open_instances: 0,
    };
    let found = all(&scene).await;
    assert_eq!(found[0], expected);
    assert_eq!((found[1].id, found.len()), (first, 2));
    assert_eq!(found[1].workflows, ["order", "refund"]);
    assert_eq!(found[1].active_workflows, ["order"]);
    assert_eq!(found[1].active_activities, [""; 0]);
    assert_eq!(*scene.component([2; 32]).await.unwrap(), vec![2; 5_000]);
}

pub(super) async fn the_same_again_is_the_same_deployment(scene: Scene) {
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    scene.deploy(deployment("two", 2)).await.unwrap();
    let again = NewDeployment { grants: "{\"hosts\":[]}".to_owned(), at: at(9), ..deployment("one", 1) };
    assert_eq!(scene.deploy(again).await.unwrap(), first);
    let found = all(&scene).await;
    assert_eq!(found.iter().map(|it| it.label.as_str()).collect::<Vec<_>>(), ["two", "one"]);
    assert_eq!((found[1].grants.as_str(), found[1].created_at), ("{\"hosts\":[]}", at(0)));
    assert_eq!(found[1].active_workflows, ["order", "refund"]);
    assert_eq!(found[0].active_workflows, [""; 0]);
}

pub(super) async fn a_label_stands_for_one_component(scene: Scene) {
    scene.deploy(deployment("one", 1)).await.unwrap();
    let error = scene.deploy(deployment("one", 2)).await.unwrap_err();
    assert!(matches!(&error, StoreError::LabelInUse { label } if label == "one"), "{error}");
    assert_eq!(all(&scene).await.len(), 1);
    assert!(scene.component([2; 32]).await.is_err());
}

pub(super) async fn a_component_under_two_labels_is_one_component(scene: Scene) {
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    let second = scene.deploy(deployment("two", 1)).await.unwrap();
    assert_ne!(first, second);
    assert_eq!(all(&scene).await.iter().map(|it| it.digest).collect::<Vec<_>>(), [[1; 32]; 2]);
    assert_eq!(*scene.component([1; 32]).await.unwrap(), vec![1; 5_000]);
}

pub(super) async fn a_component_that_is_not_there_is_told(scene: Scene) {
    let error = scene.component([0xab; 32]).await.unwrap_err();
    assert!(matches!(&error, StoreError::NoComponent { digest } if *digest == "ab".repeat(32)), "{error}");
}

pub(super) async fn open_instances_are_counted_by_deployment(scene: Scene) {
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    scene.deploy(deployment("two", 2)).await.unwrap();
    for id in ["a", "b", "c"] {
        let key = made(&scene.start(NewInstance { deployment: Some(first), ..instance(id) }).await.unwrap().0);
        assert_eq!(scene.state(key).await.deployment, Some(first));
        match id {
            "a" => _ = scene.commit(end(key, 0, Status::Completed)).await.unwrap(),
            "b" => _ = scene.commit(Turn { status: Status::Suspended, ..turn(key, 0) }).await.unwrap(),
            _ => {}
        }
    }
    scene.running("remote").await;
    assert_eq!(all(&scene).await.iter().map(|it| it.open_instances).collect::<Vec<_>>(), [0, 2]);
}
