//! Shows histories while they grow: that of an instance, and those of its children. A host that is down is waited for.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, TimerOrigin, json};

use super::LOOK;
use crate::client::{Client, Path};
use crate::commands::workflow;
use crate::style::LABEL;

/// Somebody who looks on, until told to stop.
pub(super) struct Watch {
    seen: Arc<Seen>,
    thread: JoinHandle<()>,
}

#[derive(Default)]
struct Seen {
    timer: AtomicBool,
    over: AtomicBool,
}

impl Watch {
    pub(super) fn begin(url: String, id: &'static str) -> Self {
        let seen = Arc::new(Seen::default());
        let noting = Arc::clone(&seen);
        let thread = thread::spawn(move || look_on(&Client::of(url), id, &noting));
        Self { seen, thread }
    }

    /// Whether a timer of a child is on disk.
    pub(super) fn sees_a_timer(&self) -> bool {
        self.seen.timer.load(SeqCst)
    }

    /// Shows what is left, and stops.
    pub(super) fn end(self) {
        self.seen.over.store(true, SeqCst);
        let _ = self.thread.join();
    }
}

fn look_on(client: &Client, id: &str, seen: &Seen) {
    let began = Instant::now();
    let mut shown: BTreeMap<String, usize> = BTreeMap::from([(id.to_owned(), 0)]);
    loop {
        let over = seen.over.load(SeqCst);
        for id in shown.keys().cloned().collect::<Vec<_>>() {
            let Some(events) = history(client, &id) else { continue };
            let from = shown.insert(id.clone(), events.len()).unwrap_or(0);
            for (event, words) in events.iter().zip(workflow::described(&events)).skip(from) {
                note(event, &mut shown, seen);
                if !matches!(event.event_type, Some(EventType::WorkflowStarted(_))) {
                    let seconds = began.elapsed().as_secs_f64();
                    let name = if id.contains(':') { "parcel" } else { "order" };
                    let _ = writeln!(anstream::stdout(), "    {LABEL}{seconds:5.1} s  {name:<7}{LABEL:#} {words}");
                }
            }
        }
        if over {
            return;
        }
        thread::sleep(LOOK);
    }
}

/// None: the host is down.
fn history(client: &Client, id: &str) -> Option<Vec<HistoryEvent>> {
    let text = client.get_text(&Path::of_instance(id, &["history"])).ok()?;
    json::from_str(&text).ok()
}

fn note(event: &HistoryEvent, shown: &mut BTreeMap<String, usize>, seen: &Seen) {
    match &event.event_type {
        Some(EventType::ChildWorkflowInstanceCreated(child)) => {
            shown.entry(child.instance_id.clone()).or_insert(0);
        }
        Some(EventType::TimerCreated(timer)) => {
            seen.timer.fetch_or(timer.timer_origin() == Some(TimerOrigin::CreateTimer), SeqCst);
        }
        _ => {}
    }
}
