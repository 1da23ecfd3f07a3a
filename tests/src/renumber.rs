//! Histories as other versions of the same code would have made them: without optional timers, or with some that the
//! code no longer creates. Sequence ids follow.

use std::collections::BTreeMap;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, NEVER, SequenceId, TimerCreatedEvent, TimerOrigin, event};
use everturn_test_world::world::Choices;

/// The history that code without optional timers would have made.
pub fn without_optional_timers(history: &[HistoryEvent]) -> Vec<HistoryEvent> {
    renumbered(history.iter().filter(|event| !is_optional_timer(event)).cloned().map(Entry::Old))
}

/// The history that code with further waits without limit would have made.
pub fn with_ghost_timers(history: &[HistoryEvent], choices: &mut Choices) -> Vec<HistoryEvent> {
    let mut entries = Vec::new();
    for event in history {
        if is_record(event) && choices.below(3) == 0 {
            entries.push(Entry::Ghost);
        }
        entries.push(Entry::Old(event.clone()));
    }
    renumbered(entries)
}

enum Entry {
    Old(HistoryEvent),
    Ghost,
}

fn is_record(event: &HistoryEvent) -> bool {
    event.event_id >= 0
}

fn is_optional_timer(event: &HistoryEvent) -> bool {
    matches!(&event.event_type, Some(EventType::TimerCreated(timer)) if timer.is_optional())
}

fn renumbered(entries: impl IntoIterator<Item = Entry>) -> Vec<HistoryEvent> {
    let mut ids = (0..).map(SequenceId::new);
    let mut new_ids = BTreeMap::new();
    let mut take = || ids.next().unwrap_or_default();
    let renumber = |entry| match entry {
        Entry::Ghost => ghost(take()),
        Entry::Old(mut event) => {
            if is_record(&event) {
                let id = take();
                new_ids.insert(event.event_id, id.get());
                event.event_id = id.get();
            } else if let Some(answered) = answered_id(&mut event) {
                *answered = new_ids.get(answered).copied().unwrap_or(*answered);
            }
            event
        }
    };
    entries.into_iter().map(renumber).collect()
}

fn answered_id(event: &mut HistoryEvent) -> Option<&mut i32> {
    Some(match event.event_type.as_mut()? {
        EventType::TimerFired(fired) => &mut fired.timer_id,
        EventType::TaskCompleted(done) => &mut done.task_scheduled_id,
        EventType::TaskFailed(done) => &mut done.task_scheduled_id,
        EventType::ChildWorkflowInstanceCompleted(done) => &mut done.task_scheduled_id,
        EventType::ChildWorkflowInstanceFailed(done) => &mut done.task_scheduled_id,
        _ => return None,
    })
}

fn ghost(id: SequenceId) -> HistoryEvent {
    let timer = TimerCreatedEvent {
        fire_at: Some(NEVER),
        origin: Some(TimerOrigin::ExternalEvent { name: "nobody waits for this any more".to_owned() }.into()),
        ..TimerCreatedEvent::default()
    };
    event::recorded(id, NEVER, EventType::TimerCreated(timer))
}
