//! History as workers read it. What one dialect cannot read is left out or emptied: a worker that meets it would fail
//! the instance, or lose its connection.

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;

use super::Dialect;

/// The events that a worker of this dialect can read.
///
/// Workers that keep histories count them. What is left out for those (the ends of turns, and stalls) is never written
/// to the history of a remote workflow, so the count is right.
pub(crate) fn readable(dialect: Dialect, events: Vec<HistoryEvent>) -> Vec<HistoryEvent> {
    events.into_iter().filter_map(|event| readable_event(dialect, event)).collect()
}

fn readable_event(dialect: Dialect, mut event: HistoryEvent) -> Option<HistoryEvent> {
    match event.event_type.as_mut()? {
        EventType::WorkflowCompleted(_) | EventType::ExecutionStalled(_) => return None,
        EventType::DetachedWorkflowInstanceCreated(_) if dialect != Dialect::Dapr => return None,
        // The item has it already, and it may be large.
        EventType::ExecutionStarted(start) => start.propagated_history = None,
        EventType::TaskScheduled(task) if dialect != Dialect::Dapr => task.task_execution_id.clear(),
        EventType::ChildWorkflowInstanceCreated(child) if dialect != Dialect::Dapr => {
            child.rerun_parent_instance_info = None;
        }
        _ => {}
    }
    if dialect != Dialect::Dapr {
        event.router = None;
    }
    Some(event)
}

#[cfg(test)]
mod tests {
    use everturn_history::{
        ChildWorkflowInstanceCreatedEvent, DetachedWorkflowInstanceCreatedEvent, ExecutionStalledEvent,
        ExecutionStartedEvent, PropagatedHistory, RerunParentInstanceInfo, TaskRouter, TaskScheduledEvent, Timestamp,
        WorkflowCompletedEvent, event,
    };

    use super::*;

    fn at(kind: EventType) -> HistoryEvent {
        event::event(Timestamp { seconds: 1, nanos: 0 }, kind)
    }

    fn history() -> Vec<HistoryEvent> {
        let router = TaskRouter { source_app_id: "a".to_owned(), ..TaskRouter::default() };
        vec![
            at(EventType::ExecutionStarted(Box::new(ExecutionStartedEvent {
                propagated_history: Some(PropagatedHistory::default()),
                ..ExecutionStartedEvent::default()
            }))),
            HistoryEvent {
                router: Some(Box::new(router)),
                ..at(EventType::TaskScheduled(Box::new(TaskScheduledEvent {
                    task_execution_id: "0b9d8f3e".to_owned(),
                    ..TaskScheduledEvent::default()
                })))
            },
            at(EventType::ChildWorkflowInstanceCreated(Box::new(ChildWorkflowInstanceCreatedEvent {
                rerun_parent_instance_info: Some(RerunParentInstanceInfo::default()),
                ..ChildWorkflowInstanceCreatedEvent::default()
            }))),
            at(EventType::DetachedWorkflowInstanceCreated(DetachedWorkflowInstanceCreatedEvent::default())),
            at(EventType::WorkflowCompleted(WorkflowCompletedEvent {})),
            at(EventType::ExecutionStalled(ExecutionStalledEvent::default())),
        ]
    }

    #[test]
    fn dapr_gets_all_but_what_fails_its_workers() {
        let events = readable(Dialect::Dapr, history());
        assert_eq!(events.len(), 4);
        let Some(EventType::ExecutionStarted(start)) = &events[0].event_type else { panic!("no start") };
        assert_eq!(start.propagated_history, None);
        assert_eq!(events[1..], history()[1..4]);
    }

    #[test]
    fn others_get_nothing_that_means_something_else_to_them() {
        for dialect in [Dialect::Neutral, Dialect::Microsoft] {
            let events = readable(dialect, history());
            assert_eq!(events.len(), 3, "{dialect:?}");
            assert!(events.iter().all(|event| event.router.is_none()), "{dialect:?}");
            let Some(EventType::TaskScheduled(task)) = &events[1].event_type else { panic!("no task") };
            assert_eq!(task.task_execution_id, "", "{dialect:?}");
            let Some(EventType::ChildWorkflowInstanceCreated(child)) = &events[2].event_type else {
                panic!("no child")
            };
            assert_eq!(child.rerun_parent_instance_info, None, "{dialect:?}");
        }
    }
}
