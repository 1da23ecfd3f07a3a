//! Log lines and prints: what they say, and that they are silent while replaying.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use everturn_guest::LOG_TARGET;
use everturn_history::HistoryEvent;
use everturn_replay::recorded_events;
use everturn_test_world::Player;
use everturn_test_world::histories::*;
use everturn_tests::player::Compiled;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// A line as an operator sees it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Line {
    level: String,
    message: String,
    fields: String,
    instance: String,
    workflow: String,
}

thread_local! {
    /// What guests have said on this thread. None: nobody listens.
    static HEARD: RefCell<Option<Vec<Line>>> = const { RefCell::new(None) };
}

/// Hears all threads, each for itself: a guest runs on the thread of its test.
struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == LOG_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        HEARD.with_borrow_mut(|heard| {
            // Tests on other threads say other things, which are not for this one to judge.
            let Some(lines) = heard else { return };
            let mut line = Line { level: event.metadata().level().to_string(), ..Line::default() };
            event.record(&mut line);
            lines.push(line);
        });
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "fields" => self.fields = value.to_owned(),
            "instance" => self.instance = value.to_owned(),
            "workflow" => self.workflow = value.to_owned(),
            other => panic!("a field that nobody expects: {other}"),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        assert_eq!(field.name(), "message");
        self.message = format!("{value:?}");
    }
}

/// What guests say while this runs.
fn heard(run: impl FnOnce()) -> Vec<Line> {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| tracing::subscriber::set_global_default(Listener).unwrap());
    // Other tests may have come by a place that logs before there was a listener.
    tracing::callsite::rebuild_interest_cache();
    HEARD.set(Some(vec![]));
    run();
    HEARD.take().unwrap()
}

fn line(level: Level, message: &str, fields: &str) -> Line {
    Line {
        level: level.to_string(),
        message: message.into(),
        fields: fields.into(),
        instance: "instance".into(),
        workflow: "logs".into(),
    }
}

/// What guests warn of while this runs.
fn warnings(run: impl FnOnce()) -> Vec<(String, String)> {
    let warnings = heard(run).into_iter().filter(|line| line.level == Level::WARN.as_str());
    warnings.map(|line| (line.message, line.fields)).collect()
}

fn lines_of_the_first_turn() -> Vec<Line> {
    vec![
        line(Level::TRACE, "trace", ""),
        line(Level::DEBUG, "debug", r#"order="7""#),
        line(Level::INFO, "info after 2 attempts", r#"order="7" customer="Some(\"Ada\")" order="7""#),
        line(Level::WARN, "warn about 7", r#"order="8" customer="Some(\"Ada\")" shown="as it is""#),
        line(Level::ERROR, r#"a "quoted" error"#, r#"type="express""#),
        line(Level::INFO, "to stdout", ""),
        line(Level::WARN, "to stderr", ""),
    ]
}

fn lines_of_the_second_turn() -> Vec<Line> {
    vec![line(Level::INFO, "went on", ""), line(Level::INFO, "without an end", "")]
}

#[test]
fn lines_say_level_message_fields_and_whose_they_are() {
    let mut guest = Compiled::new();
    let mut recorded = vec![];
    let first = heard(|| {
        let turn = guest.play(vec![], started_as("logs", "null")).unwrap();
        recorded = recorded_events(&turn, at(0));
    });
    assert_eq!(first, lines_of_the_first_turn());

    let second = heard(|| {
        let end = guest.play(recorded, vec![turn(1), raised("go", "1")]).unwrap();
        assert_eq!(only_result(&end), "null");
    });
    assert_eq!(second, lines_of_the_second_turn());
}

#[test]
fn lines_are_silent_while_replaying() {
    let mut history = started_as("logs", "null");
    let first = Compiled::new().play(vec![], history.clone()).unwrap();
    history.extend(recorded_events(&first, at(0)));
    let end = vec![turn(1), raised("go", "1")];

    let rebuilt = heard(|| drop(Compiled::new().play(history.clone(), end.clone()).unwrap()));
    assert_eq!(rebuilt, lines_of_the_second_turn());

    history.extend(end);
    let replayed = heard(|| assert_eq!(only_result(&Compiled::new().play(history, vec![]).unwrap()), "null"));
    assert_eq!(replayed, []);
}

/// The history of `limits_a_saga` after its first step, with a limit on the whole of it.
fn half_a_saga() -> Vec<HistoryEvent> {
    let mut history = vec![];
    for new in [started_as("limits_a_saga", "true"), vec![turn(1), task_completed(0, "null")]] {
        let played = Compiled::new().play(history.clone(), new.clone()).unwrap();
        history.extend(new);
        history.extend(recorded_events(&played, at(1)));
    }
    history
}

#[test]
fn a_saga_that_is_dropped_warns_of_the_steps_that_stay_done() {
    let (mut history, late) = (half_a_saga(), vec![turn(60), timer_fired(1)]);
    let warned = warnings(|| {
        let end = Compiled::new().play(history.clone(), late.clone()).unwrap();
        assert_eq!(only_completion(&end).failure_details.unwrap().error_type, "TimedOut");
    });
    let message = "a saga was dropped before it ended, and its compensations with it: its steps stay done";
    assert_eq!(warned, [(message.to_owned(), "left=\"1\"".to_owned())]);

    history.extend(late);
    assert_eq!(warnings(|| drop(Compiled::new().play(history, vec![]).unwrap())), []);
}

#[test]
fn a_saga_that_ends_warns_of_nothing() {
    let end = vec![turn(2), task_completed(2, "null")];
    let warned = warnings(|| assert_eq!(only_result(&Compiled::new().play(half_a_saga(), end).unwrap()), "null"));
    assert_eq!(warned, []);
}
