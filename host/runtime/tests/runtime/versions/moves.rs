//! Who moves to another version, by itself and by hand, and back.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_rollout_and_who_asked_for_a_version_stay() {
    let (_room, host) = first().await;
    let mut all = under_way(&host, 10).await;
    let pin = Rollout { strategy: Strategy::Pin, ..Rollout::default() };
    host.deploy(DeployRequest { rollout: pin, ..request("later") }).await.unwrap();
    let mut asked = room::request("journey", "asked", &"asked");
    asked.version = Some("first".to_owned());
    host.start(asked).await.unwrap();
    host.activate(ActivateRequest { label: "later".to_owned(), rollout: pin, dry_run: false }, None).await.unwrap();
    all.push(("asked".to_owned(), Point::Depart));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_brings_back_who_moved() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    deploy(&host, "later").await;
    // Half of them take a turn on the new version.
    for (name, _) in all.iter().filter(|(_, point)| *point == Point::Depart) {
        raise(&host, name, "depart").await;
        room::until(&host, name, |instance| instance.events >= 10).await;
        assert_eq!(moves(&host, name).await, 1);
    }
    let undone = host.roll_back().await.unwrap();
    assert_eq!(undone.label, "later");
    assert!(undone.workflows.contains(&("journey".to_owned(), Some("first".to_owned()))), "{undone:?}");
    let waiting: Vec<_> = all.iter().map(|(name, _)| (name.clone(), Point::Arrive)).collect();
    assert!(finish(&host, &waiting).await.values().all(|parts| *parts == ["first", "first", "first"]));
    assert_eq!((moves(&host, &all[0].0).await, moves(&host, &all[1].0).await), (2, 0));
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(host.instance(&id("new")).await.unwrap().deployment.as_deref(), Some("first"));
    host.roll_back().await.unwrap();
    let nothing = host.roll_back().await.unwrap_err();
    assert!(matches!(nothing, RequestError::NothingToUndo), "{nothing}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_code_that_stops_in_its_first_turn_leaves_the_turn_to_the_old() {
    let (_room, host) = first().await;
    let all = under_way(&host, 10).await;
    let deployed = deploy(&host, "stumbles").await;
    assert_eq!((counts(&deployed), deployed.is_active), ((10, 0, 0), true), "replay checks the past");
    let arriving: Vec<_> = all.iter().filter(|(_, point)| *point == Point::Arrive).cloned().collect();
    let ended = finish(&host, &arriving).await;
    assert!(ended.values().all(|parts| *parts == ["first", "first", "first"]), "{ended:?}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_goes_on_when_a_version_comes_that_fits() {
    let (_room, host) = first().await;
    deploy(&host, "stumbles").await;
    room::start(&host, "journey", "held", &"held").await;
    raise(&host, "held", "depart").await;
    raise(&host, "held", "arrive").await;
    room::until_status(&host, "held", Status::Stalled).await;
    let deployed = deploy(&host, "later").await;
    assert_eq!(counts(&deployed), (1, 0, 0));
    assert_eq!(room::result(&host, "held").await, json!(["later", "later", "later"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_is_moved_by_hand_if_it_fits() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    let pin = Rollout { strategy: Strategy::Pin, gate: Gate::Off, ..Rollout::default() };
    for version in ["later", "reordered"] {
        host.deploy(DeployRequest { rollout: pin, ..request(version) }).await.unwrap();
    }
    let name = &all[0].0;
    let misfit = host.move_to(&id(name), "reordered").await.unwrap_err();
    assert!(matches!(&misfit, RequestError::DoesNotFit { .. }), "{misfit}");
    assert!(misfit.to_string().contains("recorded: activity \"pack\""), "{misfit}");
    let unknown = host.move_to(&id(name), "nowhere").await.unwrap_err();
    assert!(matches!(&unknown, RequestError::UnknownDeployment { .. }), "{unknown}");
    host.move_to(&id(name), "later").await.unwrap();
    room::until_true(async || host.instance(&id(name)).await.unwrap().deployment.as_deref() == Some("later")).await;
    assert_eq!(moves(&host, name).await, 1);
    let ended = finish(&host, &all).await;
    assert_eq!((&ended[name][2], &ended[&all[1].0][2]), (&"later".to_owned(), &"first".to_owned()));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_moved_by_hand_stays_there() {
    let (_room, host) = first().await;
    let all = under_way(&host, 1).await;
    let name = &all[0].0;
    deploy(&host, "later").await;
    raise(&host, name, "depart").await;
    room::until(&host, name, |instance| instance.events >= 10).await;
    host.move_to(&id(name), "first").await.unwrap();
    room::until_true(async || host.instance(&id(name)).await.unwrap().deployment.as_deref() == Some("first")).await;
    raise(&host, name, "arrive").await;
    assert_eq!(room::result(&host, name).await, json!(["first", "first", "first"]));
    assert_eq!(moves(&host, name).await, 2);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_lets_go_on_whom_the_undone_version_stopped() {
    let (_room, host) = first().await;
    let all = under_way(&host, 1).await;
    let name = &all[0].0;
    deploy(&host, "stumbles").await;
    raise(&host, name, "depart").await;
    room::until(&host, name, |instance| instance.events >= 10).await;
    raise(&host, name, "arrive").await;
    room::until_status(&host, name, Status::Stalled).await;
    host.roll_back().await.unwrap();
    assert_eq!(room::result(&host, name).await, json!(["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_gets_a_share_of_new_starts_and_nobody_moves() {
    let (_room, host) = first().await;
    let all = under_way(&host, 4).await;
    let trial = Rollout { share: Some(50), ..Rollout::default() };
    host.deploy(DeployRequest { rollout: trial, ..request("later") }).await.unwrap();
    let mut seen = BTreeSet::new();
    for number in 0..50 {
        let name = format!("trial-{number}");
        room::start(&host, "journey", &name, &name).await;
        seen.insert(host.instance(&id(&name)).await.unwrap().deployment);
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    let impossible = Rollout { share: Some(100), ..Rollout::default() };
    let refused = host.deploy(DeployRequest { rollout: impossible, ..request("patched") }).await.unwrap_err();
    assert!(matches!(refused, RequestError::InvalidShare { share: 100 }), "{refused}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_retired_when_nobody_needs_it() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    deploy(&host, "reordered").await;
    let needed = host.retire("first", false).await.unwrap_err();
    assert!(matches!(needed, RequestError::Store(StoreError::InstancesLeft { count: 2, .. })), "{needed}");
    let active = host.retire("reordered", false).await.unwrap_err();
    assert!(matches!(active, RequestError::Store(StoreError::Active { .. })), "{active}");
    finish(&host, &all).await;
    host.retire("first", false).await.unwrap();
    let asked = host.query(&id(&all[0].0), "where", None).await.unwrap_err();
    assert!(matches!(asked, RequestError::Store(StoreError::Retired { .. })), "it is not in memory either: {asked}");
    let gone = host.activate(ActivateRequest { label: "first".into(), ..ActivateRequest::default() }, None).await;
    assert!(gone.is_err());
    assert!(deploy(&host, "first").await.is_active, "deployed again, it is there again");
    room::stop(host).await;
}

/// Which versions spoke in which turn of which instance.
type Told = BTreeMap<(String, u32), Vec<String>>;

#[tokio::test(flavor = "multi_thread")]
async fn no_turn_runs_on_two_versions_while_they_are_swapped_under_load() {
    // Given activities that note which version told them, in which turn of which instance,
    let told: Arc<Mutex<Told>> = Arc::default();
    let noting = Arc::clone(&told);
    let activities =
        Activities::new().with("tell", move |context: everturn_runtime::ActivityContext, (turn, version)| {
            let key = (context.call().instance_id.to_string(), turn);
            noting.lock().unwrap().entry(key).or_default().push(version);
            async { Ok::<_, ActivityError>(()) }
        });
    let room = Room::with(activities);
    let host = room.open_empty().await;
    deploy(&host, "first").await;
    let names: Vec<_> = (0..40).map(|number| format!("steady-{number}")).collect();
    for name in &names {
        room::start(&host, "steady", name, &Value::Null).await;
    }

    // when two versions are swapped twenty times while starts and events keep flowing,
    let swapping = tokio::spawn({
        let host = host.clone();
        async move {
            for round in 0..20 {
                let version = if round % 2 == 0 { "later" } else { "first" };
                assert!(deploy(&host, version).await.is_active);
            }
        }
    });
    let mut rounds = 0;
    let mut started = Vec::new();
    while !swapping.is_finished() || rounds < 5 {
        for name in &names {
            host.raise_event(&id(name), "next", Some("true".to_owned())).await.unwrap();
        }
        let name = format!("started-{rounds}");
        room::start(&host, "steady", &name, &Value::Null).await;
        started.push(name);
        rounds += 1;
    }
    swapping.await.unwrap();

    // then none failed, and each turn was told by one version.
    for name in &started {
        host.raise_event(&id(name), "next", Some("false".to_owned())).await.unwrap();
        assert_eq!(room::result(&host, name).await, json!(1));
    }
    for name in &names {
        host.raise_event(&id(name), "next", Some("false".to_owned())).await.unwrap();
        assert_eq!(room::result(&host, name).await, json!(rounds + 1));
    }
    room::stop(host).await;
    let told = told.lock().unwrap();
    for (turn, versions) in told.iter() {
        assert!(versions.windows(2).all(|pair| pair[0] == pair[1]), "{turn:?}: {versions:?}");
    }
    let versions: BTreeSet<_> = told.values().flatten().collect();
    assert_eq!(versions.len(), 2, "both were at work: {versions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_and_versions_are_there_after_a_restart() {
    let (room, host) = first().await;
    let all = under_way(&host, 4).await;
    deploy(&host, "later").await;
    room::stop(host).await;
    let host = room.open_empty().await;
    assert_eq!(finish(&host, &all).await[&all[0].0], ["later", "later", "later"]);
    room::start(&host, "journey", "new", &"new").await;
    assert_eq!(host.instance(&id("new")).await.unwrap().deployment.as_deref(), Some("later"));
    within(host.roll_back()).await.unwrap();
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_to_move_is_counted_until_it_has_moved_ended_or_does_not_fit() {
    let (_room, host) = first().await;
    let all = under_way(&host, 4).await;
    let mut asked = room::request("journey", "asked", &"asked");
    asked.version = Some("first".to_owned());
    host.start(asked).await.unwrap();
    assert_eq!(host.moving("first").await.unwrap(), Moving { left: 0, is_active: true });
    let unchecked = Rollout { gate: Gate::Off, ..Rollout::default() };
    host.deploy(DeployRequest { rollout: unchecked, ..request("reordered") }).await.unwrap();
    assert_eq!(host.moving("reordered").await.unwrap().left, 4, "who was not checked may fit, who asked stays");
    raise(&host, &all[0].0, "depart").await;
    room::until(&host, &all[0].0, |instance| instance.events >= 10).await;
    assert_eq!(host.moving("reordered").await.unwrap().left, 3, "that one does not");
    deploy(&host, "later").await;
    assert_eq!(host.moving("later").await.unwrap(), Moving { left: 4, is_active: true });
    assert_eq!(host.moving("reordered").await.unwrap(), Moving { left: 0, is_active: false });
    finish(&host, &[all[1].clone()]).await;
    assert_eq!(host.moving("later").await.unwrap().left, 3);
    host.roll_back().await.unwrap();
    assert_eq!(host.moving("later").await.unwrap(), Moving { left: 0, is_active: false });
    let unknown = host.moving("nowhere").await.unwrap_err();
    assert!(matches!(unknown, RequestError::UnknownDeployment { .. }), "{unknown}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_gate_is_is_told_from_its_beginning_to_its_end() {
    let (_room, host) = first().await;
    under_way(&host, 20).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&told);
    let on_progress: OnProgress = Arc::new(move |now| notes.lock().unwrap().push(now));
    host.deploy_watched(request("later"), Some(on_progress)).await.unwrap();
    let told = std::mem::take(&mut *told.lock().unwrap());
    assert_eq!(told[0], Progress { checked: 0, total: 20 });
    let checked: BTreeSet<_> = told.iter().map(|now| now.checked).collect();
    assert_eq!(checked, (0..=20).collect());
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_on_a_component_that_cannot_be_had_any_more_goes_on_on_one_that_fits() {
    let (room, host) = first().await;
    let all = under_way(&host, 4).await;
    let (by_hand, held) = (all[0].0.as_str(), all[1].0.as_str());
    let pin = Rollout { strategy: Strategy::Pin, ..Rollout::default() };
    host.deploy(DeployRequest { rollout: pin, ..request("later") }).await.unwrap();
    room::stop(host).await;
    // The first version is damaged.
    let damaged = rusqlite::Connection::open(room.file()).unwrap();
    let sql = "UPDATE component SET wasm = x'00' WHERE digest = (SELECT digest FROM deployment WHERE label = 'first')";
    assert_eq!(damaged.execute(sql, []).unwrap(), 1);
    drop(damaged);

    let host = room.open_empty().await;
    raise(&host, held, "arrive").await;
    room::until_status(&host, held, Status::Stalled).await;
    host.move_to(&id(by_hand), "later").await.unwrap();
    raise(&host, by_hand, "depart").await;
    raise(&host, by_hand, "arrive").await;
    assert_eq!(room::result(&host, by_hand).await, json!(["later", "later", "later"]));
    host.activate(ActivateRequest { label: "later".into(), ..ActivateRequest::default() }, None).await.unwrap();
    assert_eq!(room::result(&host, held).await, json!(["later", "later", "later"]));
    assert!(finish(&host, &all[2..]).await.values().all(|parts| *parts == ["later", "later", "later"]));
    room::stop(host).await;
}
