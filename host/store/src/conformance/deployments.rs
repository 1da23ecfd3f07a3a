//! Deployments and components.

use super::scene::{Scene, at, end, instance, made, turn};
use crate::{
    Activation, Deployment, DeploymentId, Follow, GATE_REPORTS, GateReport, NewDeployment, NewInstance, Restart, Route,
    Status, StoreError, Successors, Trial, Turn, Undone,
};

/// A component told from others by this, under this label, with two workflows and an activity.
pub(super) fn deployment(label: &str, mark: u8) -> NewDeployment {
    NewDeployment {
        label: label.to_owned(),
        digest: [mark; 32],
        wasm: vec![mark; 5_000],
        workflows: vec!["order".to_owned(), "refund".to_owned()],
        activities: vec!["charge".to_owned()],
        grants: "{}".to_owned(),
        successors: Successors::Newest,
        at: at(0),
    }
}

fn activation(deployment: DeploymentId) -> Activation {
    Activation { deployment, follow: Follow::Everybody, share: None, at: at(1) }
}

/// Deploys a component and makes it the active one.
pub(super) async fn active(scene: &Scene, new: NewDeployment) -> DeploymentId {
    let id = scene.deploy(new).await.unwrap();
    scene.activate(activation(id)).await.unwrap();
    id
}

/// Where new starts of a workflow go.
async fn route(scene: &Scene, workflow: &str) -> Option<Route> {
    let routes = scene.routes().await.unwrap();
    routes.into_iter().find(|(name, _)| name == workflow).map(|(_, route)| route)
}

async fn all(scene: &Scene) -> Vec<Deployment> {
    scene.deployments().await.unwrap()
}

pub(super) async fn the_last_activation_counts(scene: Scene) {
    assert_eq!(all(&scene).await, []);
    let first = active(&scene, deployment("one", 1)).await;
    let new = NewDeployment { workflows: vec!["refund".to_owned()], at: at(1), ..deployment("two", 2) };
    let second = scene.deploy(new.clone()).await.unwrap();
    assert!(second > first);
    assert_eq!(all(&scene).await[0].active_workflows, [""; 0], "nothing goes to what is only stored");
    scene.activate(activation(second)).await.unwrap();
    let expected = Deployment {
        id: second,
        label: "two".to_owned(),
        digest: [2; 32],
        size: 5_000,
        workflows: new.workflows.clone(),
        active_workflows: new.workflows,
        trials: vec![],
        activities: new.activities.clone(),
        active_activities: new.activities,
        grants: "{}".to_owned(),
        successors: Successors::Newest,
        created_at: at(1),
        retired_at: None,
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
    let first = active(&scene, deployment("one", 1)).await;
    active(&scene, deployment("two", 2)).await;
    let again = NewDeployment { grants: "{\"hosts\":[]}".to_owned(), at: at(9), ..deployment("one", 1) };
    assert_eq!(scene.deploy(again).await.unwrap(), first);
    let found = all(&scene).await;
    assert_eq!(found.iter().map(|it| it.label.as_str()).collect::<Vec<_>>(), ["two", "one"]);
    assert_eq!((found[1].grants.as_str(), found[1].created_at), ("{\"hosts\":[]}", at(0)));
    assert_eq!(found[0].active_workflows, ["order", "refund"], "that changes nothing");
    assert_eq!(found[1].active_workflows, [""; 0]);
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

pub(super) async fn a_trial_gets_a_share_and_ends_with_the_next_activation(scene: Scene) {
    let first = active(&scene, deployment("one", 1)).await;
    let new = NewDeployment {
        workflows: vec!["order".to_owned(), "brand_new".to_owned()],
        activities: vec!["charge".to_owned(), "wrap".to_owned()],
        ..deployment("two", 2)
    };
    let second = scene.deploy(new).await.unwrap();
    scene.activate(Activation { share: Some(10), ..activation(second) }).await.unwrap();
    let trial = Some(Trial { deployment: second, share: 10 });
    let shared = Route { deployment: first, follow: Follow::Everybody, undone: vec![], trial };
    assert_eq!(route(&scene, "order").await, Some(shared.clone()));
    let alone = Route { deployment: second, follow: Follow::Nobody, undone: vec![], trial: None };
    assert_eq!(route(&scene, "brand_new").await, Some(alone), "nobody else has it");
    let found = &all(&scene).await[0];
    assert_eq!(found.trials, [("order".to_owned(), 10)]);
    assert_eq!(found.active_activities, ["wrap"], "calls of what the other has stay there");
    scene.activate(activation(second)).await.unwrap();
    assert_eq!(route(&scene, "order").await, Some(Route { trial: None, deployment: second, ..shared }));
    assert_eq!(all(&scene).await[0].active_activities, ["charge", "wrap"]);
}

pub(super) async fn an_activation_is_undone_and_then_the_one_before_it(scene: Scene) {
    assert_eq!(scene.roll_back().await.unwrap(), None);
    let first = active(&scene, deployment("one", 1)).await;
    let second = active(&scene, deployment("two", 2)).await;
    scene.activate(activation(second)).await.unwrap();
    let both = |to| vec![("order".to_owned(), to), ("refund".to_owned(), to)];
    let undone = scene.roll_back().await.unwrap();
    assert_eq!(undone, Some(Undone { deployment: second, workflows: both(Some(first)) }));
    let back = Route { deployment: first, follow: Follow::Everybody, undone: vec![second], trial: None };
    assert_eq!(route(&scene, "order").await, Some(back));
    assert_eq!(all(&scene).await[1].active_activities, ["charge"]);
    let undone = scene.roll_back().await.unwrap();
    assert_eq!(undone, Some(Undone { deployment: first, workflows: both(None) }));
    assert_eq!(scene.routes().await.unwrap(), []);
    assert_eq!(scene.roll_back().await.unwrap(), None);
}

pub(super) async fn what_changes_nothing_is_not_undone(scene: Scene) {
    let first = active(&scene, deployment("one", 1)).await;
    let second = active(&scene, deployment("two", 2)).await;
    let before = route(&scene, "order").await;
    for share in [None, Some(10)] {
        scene.activate(Activation { share, ..activation(second) }).await.unwrap();
        assert_eq!(route(&scene, "order").await, before, "it has nobody to share with");
    }
    scene.activate(Activation { follow: Follow::Nobody, ..activation(second) }).await.unwrap();
    scene.roll_back().await.unwrap();
    assert_eq!(route(&scene, "order").await.unwrap().deployment, first);
    scene.activate(Activation { share: Some(10), ..activation(second) }).await.unwrap();
    scene.activate(Activation { share: Some(50), ..activation(second) }).await.unwrap();
    scene.activate(Activation { share: Some(50), ..activation(second) }).await.unwrap();
    scene.roll_back().await.unwrap();
    let share = route(&scene, "order").await.unwrap().trial.map(|trial| trial.share);
    assert_eq!(share, Some(10), "another share is a change");
}

pub(super) async fn only_those_who_moved_move_back(scene: Scene) {
    let pinned = |deployment| Activation { follow: Follow::Nobody, ..activation(deployment) };
    let first = scene.deploy(deployment("one", 1)).await.unwrap();
    scene.activate(pinned(first)).await.unwrap();
    let second = active(&scene, deployment("two", 2)).await;
    let third = scene.deploy(deployment("three", 3)).await.unwrap();
    scene.activate(pinned(third)).await.unwrap();
    scene.roll_back().await.unwrap();
    let back = Route { deployment: second, follow: Follow::Everybody, undone: vec![third], trial: None };
    assert_eq!(route(&scene, "order").await, Some(back));
    scene.roll_back().await.unwrap();
    let back = Route { deployment: first, follow: Follow::Nobody, undone: vec![second, third], trial: None };
    assert_eq!(route(&scene, "order").await, Some(back.clone()), "those of the third may not have moved yet");
    scene.activate(pinned(third)).await.unwrap();
    let forth = Route { deployment: third, follow: Follow::Nobody, undone: vec![], trial: None };
    assert_eq!(route(&scene, "order").await, Some(forth), "all stay where they are");
    scene.roll_back().await.unwrap();
    assert_eq!(route(&scene, "order").await, Some(back), "as if it had not been");
}

pub(super) async fn nothing_goes_back_to_what_is_retired(scene: Scene) {
    let first = active(&scene, deployment("one", 1)).await;
    let second = active(&scene, deployment("two", 2)).await;
    scene.retire(first, false, at(3)).await.unwrap();
    let error = scene.roll_back().await.unwrap_err();
    assert!(matches!(&error, StoreError::Retired { label } if label == "one"), "{error}");
    assert_eq!(route(&scene, "order").await.unwrap().deployment, second, "nothing has changed");
    let start = NewInstance { deployment: Some(first), ..instance("a") };
    assert!(matches!(scene.start(start).await.unwrap_err(), StoreError::Conflict));
}

pub(super) async fn what_was_activated_is_there_after_a_crash(mut scene: Scene) {
    active(&scene, deployment("one", 1)).await;
    let second = active(&scene, deployment("two", 2)).await;
    let before = scene.routes().await.unwrap();
    scene.crash();
    assert_eq!(scene.routes().await.unwrap(), before);
    assert_eq!(scene.roll_back().await.unwrap().unwrap().deployment, second);
}

pub(super) async fn an_instance_moves_with_a_turn(scene: Scene) {
    let first = active(&scene, deployment("one", 1)).await;
    let second = active(&scene, deployment("two", 2)).await;
    let key = made(&scene.start(NewInstance { deployment: Some(first), ..instance("a") }).await.unwrap().0);
    scene.assign(key, second, at(2)).await.unwrap();
    let assigned = scene.state(key).await;
    assert_eq!((assigned.deployment, assigned.assigned), (Some(first), Some(second)));
    let unknowing = scene.commit(turn(key, 0)).await.unwrap_err();
    assert!(matches!(unknowing, StoreError::Conflict), "{unknowing}");
    scene.commit(Turn { assigned: Some(second), ..turn(key, 0) }).await.unwrap();
    let stayed = scene.state(key).await;
    assert_eq!((stayed.deployment, stayed.assigned), (Some(first), None));
    scene.assign(key, second, at(2)).await.unwrap();
    let other = scene.commit(Turn { moved: Some(first), ..turn(key, 1) }).await.unwrap_err();
    assert!(matches!(other, StoreError::Conflict), "a move that does not know of it either: {other}");
    scene.commit(Turn { assigned: Some(second), moved: Some(second), ..turn(key, 1) }).await.unwrap();
    let moved = scene.state(key).await;
    assert_eq!(
        (moved.deployment, moved.assigned, moved.version),
        (Some(second), None, None),
        "it goes where others go"
    );
    scene.assign(key, first, at(2)).await.unwrap();
    scene.commit(Turn { assigned: Some(first), moved: Some(first), ..turn(key, 2) }).await.unwrap();
    assert_eq!(scene.state(key).await.version.as_deref(), Some("one"), "by hand: it stays there");
    scene.commit(Turn { moved: Some(second), ..turn(key, 3) }).await.unwrap();
    let restart = Restart {
        execution_id: "second run".to_owned(),
        generation: 1,
        version: None,
        deployment: Some(first),
        opening: vec![],
    };
    scene.commit(Turn { restart: Some(restart), ..turn(key, 4) }).await.unwrap();
    assert_eq!(scene.state(key).await.deployment, Some(first), "a generation may begin elsewhere");
}

pub(super) async fn a_deployment_is_retired_when_nobody_needs_it(scene: Scene) {
    let first = active(&scene, deployment("one", 1)).await;
    let error = scene.retire(first, false, at(3)).await.unwrap_err();
    assert!(matches!(&error, StoreError::Active { label, names } if label == "one" && names.len() == 3), "{error}");
    let key = made(&scene.start(NewInstance { deployment: Some(first), ..instance("a") }).await.unwrap().0);
    let second = active(&scene, deployment("two", 2)).await;
    let error = scene.retire(first, false, at(3)).await.unwrap_err();
    assert!(matches!(&error, StoreError::InstancesLeft { label, count: 1 } if label == "one"), "{error}");
    scene.commit(end(key, 0, Status::Completed)).await.unwrap();
    let other_label = scene.deploy(deployment("same as one", 1)).await.unwrap();
    scene.retire(first, false, at(3)).await.unwrap();
    assert_eq!(all(&scene).await[2].retired_at, Some(at(3)));
    scene.component([1; 32]).await.unwrap();
    scene.retire(other_label, false, at(3)).await.unwrap();
    scene.component([1; 32]).await.unwrap_err();
    let error = scene.activate(activation(first)).await.unwrap_err();
    assert!(matches!(&error, StoreError::Retired { label } if label == "one"), "{error}");
    assert!(scene.assign(key, first, at(4)).await.is_err());
    assert_eq!(active(&scene, deployment("one", 1)).await, first, "deployed again, it is there again");
    assert_eq!(*scene.component([1; 32]).await.unwrap(), vec![1; 5_000]);
    assert_eq!(route(&scene, "order").await.unwrap().deployment, first);
    assert_ne!(first, second);
}

pub(super) async fn names_that_only_a_retired_deployment_has_are_given_up(scene: Scene) {
    let old = NewDeployment { activities: vec!["charge".to_owned(), "wrap".to_owned()], ..deployment("one", 1) };
    let first = active(&scene, old).await;
    let new = NewDeployment { workflows: vec!["order".to_owned()], ..deployment("two", 2) };
    let second = scene.deploy(new).await.unwrap();
    let names_of = async |drop_names| match scene.retire(first, drop_names, at(3)).await.unwrap_err() {
        StoreError::Active { names, .. } => names,
        error => panic!("{error}"),
    };
    assert_eq!(names_of(false).await, ["charge", "order", "refund", "wrap"]);
    assert_eq!(names_of(true).await, ["charge", "order"], "another one has these");
    assert_eq!(scene.routes().await.unwrap().len(), 2, "and nothing has changed");
    scene.activate(activation(second)).await.unwrap();
    assert_eq!(names_of(false).await, ["refund", "wrap"]);
    assert_eq!(scene.retire(first, true, at(3)).await.unwrap(), ["refund", "wrap"]);
    assert_eq!(route(&scene, "refund").await, None);
    assert_eq!(all(&scene).await[1].active_activities, [""; 0]);
    assert_eq!(route(&scene, "order").await.unwrap().deployment, second);
}

pub(super) async fn reports_are_kept_newest_first_and_not_for_ever(scene: Scene) {
    let report =
        |number: usize| GateReport { label: format!("v{number}"), at: at(1), report: format!("{{\"n\":{number}}}") };
    for number in 0..GATE_REPORTS + 5 {
        scene.keep_report(report(number)).await.unwrap();
    }
    let kept = scene.reports(None, usize::MAX).await.unwrap();
    assert_eq!((kept.len(), &kept[0]), (GATE_REPORTS, &report(GATE_REPORTS + 4)));
    assert_eq!(kept[GATE_REPORTS - 1], report(5));
}

pub(super) async fn reports_are_given_of_one_version_and_no_more_than_asked_for(scene: Scene) {
    let report =
        |label: &str, number: i64| GateReport { label: label.to_owned(), at: at(number), report: "{}".to_owned() };
    for number in 0..3 {
        scene.keep_report(report("one", number)).await.unwrap();
        scene.keep_report(report("two", number)).await.unwrap();
    }
    let of = async |label: &str, limit| scene.reports(Some(label.to_owned()), limit).await.unwrap();
    assert_eq!(of("one", 1).await, [report("one", 2)], "the newest");
    assert_eq!(of("one", 9).await, [report("one", 2), report("one", 1), report("one", 0)]);
    assert_eq!(of("three", 9).await, []);
    assert_eq!(scene.reports(None, 2).await.unwrap(), [report("two", 2), report("one", 2)]);
    assert_eq!(scene.reports(None, 0).await.unwrap(), []);
}
