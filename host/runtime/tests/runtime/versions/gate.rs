//! What the gate says of a new version, and what becomes of all that is open.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_identical_rebuild_takes_over_everything() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = host.deploy(DeployRequest { wasm: rebuilt(in_version("first")), ..request("again") }).await.unwrap();
    assert_eq!((counts(&deployed), deployed.is_active), ((1_000, 0, 0), true));
    let ended = finish(&host, &all).await;
    assert_eq!(ended.values().collect::<BTreeSet<_>>().len(), 1);
    for (name, _) in all.iter().step_by(97) {
        assert_eq!(moves(&host, name).await, 1);
        assert_eq!(host.instance(&id(name)).await.unwrap().deployment.as_deref(), Some("again"));
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_after_the_wait_points_fits_all_and_is_what_they_do_then() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "later").await;
    assert_eq!(counts(&deployed), (1_000, 0, 0));
    let ended = finish(&host, &all).await;
    for (name, point) in &all {
        assert_eq!(ended[name], ["later", "later", "later"], "{point:?}: what was done is done again by the new code");
    }
    assert_eq!(called(&host, &all[0].0).await, ["pack", "unpack", "celebrate"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_reorders_activities_leaves_those_that_have_done_them_where_they_are() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "reordered").await;
    assert_eq!((counts(&deployed), deployed.is_active), ((0, 1_000, 0), true));
    let [cause] = &deployed.report.causes[..] else { panic!("{:?}", deployed.report.causes) };
    assert_eq!((cause.kind, cause.count, cause.instances.len()), (CauseKind::Mismatch, 1_000, 1_000));
    assert_eq!((cause.recorded.as_str(), cause.candidate.as_str()), ("activity \"pack\"", "activity \"unpack\""));
    let named: BTreeSet<_> = cause.instances.iter().map(|one| (one.id.as_str(), one.event)).collect();
    assert_eq!(named, all.iter().map(|(name, _)| (name.as_str(), Some(3))).collect(), "each, with where it differs");
    room::start(&host, "journey", "new", &"new").await;
    let mut with_new = all.clone();
    with_new.push(("new".to_owned(), Point::Depart));
    let ended = finish(&host, &with_new).await;
    assert_eq!(ended["new"], ["reordered", "reordered", "reordered"]);
    for (name, _) in &all {
        assert_eq!(ended[name], ["first", "first", "first"]);
    }
    assert_eq!(moves(&host, &all[1].0).await, 0);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_behind_a_patch_fits_all_and_holds_for_those_that_have_not_passed_it() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    let deployed = deploy(&host, "patched").await;
    assert_eq!(counts(&deployed), (1_000, 0, 0));
    finish(&host, &all).await;
    for (name, point) in &all {
        let expected: &[&str] = match point {
            Point::Depart => &["pack", "insure", "unpack", "rest"],
            Point::Arrive => &["pack", "unpack", "rest"],
        };
        assert_eq!(called(&host, name).await, expected, "{point:?}");
    }
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_run_what_is_open_or_nothing_at_all_does_not_become_active() {
    let (_room, host) = first().await;
    let all = under_way(&host, MANY).await;
    deploy_what_panics(&host).await;
    deploy_what_loops(&host).await;
    deploy_what_is_refused(&host).await;
    let ended = finish(&host, &all).await;
    assert!(ended.values().all(|parts| *parts == ["first", "first", "first"]));
    room::start(&host, "journey", "new", &"new").await;
    let new = vec![("new".to_owned(), Point::Depart)];
    assert_eq!(finish(&host, &new).await["new"], ["first", "first", "first"], "starts go where they went");
    room::stop(host).await;
}

async fn deploy_what_panics(host: &Runtime) {
    let panics = deploy(host, "panics").await;
    assert_eq!((counts(&panics), panics.is_active), ((0, 1_000, 0), false));
    let [cause] = &panics.report.causes[..] else { panic!("{:?}", panics.report.causes) };
    assert_eq!(cause.kind, CauseKind::Fault);
    assert!(cause.candidate.contains("this version does not work"), "{}", cause.candidate);
}

async fn deploy_what_loops(host: &Runtime) {
    let loops = deploy(host, "loops").await;
    let (compatible, diverged, not_checked) = counts(&loops);
    assert!(compatible == 0 && (1..100).contains(&diverged) && diverged + not_checked == 1_000, "{loops:?}");
    assert_eq!((loops.report.causes[0].kind, loops.is_active), (CauseKind::Timeout, false));
}

/// What is no component, or reaches too far, is not even kept.
async fn deploy_what_is_refused(host: &Runtime) {
    let kept = async || (host.deployments().await.unwrap().len(), host.gate_reports(None, 9).await.unwrap().len());
    let before = kept().await;
    for wasm in [b"garbage".to_vec(), SOCKET.bytes().unwrap()] {
        let refused = host.deploy(DeployRequest { wasm, ..DeployRequest::default() }).await.unwrap_err();
        assert!(matches!(refused, RequestError::Component(_)), "{refused}");
    }
    assert_eq!(kept().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_the_same_and_changes_nothing() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    let dry = host.deploy(DeployRequest { dry_run: true, ..request("reordered") }).await.unwrap();
    assert_eq!((counts(&dry), dry.is_active), ((0, 20, 0), false));
    assert_eq!(host.deployments().await.unwrap().len(), 1);
    let reports = host.gate_reports(Some("reordered"), 1).await.unwrap();
    assert_eq!((reports[0].0.as_str(), &reports[0].2), ("reordered", &dry.report), "it can be shown again");
    let sample = Rollout { gate: Gate::Sample(5), ..Rollout::default() };
    let sampled = host.deploy(DeployRequest { dry_run: true, rollout: sample, ..request("later") }).await.unwrap();
    assert_eq!(counts(&sampled), (5, 0, 15));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_checked_is_checked_when_it_would_move() {
    let (_room, host) = first().await;
    let all = under_way(&host, 20).await;
    let unchecked = Rollout { gate: Gate::Off, ..Rollout::default() };
    let deployed = host.deploy(DeployRequest { rollout: unchecked, ..request("reordered") }).await.unwrap();
    assert_eq!((counts(&deployed), deployed.is_active), ((0, 0, 20), true));
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_that_has_not_begun_does_not_make_a_broken_version_work() {
    let (_room, host) = first().await;
    under_way(&host, 2).await;
    let mut later = room::request("journey", "waits", &"waits");
    later.starts_at = Some(everturn_runtime::store::Time::from_micros(i64::MAX / 2));
    host.start(later).await.unwrap();
    let deployed = deploy(&host, "panics").await;
    assert_eq!((counts(&deployed), deployed.is_active, deployed.is_broken), ((1, 2, 0), false, true));
    let unmoved = host.move_to(&id("waits"), "first").await.unwrap_err();
    assert!(unmoved.to_string().contains("it has not begun"), "{unmoved}");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_cannot_run_what_is_open_becomes_active_if_nobody_moves_there() {
    let (_room, host) = first().await;
    let all = under_way(&host, 2).await;
    let pin = Rollout { strategy: Strategy::Pin, ..Rollout::default() };
    let trial = Rollout { share: Some(10), ..Rollout::default() };
    for rollout in [trial, pin] {
        let deployed = host.deploy(DeployRequest { rollout, ..request("panics") }).await.unwrap();
        assert_eq!((counts(&deployed), deployed.is_active, deployed.is_broken), ((0, 2, 0), true, true));
    }
    host.roll_back().await.unwrap();
    host.roll_back().await.unwrap();
    assert!(finish(&host, &all).await.values().all(|parts| *parts == ["first", "first", "first"]));

    let mut asked = room::request("journey", "asked", &"asked");
    asked.version = Some("first".to_owned());
    host.start(asked).await.unwrap();
    room::until(&host, "asked", |instance| instance.events >= 6).await;
    let deployed = deploy(&host, "panics").await;
    assert_eq!((counts(&deployed), deployed.is_active, deployed.is_broken), ((0, 1, 0), true, false), "it stays");
    let asked = [("asked".to_owned(), Point::Depart)];
    assert_eq!(finish(&host, &asked).await["asked"], ["first", "first", "first"]);
    room::stop(host).await;
}
