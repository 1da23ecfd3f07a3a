//! What a history is without its last turns: what stays, what goes, and what has to come again.

use std::collections::HashSet;

use everturn_history::history_event::EventType;
use everturn_history::{HistoryEvent, SequenceId};

use super::{answered, by_turn, unanswered};

/// A history that is cut between two turns.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Cut {
    /// What stays.
    pub(super) kept: Vec<HistoryEvent>,
    /// How many events go.
    pub(super) taken_back: u64,
    /// What was asked for in the part that goes.
    pub(super) given_up: Vec<SequenceId>,
    /// What came from outside in that part and comes again, in its order: what others sent, and answers to what was asked for
    /// before, with what each answers.
    pub(super) again: Vec<(HistoryEvent, Option<SequenceId>)>,
    /// Updates that were accepted in that part: their ids and names.
    pub(super) updates: Vec<(String, String)>,
    /// The ids of children that were begun in that part.
    pub(super) children: Vec<String>,
}

impl Cut {
    /// Cuts before the turn that has the event of this number, counted from 1. None: there is no such event.
    pub(super) fn before(history: Vec<HistoryEvent>, event: u64) -> Option<Self> {
        let event = usize::try_from(event).ok()?;
        let mut cut = Self::default();
        let mut gone = Vec::new();
        for turn in by_turn(history) {
            if gone.is_empty() && cut.kept.len() + turn.len() < event {
                cut.kept.extend(turn);
            } else {
                gone.extend(turn);
            }
        }
        if event == 0 || gone.is_empty() {
            return None;
        }
        let open: HashSet<_> = unanswered(&cut.kept).into_iter().collect();
        cut.taken_back = gone.len() as u64;
        gone.into_iter().for_each(|event| cut.take_back(event, &open));
        Some(cut)
    }

    /// What asked for something is given up. What came from outside comes again, unless it answers what was given up.
    fn take_back(&mut self, event: HistoryEvent, open: &HashSet<SequenceId>) {
        let Some(kind) = &event.event_type else { return };
        if let Some(id) = answered(kind).map(SequenceId::new) {
            if open.contains(&id) {
                self.again.push((event, Some(id)));
            }
            return;
        }
        match kind {
            EventType::TaskScheduled(_)
            | EventType::TimerCreated(_)
            | EventType::EventSent(_)
            | EventType::DetachedWorkflowInstanceCreated(_) => self.given_up.push(SequenceId::new(event.event_id)),
            EventType::ChildWorkflowInstanceCreated(child) => {
                self.children.push(child.instance_id.clone());
                self.given_up.push(SequenceId::new(event.event_id));
            }
            EventType::UpdateAccepted(update) => self.updates.push((update.id.clone(), update.name.clone())),
            EventType::ExecutionStarted(_)
            | EventType::EventRaised(_)
            | EventType::ExecutionSuspended(_)
            | EventType::ExecutionResumed(_)
            | EventType::ExecutionTerminated(_) => self.again.push((event, None)),
            // What the host wrote by itself.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use everturn_history::{
        ChildWorkflowInstanceCreatedEvent, TaskScheduledEvent, TimerCreatedEvent, Timestamp, UpdateAcceptedEvent, event,
    };

    use super::*;

    const AT: Timestamp = Timestamp { seconds: 1, nanos: 0 };

    fn turn() -> HistoryEvent {
        event::turn_started(AT, Vec::new())
    }

    fn asked(id: i32, kind: EventType) -> HistoryEvent {
        event::recorded(SequenceId::new(id), AT, kind)
    }

    fn activity(id: i32) -> HistoryEvent {
        asked(id, EventType::TaskScheduled(Box::<TaskScheduledEvent>::default()))
    }

    fn done(id: i32) -> HistoryEvent {
        event::task_completed(AT, SequenceId::new(id), "null")
    }

    /// Three turns: with events 1 to 4, 5 to 8 and 9 to 17.
    fn history() -> Vec<HistoryEvent> {
        let update = UpdateAcceptedEvent { id: "u".to_owned(), name: "set".to_owned(), input: None };
        let child = ChildWorkflowInstanceCreatedEvent {
            instance_id: "c".to_owned(),
            ..ChildWorkflowInstanceCreatedEvent::default()
        };
        vec![
            turn(),
            event::execution_started(AT, &"i".into(), "w", "1"),
            activity(0),
            asked(1, EventType::TimerCreated(TimerCreatedEvent::default())),
            turn(),
            event::event_raised(AT, "first", "1"),
            done(0),
            activity(2),
            turn(),
            event::suspended(AT),
            event::event_raised(AT, "second", "2"),
            event::resumed(AT),
            done(2),
            event::timer_fired(AT, SequenceId::new(1)),
            event::event(AT, EventType::UpdateAccepted(update)),
            activity(3),
            asked(4, EventType::ChildWorkflowInstanceCreated(Box::new(child))),
        ]
    }

    #[test]
    fn a_history_is_cut_before_the_turn_that_has_the_event() {
        let kept = |event| Cut::before(history(), event).map(|cut| (cut.kept.len(), cut.taken_back));
        assert_eq!((kept(1), kept(4)), (Some((0, 17)), Some((0, 17))));
        assert_eq!((kept(5), kept(8)), (Some((4, 13)), Some((4, 13))));
        assert_eq!((kept(9), kept(17)), (Some((8, 9)), Some((8, 9))));
        assert_eq!((kept(0), kept(18), Cut::before(Vec::new(), 1)), (None, None, None));
    }

    #[test]
    fn what_others_sent_comes_again_and_so_do_answers_to_what_stays() {
        let cut = Cut::before(history(), 10).unwrap();
        let (history, id) = (history(), |id| Some(SequenceId::new(id)));
        let again: Vec<_> = [(9, None), (10, None), (11, None), (12, id(2)), (13, id(1))]
            .into_iter()
            .map(|(place, answers)| (history[place].clone(), answers))
            .collect();
        assert_eq!(cut.again, again);
        assert_eq!(cut.given_up, [SequenceId::new(3), SequenceId::new(4)]);
        assert_eq!((cut.updates, cut.children), (vec![("u".to_owned(), "set".to_owned())], vec!["c".to_owned()]));
    }

    #[test]
    fn answers_to_what_goes_do_not_come_again() {
        let cut = Cut::before(history(), 5).unwrap();
        let again: Vec<_> = cut.again.iter().map(|(_, answers)| answers.map(SequenceId::get)).collect();
        assert_eq!(again, [None, Some(0), None, None, None, Some(1)], "not that of the activity of the second turn");
        assert_eq!(cut.given_up.len(), 3);
    }

    #[test]
    fn from_its_start_it_begins_with_its_start() {
        let cut = Cut::before(history(), 2).unwrap();
        assert!(matches!(cut.again[0].0.event_type, Some(EventType::ExecutionStarted(_))), "{:?}", cut.again);
        assert_eq!(cut.again.len(), 5, "no answer: all that was asked for is given up");
    }
}
