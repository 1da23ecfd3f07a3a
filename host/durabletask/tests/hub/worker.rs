//! A worker that does what a test says.

use everturn_durabletask::protocol::work_item::Request;
use everturn_durabletask::protocol::workflow_action::ActionType;
use everturn_durabletask::protocol::{
    ActivityRequest, ActivityResponse, ChildFields, CompleteWorkflowAction, CreateChildWorkflowAction,
    GetWorkItemsRequest, ScheduleTaskAction, WorkItem, WorkflowAction, WorkflowRequest, WorkflowResponse,
};
use everturn_history::history_event::EventType;
use everturn_history::{CreateTimerAction, HistoryEvent, OrchestrationStatus, TaskFailureDetails, Timestamp, text};
use tonic::{Status, Streaming};

use crate::house::{Client, House};

/// What Dapr's Python worker 1.19 says of itself: it takes pings and keeps histories.
pub(crate) fn dapr() -> GetWorkItemsRequest {
    GetWorkItemsRequest { dapr_capabilities: vec![3, 2], ..GetWorkItemsRequest::default() }
}

/// What older workers of both dialects say of themselves.
pub(crate) fn counting() -> GetWorkItemsRequest {
    GetWorkItemsRequest {
        max_concurrent_orchestration_work_items: Some(200),
        max_concurrent_activity_work_items: Some(200),
        ..GetWorkItemsRequest::default()
    }
}

pub(crate) struct Worker {
    pub(crate) client: Client,
    pub(crate) items: Streaming<WorkItem>,
}

/// A turn that a worker has.
pub(crate) struct Turn {
    pub(crate) request: WorkflowRequest,
    pub(crate) token: String,
}

/// An activity that a worker has.
pub(crate) struct Activity {
    pub(crate) request: ActivityRequest,
    pub(crate) token: String,
}

impl Worker {
    pub(crate) async fn connect(house: &House, request: GetWorkItemsRequest) -> Self {
        let mut client = house.client().await;
        let items = client.get_work_items(request).await.unwrap().into_inner();
        Self { client, items }
    }

    pub(crate) async fn next(&mut self) -> WorkItem {
        self.items.message().await.unwrap().unwrap()
    }

    pub(crate) async fn turn(&mut self) -> Turn {
        let item = self.next().await;
        match item.request {
            Some(Request::WorkflowRequest(request)) => Turn { request, token: item.completion_token },
            other => panic!("{other:?} is no turn"),
        }
    }

    /// The turn of this instance; activities that come before it are left lying.
    pub(crate) async fn turn_of(&mut self, id: &str) -> Turn {
        loop {
            let item = self.next().await;
            match item.request {
                Some(Request::WorkflowRequest(request)) if request.instance_id == id => {
                    return Turn { request, token: item.completion_token };
                }
                _ => {}
            }
        }
    }

    pub(crate) async fn activity(&mut self) -> Activity {
        let item = self.next().await;
        match item.request {
            Some(Request::ActivityRequest(request)) => Activity { request, token: item.completion_token },
            other => panic!("{other:?} is no activity"),
        }
    }

    /// Answers a turn.
    pub(crate) async fn answer(&mut self, turn: &Turn, actions: Vec<WorkflowAction>) -> Result<(), Status> {
        self.client.complete_orchestrator_task(response(turn, actions)).await.map(drop)
    }

    /// Answers an activity.
    pub(crate) async fn done(&mut self, activity: &Activity, result: &str) -> Result<(), Status> {
        self.client.complete_activity_task(result_of(activity, result)).await.map(drop)
    }

    /// Answers an activity with a failure.
    pub(crate) async fn fail(&mut self, activity: &Activity, message: &str) -> Result<(), Status> {
        let failure = TaskFailureDetails {
            error_type: "Broken".to_owned(),
            error_message: message.to_owned(),
            ..TaskFailureDetails::default()
        };
        let response = ActivityResponse { result: None, failure_details: Some(failure), ..result_of(activity, "") };
        self.client.complete_activity_task(response).await.map(drop)
    }

    /// Takes the next turn and ends its workflow with this result.
    pub(crate) async fn end(&mut self, result: &str) -> Turn {
        let turn = self.turn().await;
        self.answer(&turn, vec![completed(99, result)]).await.unwrap();
        turn
    }
}

pub(crate) fn response(turn: &Turn, actions: Vec<WorkflowAction>) -> WorkflowResponse {
    WorkflowResponse {
        instance_id: turn.request.instance_id.clone(),
        actions,
        completion_token: turn.token.clone(),
        ..WorkflowResponse::default()
    }
}

pub(crate) fn result_of(activity: &Activity, result: &str) -> ActivityResponse {
    ActivityResponse {
        instance_id: activity.request.workflow_instance.clone().unwrap().instance_id,
        task_id: activity.request.task_id,
        result: Some(text(result)),
        failure_details: None,
        completion_token: activity.token.clone(),
    }
}

fn action(id: i32, kind: ActionType) -> WorkflowAction {
    WorkflowAction { id, action_type: Some(kind), router_or_rewind: None }
}

/// Calls activity `a`.
pub(crate) fn call(id: i32, input: &str) -> WorkflowAction {
    let task = ScheduleTaskAction { name: "a".to_owned(), input: Some(text(input)), ..ScheduleTaskAction::default() };
    action(id, ActionType::ScheduleTask(task))
}

/// Calls a child under this id.
pub(crate) fn child(id: i32, instance_id: &str) -> WorkflowAction {
    let fields = ChildFields { instance_id: instance_id.to_owned(), name: "w".to_owned(), ..ChildFields::default() };
    action(id, ActionType::CreateChildWorkflow(CreateChildWorkflowAction { fields, ..Default::default() }))
}

/// Waits until 2096, which no test lives to see.
pub(crate) fn long_timer(id: i32) -> WorkflowAction {
    let fire_at = Some(Timestamp { seconds: 4_000_000_000, nanos: 0 });
    action(id, ActionType::CreateTimer(CreateTimerAction { fire_at, ..CreateTimerAction::default() }))
}

pub(crate) fn completed(id: i32, result: &str) -> WorkflowAction {
    ended(id, OrchestrationStatus::Completed, result)
}

pub(crate) fn failed(id: i32, message: &str) -> WorkflowAction {
    let failure = TaskFailureDetails {
        error_type: "Broken".to_owned(),
        error_message: message.to_owned(),
        ..TaskFailureDetails::default()
    };
    let end = CompleteWorkflowAction {
        workflow_status: OrchestrationStatus::Failed.into(),
        failure_details: Some(failure),
        ..CompleteWorkflowAction::default()
    };
    action(id, ActionType::CompleteWorkflow(end))
}

pub(crate) fn ended(id: i32, status: OrchestrationStatus, result: &str) -> WorkflowAction {
    let end = CompleteWorkflowAction {
        workflow_status: status.into(),
        result: Some(text(result)),
        ..CompleteWorkflowAction::default()
    };
    action(id, ActionType::CompleteWorkflow(end))
}

/// The kinds of events, by their numbers in the protocol.
pub(crate) fn kinds(events: &[HistoryEvent]) -> Vec<u32> {
    let kind = |event: &HistoryEvent| match event.event_type.as_ref().unwrap() {
        EventType::ExecutionStarted(_) => 3,
        EventType::ExecutionCompleted(_) => 4,
        EventType::TaskScheduled(_) => 6,
        EventType::TaskCompleted(_) => 7,
        EventType::TaskFailed(_) => 8,
        EventType::TimerCreated(_) => 12,
        EventType::WorkflowStarted(_) => 14,
        EventType::EventRaised(_) => 17,
        other => panic!("{other:?} was not expected"),
    };
    events.iter().map(kind).collect()
}
