//! What comes of the end of an instance: its parent hears of it, its children are closed, or it begins anew.

use everturn_history::history_event::EventType;
use everturn_history::{
    ChildWorkflowInstanceCompletedEvent, CompleteWorkflowAction, ExecutionTerminatedEvent, HistoryEvent, InstanceId,
    OrchestrationStatus, ParentClosePolicy, event,
};
use everturn_replay::{Failure as ReplayFailure, next_generation};

use super::{Delivery, World};
use crate::Failure;

impl World {
    /// Looks whether the last turn of an instance ended it.
    pub(super) fn end(&mut self, id: &InstanceId, ends_all_children: bool) {
        let Some(completion) = self.instances.get(id).and_then(|instance| instance.completion.clone()) else { return };
        if completion.workflow_status() == OrchestrationStatus::ContinuedAsNew {
            return self.restart(id, completion);
        }
        self.answer_parent(id, &completion);
        self.close_children(id, ends_all_children);
    }

    fn restart(&mut self, id: &InstanceId, completion: CompleteWorkflowAction) {
        let execution_id = self.next_execution_id();
        let Some(instance) = self.instances.get_mut(id) else { return };
        let Some(start) = instance.start() else { return };
        let opening = next_generation(start, completion, Some(execution_id.clone()), self.now.timestamp());
        // The turn that begins it is the next one: it has its own beginning.
        let is_message = |event: &HistoryEvent| !matches!(event.event_type, Some(EventType::WorkflowStarted(_)));
        let events = opening.into_iter().filter(is_message).collect();
        instance.restart(execution_id.clone());
        let delivery = Delivery { to: id.clone(), execution_id: Some(execution_id), task: None, events };
        // Before what was sent to it meanwhile.
        self.queue.push_front(delivery);
    }

    fn answer_parent(&mut self, id: &InstanceId, completion: &CompleteWorkflowAction) {
        let Some(parent) = self.instances.get(id).and_then(|instance| instance.parent.clone()) else { return };
        let at = self.now.timestamp();
        let answer = match (completion.workflow_status(), &completion.failure_details) {
            (OrchestrationStatus::Completed, _) => {
                self.event(EventType::ChildWorkflowInstanceCompleted(ChildWorkflowInstanceCompletedEvent {
                    task_scheduled_id: parent.task.get(),
                    result: completion.result.clone(),
                    ..ChildWorkflowInstanceCompletedEvent::default()
                }))
            }
            (OrchestrationStatus::Failed, Some(failure)) => event::child_failed(at, parent.task, failure.clone()),
            _ => {
                let failure = Failure::new("ChildTerminated", format!("child `{id}` was terminated")).not_retriable();
                event::child_failed(at, parent.task, ReplayFailure::from(failure).into())
            }
        };
        self.send(Delivery {
            to: parent.id,
            execution_id: Some(parent.execution_id),
            task: Some(parent.task),
            events: vec![answer],
        });
    }

    fn close_children(&mut self, id: &InstanceId, all: bool) {
        let is_closed = |child: &&super::Instance| {
            let parent = child.parent.as_ref().filter(|parent| parent.id == *id);
            !child.status.is_ended() && parent.is_some_and(|parent| all || parent.close == ParentClosePolicy::Terminate)
        };
        let closed: Vec<_> = self.instances.values().filter(is_closed).map(|child| child.id.clone()).collect();
        for child in closed {
            let terminated = ExecutionTerminatedEvent { input: None, recurse: all };
            self.tell(&child, EventType::ExecutionTerminated(terminated));
        }
    }
}
