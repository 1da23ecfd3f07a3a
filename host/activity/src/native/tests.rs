//! Native functions: what goes in, what comes out, and what becomes of mistakes.

use std::collections::BTreeMap;
use std::sync::Mutex;

use everturn_history::SequenceId;

use super::*;

fn call(activity: &str, input: &str) -> Call {
    Call {
        activity: activity.to_owned(),
        input: input.to_owned(),
        instance_id: "order-7".into(),
        workflow: "place_order".to_owned(),
        task_id: SequenceId::new(3),
        generation: 0,
        task_execution_id: "the-call".to_owned(),
        attempt: 1,
        dispatch: 1,
    }
}

fn run_with(activities: &Activities, name: &str, input: &str, heartbeat: Arc<dyn Heartbeat>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(activities.run(call(name, input), heartbeat).unwrap())
}

fn run(activities: &Activities, input: &str) -> Outcome {
    run_with(activities, "activity", input, Arc::new(()))
}

fn kind(failure: &Failure) -> (&str, bool) {
    (failure.error_type.as_str(), failure.retriable)
}

#[test]
fn input_and_output_are_json_and_the_call_is_known() {
    let activities = Activities::new().with("activity", async |context: Context, number: u32| {
        Ok::<_, Error>((number * 2, context.call().id(), context.call().input.clone()))
    });
    assert_eq!(run(&activities, "21").unwrap(), r#"[42,"order-7::3::0",""]"#);
}

#[test]
fn a_name_that_is_not_there_is_nobodys() {
    assert!(Activities::new().run(call("activity", "1"), Arc::new(())).is_none());
}

#[test]
fn the_last_function_under_a_name_counts() {
    let activities = Activities::new()
        .with("activity", async |_, (): ()| Ok::<_, Error>(1))
        .with("activity", async |_, (): ()| Ok::<_, Error>(2));
    assert_eq!(activities.names().collect::<Vec<_>>(), ["activity"]);
    assert_eq!(run(&activities, "null").unwrap(), "2");
}

#[test]
fn any_error_type_will_do() {
    let activities = Activities::new().with("activity", async |_, text: String| text.parse::<u32>());
    assert_eq!(run(&activities, "\"7\"").unwrap(), "7");
    assert_eq!(kind(&run(&activities, "\"x\"").unwrap_err()), ("ParseIntError", true));

    let activities = Activities::new()
        .with("activity", async |_, (): ()| Err::<(), _>(Error::new("CardDeclined", "no").not_retriable()));
    assert_eq!(kind(&run(&activities, "null").unwrap_err()), ("CardDeclined", false));
}

#[test]
fn what_does_not_fit_its_type_is_refused_for_good() {
    let activities = Activities::new().with("activity", async |_, number: u32| Ok::<_, Error>(number));
    let failure = run(&activities, "\"many\"").unwrap_err();
    assert_eq!(kind(&failure), (error_types::INVALID_INPUT, false));
    assert!(failure.message.starts_with("the input of activity `activity` cannot be read as a `u32`"), "{failure:?}");

    let activities =
        Activities::new().with("activity", async |_, (): ()| Ok::<_, Error>(BTreeMap::from([((1, 2), 3)])));
    assert_eq!(kind(&run(&activities, "null").unwrap_err()), (error_types::INVALID_OUTPUT, false));
}

#[test]
fn a_panic_is_a_failure_wherever_it_happens() {
    fn early(_: Context, (): ()) -> BoxFuture<'static, Result<(), Error>> {
        panic!("before there is a future")
    }
    let activities = Activities::new().with("activity", early);
    let failure = run(&activities, "null").unwrap_err();
    assert_eq!(kind(&failure), (error_types::PANICKED, true));
    assert_eq!(failure.message, "before there is a future");

    let activities = Activities::new().with("activity", async |_, number: u32| {
        tokio::task::yield_now().await;
        if number == 7 { panic!("number {number}") } else { Ok::<_, Error>(number) }
    });
    assert_eq!(run(&activities, "7").unwrap_err().message, "number 7");
    assert_eq!(run(&activities, "8").unwrap(), "8");

    let activities =
        Activities::new().with("activity", async |_, (): ()| -> Result<(), Error> { std::panic::panic_any(7) });
    assert_eq!(run(&activities, "null").unwrap_err().message, "there was a panic without a message");
}

#[test]
fn a_result_that_is_too_large_is_refused_for_good() {
    let activities = Activities::new().with("activity", async |_, bytes: usize| Ok::<_, Error>("x".repeat(bytes)));
    assert!(run(&activities, "2097150").is_ok());
    assert_eq!(kind(&run(&activities, "2097151").unwrap_err()), (error_types::RESULT_TOO_LARGE, false));
    assert_eq!(kind(&run(&activities.limit_payload(10), "9").unwrap_err()), (error_types::RESULT_TOO_LARGE, false));
}

#[test]
fn a_heartbeat_says_how_far_it_is_and_hears_whether_to_go_on() {
    struct Once(Mutex<Vec<Option<String>>>);

    impl Heartbeat for Once {
        fn beat(&self, details: Option<String>) -> bool {
            let mut heard = self.0.lock().unwrap();
            heard.push(details);
            heard.len() == 1
        }
    }

    let activities = Activities::new().with("activity", async |context: Context, (): ()| {
        Ok::<_, Error>((context.heartbeat_with(&[1])?, context.heartbeat()))
    });
    let listener = Arc::new(Once(Mutex::default()));
    assert_eq!(run_with(&activities, "activity", "null", listener.clone()).unwrap(), "[true,false]");
    assert_eq!(*listener.0.lock().unwrap(), [Some("[1]".to_owned()), None]);
}

#[test]
fn a_dropped_future_stops_where_it_waits() {
    let held = Arc::new(());
    let activities = {
        let held = Arc::clone(&held);
        Activities::new().with("activity", move |_, (): ()| {
            let held = Arc::clone(&held);
            async move {
                std::future::pending::<()>().await;
                drop(held);
                Ok::<_, Error>(())
            }
        })
    };
    let mut run = activities.run(call("activity", "null"), Arc::new(())).unwrap();
    assert!(run.as_mut().now_or_never().is_none());
    assert_eq!(Arc::strong_count(&held), 3);
    drop(run);
    assert_eq!(Arc::strong_count(&held), 2);
}
