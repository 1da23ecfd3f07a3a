//! Who may answer what.

use super::*;
use crate::wire::Dialect;

const HERE: ([u8; 4], u16) = ([127, 0, 0, 1], 1);
const THERE: ([u8; 4], u16) = ([127, 0, 0, 1], 2);

fn subject(instance: &str, task: Option<i32>) -> Subject {
    Subject { instance: instance.into(), task: task.map(SequenceId::new) }
}

fn connect(registry: &Arc<Registry>, peer: ([u8; 4], u16), capacity: usize) -> Stream {
    registry.connect(peer.into(), Arc::new(StreamDialect::new(Dialect::Dapr)), capacity)
}

fn token(number: u8) -> Token {
    Token([number; 16])
}

#[test]
fn a_token_is_for_one_thing() {
    let registry = Arc::new(Registry::default());
    let mut stream = connect(&registry, HERE, 10);
    stream.send(token(1), subject("a", None));
    stream.send(token(2), subject("a", Some(7)));

    let find = |token, about: &Subject| registry.find(Some(token), THERE.into(), about).map(|sent| sent.token);
    assert_eq!(find(token(1), &subject("a", None)), Ok(token(1)), "a token is good from wherever it is shown");
    assert_eq!(find(token(1), &subject("b", None)), Err(Stranger::Foreign));
    assert_eq!(find(token(2), &subject("a", Some(8))), Err(Stranger::Foreign));
    assert_eq!(find(token(2), &subject("a", None)), Err(Stranger::Foreign));
    assert_eq!(find(token(3), &subject("a", None)), Err(Stranger::Late));
    registry.remove(token(1));
    assert_eq!(find(token(1), &subject("a", None)), Err(Stranger::Late));
}

#[test]
fn without_a_token_the_connection_counts() {
    let registry = Arc::new(Registry::default());
    let mut stream = connect(&registry, HERE, 10);
    stream.send(token(1), subject("a", None));

    let find = |peer: ([u8; 4], u16), about: &Subject| registry.find(None, peer.into(), about).map(|sent| sent.token);
    assert_eq!(find(HERE, &subject("a", None)), Ok(token(1)));
    assert_eq!(find(THERE, &subject("a", None)), Err(Stranger::NotThere));
    assert_eq!(find(HERE, &subject("a", Some(0))), Err(Stranger::NotThere));
}

#[test]
fn what_is_sent_again_takes_the_place_of_what_was_sent_before() {
    let registry = Arc::new(Registry::default());
    let (mut first, mut second) = (connect(&registry, HERE, 10), connect(&registry, THERE, 10));
    first.send(token(1), subject("a", None));
    second.send(token(2), subject("a", None));

    assert_eq!(registry.len(), 1);
    drop(first);
    assert!(registry.find(None, THERE.into(), &subject("a", None)).is_ok(), "the second has it still");
    drop(second);
    assert_eq!(registry.len(), 0);
}

#[test]
fn a_worker_that_never_answers_does_not_fill_the_registry() {
    let registry = Arc::new(Registry::default());
    let mut stream = connect(&registry, HERE, 3);
    for number in 0..100 {
        stream.send(token(number), subject(&format!("{number}"), None));
    }
    assert!(registry.len() <= 6, "{}", registry.len());
    assert!(registry.has(token(99), true) && !registry.has(token(99), false) && !registry.has(token(0), true));
    drop(stream);
    assert_eq!(registry.len(), 0);
}

#[test]
fn unfinished_answers_share_one_limit() {
    let registry = Arc::new(Registry::default());
    let mut stream = connect(&registry, HERE, 10);
    stream.send(token(1), subject("a", None));
    stream.send(token(2), subject("b", None));
    let limits = Limits { unfinished_answers: 30, ..Limits::default() };
    let piece = || WorkflowResponse { instance_id: "x".repeat(15), is_partial: true, ..WorkflowResponse::default() };

    assert!(matches!(registry.collect(token(1), piece(), &limits), Ok(Progress::More)));
    let refused = registry.collect(token(2), piece(), &limits).unwrap_err();
    assert!(matches!(refused, RefusedAnswer::TooManyBytes { .. }), "{refused}");
    registry.remove(token(1));
    assert!(matches!(registry.collect(token(2), piece(), &limits), Ok(Progress::More)));
    drop(stream);
    assert_eq!(registry.lock().unfinished, 0);
}
