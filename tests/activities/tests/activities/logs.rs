//! Hears what activities say.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use everturn_activity::LOG_TARGET;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// A line as an operator sees it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) level: String,
    pub(crate) message: String,
    pub(crate) fields: String,
    instance: String,
    activity: String,
    attempt: u64,
}

thread_local! {
    /// What activities have said on this thread. None: nobody listens.
    static HEARD: RefCell<Option<Vec<Line>>> = const { RefCell::new(None) };
}

/// Hears all threads, each for itself: an activity runs on the thread of its test.
struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == LOG_TARGET
    }

    fn event(&self, event: &Event<'_>) {
        HEARD.with_borrow_mut(|heard| {
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
            "activity" => self.activity = value.to_owned(),
            other => panic!("a field that nobody expects: {other}"),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        assert_eq!(field.name(), "attempt");
        self.attempt = value;
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        assert_eq!(field.name(), "message");
        self.message = format!("{value:?}");
    }
}

/// What activities say while this runs.
pub(crate) fn heard(run: impl FnOnce()) -> Vec<Line> {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| tracing::subscriber::set_global_default(Listener).unwrap());
    // Other tests may have come by a place that logs before there was a listener.
    tracing::callsite::rebuild_interest_cache();
    HEARD.set(Some(vec![]));
    run();
    HEARD.take().unwrap()
}

/// A line of the activity `logs`, as the fixture calls it.
pub(crate) fn line(level: &str, message: &str, fields: &str) -> Line {
    Line {
        level: level.to_owned(),
        message: message.to_owned(),
        fields: fields.to_owned(),
        instance: "order-7".to_owned(),
        activity: "logs".to_owned(),
        attempt: 4,
    }
}
