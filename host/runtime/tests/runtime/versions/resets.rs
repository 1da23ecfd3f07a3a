//! Who is held goes back in its history, to before what differs, and goes on with another version.

use everturn_runtime::{ResetInstance, ResetRequest};

use super::*;

/// What each call of an activity was, in order.
type Calls = Arc<Mutex<Vec<String>>>;

/// A host with these versions, the last of them active, and activities that note that they were called.
async fn noting(versions: &[&str]) -> (Room, Runtime, Calls) {
    let calls = Calls::default();
    let names = ["pack", "unpack", "insure", "rest", "celebrate"];
    let activities = names.into_iter().fold(Activities::new(), |activities, name| {
        let calls = Arc::clone(&calls);
        activities.with(name, move |_context, _name: Value| {
            calls.lock().unwrap().push(name.to_owned());
            async { Ok::<_, ActivityError>(()) }
        })
    });
    let room = Room::with(activities);
    let host = room.open_empty().await;
    for version in versions {
        deploy(&host, version).await;
    }
    (room, host, calls)
}

/// An instance that has come to its end and does not come over it: it panics.
async fn held(host: &Runtime, name: &str) {
    room::start(host, "journey", name, &name).await;
    room::until(host, name, |instance| instance.events == 6).await;
    raise(host, name, "depart").await;
    room::until(host, name, |instance| instance.events == 12).await;
    raise(host, name, "arrive").await;
    room::until_status(host, name, Status::Stalled).await;
}

async fn reset(host: &Runtime, name: &str, to: u64, version: Option<&str>) -> Result<ResetInstance, RequestError> {
    let version = version.map(str::to_owned);
    within(host.reset(&id(name), ResetRequest { to, version, reason: Some("a test".to_owned()) })).await
}

/// The number of the first event that differs, as the gate says it.
fn first_difference(deployed: &Deployed) -> u64 {
    deployed.report.causes[0].instances[0].event.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_held_finishes_on_the_new_version_and_does_again_only_what_was_taken_back() {
    // Given an instance that is held, and a new version that does something else in between,
    let (_room, host, calls) = noting(&["stumbles"]).await;
    held(&host, "bag").await;
    let deployed = deploy(&host, "insured").await;
    assert_eq!(counts(&deployed), (0, 1, 0));
    assert_eq!(host.instance(&id("bag")).await.unwrap().instance.status, Status::Stalled);

    // when it is reset to what differs,
    let before = host.history(&id("bag")).await.unwrap().len() as u64;
    let to = first_difference(&deployed);
    let done = reset(&host, "bag", to, None).await.unwrap();

    // then it goes on with the new version, and what came before is not done again.
    assert_eq!((done.version.as_str(), done.kept + done.taken_back, done.warnings), ("insured", before, vec![]));
    assert!(done.kept < to);
    assert_eq!(room::result(&host, "bag").await, json!(["insured", "insured", "insured"]));
    assert_eq!(*calls.lock().unwrap(), ["pack", "unpack", "insure", "unpack", "rest"]);
    assert_eq!(called(&host, "bag").await, ["pack", "insure", "unpack", "rest"]);
    let history = room::history(&host, "bag").await;
    let recorded = history.iter().enumerate().find_map(|(place, event)| match event {
        EventType::WorkflowReset(reset) => Some((place as u64, reset)),
        _ => None,
    });
    let (place, recorded) = recorded.unwrap();
    assert_eq!(place, done.kept + 1, "at the beginning of the first turn after it");
    assert_eq!((recorded.to_event, recorded.taken_back), (to, done.taken_back));
    assert_eq!((recorded.version.as_str(), recorded.reason.as_ref().unwrap().value.as_str()), ("insured", "a test"));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_version_to_go_on_with_can_be_chosen_and_is_kept() {
    let (_room, host, _) = noting(&["insured", "stumbles"]).await;
    held(&host, "bag").await;
    assert_eq!(reset(&host, "bag", 9, Some("insured")).await.unwrap().version, "insured");
    let instance = host.instance(&id("bag")).await.unwrap().instance;
    assert_eq!(instance.version.as_deref(), Some("insured"));
    assert_eq!(room::result(&host, "bag").await, json!(["insured", "insured", "insured"]));
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_is_refused_with_advice_and_nothing_has_happened() {
    let (_room, host, _) = noting(&["reordered", "stumbles"]).await;
    held(&host, "bag").await;
    let before = (host.history(&id("bag")).await.unwrap(), host.instance(&id("bag")).await.unwrap().instance);
    let refused = reset(&host, "bag", 9, Some("reordered")).await.unwrap_err();
    assert!(matches!(refused, RequestError::CannotReset { .. }), "{refused}");
    assert!(refused.to_string().contains("reset it to event 3 to take that back too"), "{refused}");
    assert!(refused.to_string().contains("recorded: activity \"pack\""), "{refused}");
    let unknown = reset(&host, "bag", 9, Some("nowhere")).await.unwrap_err();
    assert!(matches!(unknown, RequestError::UnknownDeployment { .. }), "{unknown}");
    let after = (host.history(&id("bag")).await.unwrap(), host.instance(&id("bag")).await.unwrap().instance);
    assert_eq!(after, before);
    reset(&host, "bag", 3, Some("reordered")).await.unwrap();
    assert_eq!(room::result(&host, "bag").await, json!(["reordered", "reordered", "reordered"]));
    assert_eq!(called(&host, "bag").await, ["unpack", "pack", "rest"], "from its start, with the same input");
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_held_on_the_version_it_was_reset_to_can_be_moved() {
    let (room, host, calls) = noting(&["insured", "panics", "stumbles"]).await;
    held(&host, "bag").await;
    // From the start, so that there is nothing that the other version could not fit.
    assert_eq!(reset(&host, "bag", 1, Some("panics")).await.unwrap().kept, 0);
    let instance = room::until_status(&host, "bag", Status::Stalled).await;
    assert!(instance.stalled.unwrap().contains("this version does not work"));
    room::stop(host).await;
    let host = room.open_empty().await;
    let none = reset(&host, "bag", 1, None).await.unwrap_err();
    assert!(none.to_string().contains("it has had no turn"), "{none}");
    host.move_to(&id("bag"), "insured").await.unwrap();
    assert_eq!(room::result(&host, "bag").await, json!(["insured", "insured", "insured"]));
    assert_eq!(*calls.lock().unwrap(), ["pack", "unpack", "pack", "insure", "unpack", "rest"]);
    room::stop(host).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_old_code_gave_up_is_there_for_the_new_code_that_waits_for_it() {
    // Given an instance that gave up an activity,
    let room = Room::with(Activities::new());
    let host = room.open_empty().await;
    deploy(&host, "first").await;
    deploy(&host, "hasty").await;
    let mut worker = room::worker(&host, &["pack"], 1);
    room::start(&host, "journey", "bag", &"bag").await;
    let given_up = room::next(&mut worker).await;
    raise(&host, "bag", "depart").await;
    room::until(&host, "bag", |instance| instance.turns == 2).await;
    host.complete_activity(given_up.token, Ok("null".into())).await.unwrap_err();

    // when it goes back on a version that waits for it,
    let done = reset(&host, "bag", 6, Some("first")).await.unwrap();
    assert_eq!(done.kept, 4);

    // then it is called again.
    let again = room::next(&mut worker).await;
    host.complete_activity(again.token, Ok("null".into())).await.unwrap();
    room::until_true(async || called(&host, "bag").await == ["pack", "unpack"]).await;
    room::stop(host).await;
}
