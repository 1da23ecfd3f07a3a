//! Signals, queries and updates.

use std::time::Duration;

use everturn_test::{Failure, Run, Status, TestHost, UpdateError};
use serde_json::{Value, json};

use crate::guests;

fn host() -> TestHost {
    TestHost::new(guests())
        .activity_returns("A", ())
        .activity("fetch", |name: String| Ok(format!("news of {name}")))
        .takes("fetch", Duration::from_secs(10))
}

fn notes() -> Run {
    host().start("takes_notes", &"first")
}

fn texts(run: &mut Run) -> Vec<String> {
    run.query("texts", &())
}

#[test]
fn signals_are_handled_in_order() {
    let mut run = notes();
    run.until_blocked();
    run.signal("note", "second");
    run.signal("NOTE", "third");
    assert_eq!(texts(&mut run), ["first", "second", "third"]);
    run.signal("done", &());
    assert_eq!(run.result::<(usize, Vec<String>)>().unwrap().1.len(), 3);
}

#[test]
fn an_ended_workflow_answers_queries() {
    let mut run = notes();
    run.signal("done", &());
    run.result::<Value>().unwrap();
    assert_eq!(run.status(), Status::Completed);
    assert_eq!(texts(&mut run), ["first"]);
}

#[test]
fn queries_record_nothing_and_may_fail() {
    let mut run = notes();
    run.until_blocked();
    let events = run.history().len();
    assert_eq!(run.query::<String>("text", &0), "first");
    assert_eq!(run.try_query::<String>("text", &9), Err(Failure::new("NoSuchNote", "there are fewer")));
    assert_eq!(run.history().len(), events);
}

#[test]
fn an_update_answers() {
    let mut run = notes();
    assert_eq!(run.update("add", "second"), Ok(2));
    run.assert_in_order(["update add accepted", "update answered"]);
}

#[test]
fn an_update_may_be_rejected_and_may_fail() {
    let mut run = notes();
    let empty = Failure::new("Empty", "a note has a text").not_retriable();
    assert_eq!(run.update::<usize>("add", ""), Err(UpdateError::Rejected(empty)));
    let cleared = Failure::new("Cleared", "1 notes are gone");
    assert_eq!(run.update::<()>("clear", &()), Err(UpdateError::Failed(cleared)));
    assert_eq!(run.update("add", "another"), Ok(1));
    let accepted = run.story().iter().filter(|line| line.ends_with("accepted")).count();
    assert_eq!(accepted, 2, "the rejected one was never there: {:#?}", run.story());
}

#[test]
fn an_update_that_waits_lets_time_pass() {
    let mut run = notes();
    let began = run.now();
    assert_eq!(run.update("fetch_now", "ann"), Ok(2));
    assert_eq!(run.now().duration_since(began).unwrap(), Duration::from_secs(10));
    assert_eq!(texts(&mut run), ["first", "news of ann"]);
}

#[test]
fn a_signal_that_waits_goes_on_beside_the_others() {
    let mut run = notes();
    run.until_blocked();
    run.signal("fetch", "ann");
    run.signal("note", "second");
    assert_eq!(texts(&mut run), ["first", "asking ann", "second"]);
    run.skip(Duration::from_secs(10));
    assert_eq!(texts(&mut run), ["first", "asking ann", "second", "news of ann"]);
}

#[test]
fn an_update_that_stops_its_workflow_is_rejected_and_has_no_effect() {
    let mut run = host().start("validates_wrongly", &());
    match run.update::<()>("change", &()) {
        Err(UpdateError::Rejected(failure)) => {
            assert_eq!((failure.error_type.as_str(), failure.retriable), ("UpdateStoppedWorkflow", false));
            assert!(failure.message.contains("a validator cannot raise event `hello`"), "{failure}");
        }
        other => panic!("{other:?}"),
    }
    run.raise_event("end", &());
    assert_eq!(run.result(), Ok(()));
}

#[test]
fn an_update_is_over_when_the_workflow_begins_anew_or_ends_without_an_answer() {
    let mut run = notes();
    run.at(Duration::from_secs(5), |run| run.signal("begin_again", &()));
    assert_eq!(run.update::<usize>("fetch_now", "ann"), Err(UpdateError::Unanswered(Status::Running)));
    assert_eq!((run.generation(), texts(&mut run)), (1, vec!["again".to_owned()]));

    let mut run = notes();
    run.at(Duration::from_secs(5), |run| run.signal("fail", "wires cut"));
    assert_eq!(run.update::<usize>("fetch_now", "ann"), Err(UpdateError::Unanswered(Status::Failed)));
}

#[test]
fn nobody_takes_an_update_of_what_is_suspended_or_over() {
    let mut run = notes();
    run.until_blocked();
    run.suspend();
    assert_eq!(run.update::<usize>("add", "second"), Err(UpdateError::NotTaken(Status::Suspended)));
    run.resume();
    run.signal("done", &());
    run.result::<Value>().unwrap();
    assert_eq!(run.update::<usize>("add", "second"), Err(UpdateError::NotTaken(Status::Completed)));
}

#[test]
fn handlers_that_are_registered_later_are_known_then() {
    let host = TestHost::new(guests()).activity_returns("fetch", 70);
    let mut run = host.start("listens_late", &());
    run.until_blocked();
    assert_eq!(run.update::<u32>("set", &5), Err(UpdateError::NotTaken(Status::Running)));
    run.signal("add", &3);
    run.skip(Duration::from_secs(5));
    assert_eq!(run.query::<u32>("sum", &()), 3);
    assert_eq!(run.update("set", &5), Ok(3));
    assert_eq!(run.update("fetch", &()), Ok(70));
    assert!(matches!(run.update::<u32>("set", &101), Err(UpdateError::Rejected(_))));
    run.raise_event("end", &());
    assert_eq!(run.result(), Ok(70));
}

#[test]
fn a_condition_with_a_limit_gives_up() {
    let host = TestHost::new(guests()).activity_returns("count", ());
    let mut run = host.start("waits_for_votes", &2);
    run.signal("vote", &json!(null));
    assert_eq!(run.result(), Ok((false, 1)));
    assert!(!run.calls("count")[0].input::<bool>());
}
