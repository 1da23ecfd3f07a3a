//! Workflows that remote workers run, and short ways to be such a worker.

mod again;
mod calls;
mod corners;
mod ends;
mod turns;

use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CompleteWorkflowAction, HistoryEvent, OrchestrationStatus, ScheduleTaskAction, WorkflowAction, text,
};
use everturn_runtime::{
    Form, Orchestrator, OrchestratorOptions, Runtime, StartRequest, TurnAnswer, TurnTask, UnknownWorkflow,
};

use crate::room::within;

pub(super) fn orchestrator(runtime: &Runtime) -> Orchestrator {
    runtime.connect_orchestrator(OrchestratorOptions { workflows: None, capacity: 10, keeps_history: false })
}

pub(super) async fn begin(runtime: &Runtime, workflow: &str, name: &str) {
    let request = StartRequest {
        workflow: workflow.to_owned(),
        id: Some(name.into()),
        input: Some("no JSON".to_owned()),
        unknown: UnknownWorkflow::AwaitWorker,
        form: Form::Opaque,
        ..StartRequest::default()
    };
    runtime.start(request).await.unwrap();
}

pub(super) async fn turn(worker: &mut Orchestrator) -> TurnTask {
    within(worker.next()).await.unwrap()
}

pub(super) fn action(number: i32, action: ActionType) -> WorkflowAction {
    WorkflowAction { id: number, action_type: Some(action), router: None }
}

pub(super) fn call(number: i32, activity: &str) -> WorkflowAction {
    let task = ScheduleTaskAction { name: activity.to_owned(), input: Some(text("1")), ..Default::default() };
    action(number, ActionType::ScheduleTask(task))
}

pub(super) fn end(status: OrchestrationStatus, result: &str) -> WorkflowAction {
    let end = CompleteWorkflowAction {
        workflow_status: status.into(),
        result: Some(text(result)),
        ..CompleteWorkflowAction::default()
    };
    action(99, ActionType::CompleteWorkflow(end))
}

pub(super) fn done(result: &str) -> TurnAnswer {
    answer(vec![end(OrchestrationStatus::Completed, result)])
}

pub(super) fn answer(actions: Vec<WorkflowAction>) -> TurnAnswer {
    TurnAnswer { actions, ..TurnAnswer::default() }
}

pub(super) fn kinds(events: &[HistoryEvent]) -> Vec<String> {
    let name = |event: &HistoryEvent| match event.event_type.as_ref().unwrap() {
        EventType::WorkflowStarted(_) => "turn".to_owned(),
        EventType::ExecutionStarted(_) => "start".to_owned(),
        EventType::TaskScheduled(task) => format!("call {} {}", event.event_id, task.name),
        EventType::TaskCompleted(done) => format!("done {}", done.task_scheduled_id),
        EventType::TaskFailed(done) => format!("failed {}", done.task_scheduled_id),
        EventType::TimerCreated(_) => format!("timer {}", event.event_id),
        EventType::TimerFired(fired) => format!("fired {}", fired.timer_id),
        EventType::EventRaised(raised) => format!("event {}", raised.name),
        EventType::ExecutionSuspended(_) => "suspended".to_owned(),
        EventType::ExecutionResumed(_) => "resumed".to_owned(),
        EventType::ExecutionCompleted(_) => "end".to_owned(),
        EventType::ExecutionTerminated(_) => "terminated".to_owned(),
        EventType::ChildWorkflowInstanceCreated(child) => format!("child {} {}", event.event_id, child.instance_id),
        EventType::ChildWorkflowInstanceCompleted(done) => format!("child done {}", done.task_scheduled_id),
        EventType::ChildWorkflowInstanceFailed(done) => format!("child failed {}", done.task_scheduled_id),
        other => format!("{other:?}"),
    };
    events.iter().map(name).collect()
}
