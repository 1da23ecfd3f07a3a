//! An instance whose turns are played one after the other, and short ways to read what they ask for.

use everturn_guest::{LiveGuest, QueryError, RunError};
use everturn_history::history_event::EventType;
use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CreateChildWorkflowAction, HistoryEvent, ScheduleTaskAction, TaskFailureDetails, UpdateAcceptedEvent,
    WorkflowAction, event, text,
};
use everturn_replay::{Source, Turn, UpdateVerdict, recorded_events};
use everturn_test_world::Player;
use everturn_test_world::histories::{at, only_completion, only_result};
use everturn_tests::player::{Compiled, test_component};
use serde_json::Value;

/// A live guest with its history. Every turn is played a second time by a guest that is rebuilt from that history, and
/// must ask for the same.
pub(super) struct Instance {
    guest: Compiled,
    pub(super) history: Vec<HistoryEvent>,
    /// What the last turn asked for, as the events that the live guest has not heard of yet.
    recorded: Vec<HistoryEvent>,
    /// How many updates there were, for their ids: one id is done once.
    updates: usize,
}

impl Instance {
    /// Starts a workflow; with its first turn.
    pub(super) fn start(workflow: &str, input: &Value) -> (Self, Turn) {
        Self::begin(vec![event::execution_started(at(0), &"instance".into(), workflow, &input.to_string())])
    }

    /// An instance whose first turn is this; with that turn.
    pub(super) fn begin(messages: Vec<HistoryEvent>) -> (Self, Turn) {
        let mut instance = Self { guest: Compiled::new(), history: vec![], recorded: vec![], updates: 0 };
        let turn = instance.turn(0, messages);
        (instance, turn)
    }

    /// Plays a turn with these messages, so many seconds after the start.
    pub(super) fn turn(&mut self, seconds: i64, messages: impl IntoIterator<Item = HistoryEvent>) -> Turn {
        let mut new = vec![event::turn_started(at(seconds), vec![])];
        new.extend(messages);
        let turn = self.guest.play(std::mem::take(&mut self.recorded), new.clone()).unwrap();
        let rebuilt = Compiled::new().play(self.history.clone(), new.clone()).unwrap();
        assert_eq!(rebuilt, turn, "rebuilt (left) from {:#?}", self.history);

        if !matches!(turn.update, None | Some(UpdateVerdict::Accepted)) {
            // As the host does: nothing of it is kept, the guest least of all.
            self.guest = Compiled::new();
            self.recorded = self.history.clone();
            return turn;
        }
        new[0] = event::turn_started(at(seconds), turn.patches.clone());
        self.recorded = recorded_events(&turn, at(seconds));
        self.history.extend(new);
        self.history.extend(self.recorded.clone());
        turn
    }

    /// Plays a turn with an update.
    pub(super) fn update(&mut self, seconds: i64, name: &str, input: &Value) -> Turn {
        self.updates += 1;
        self.turn(seconds, [updated(seconds, name, self.updates, input)])
    }

    /// Asks a guest that is rebuilt from history.
    pub(super) fn query(&self, name: &str, input: &Value) -> Result<Result<Value, QueryError>, RunError> {
        let mut guest = LiveGuest::to_be_asked(test_component());
        self.history.iter().for_each(|event| guest.push(event.clone(), Source::History));
        guest.run()?;
        let answer = guest.query(name.to_owned(), input.to_string())?;
        Ok(answer.map(|answer| serde_json::from_str(&answer).unwrap()))
    }

    /// The answer of a query that needs no input.
    pub(super) fn ask(&self, name: &str) -> Value {
        self.query(name, &Value::Null).unwrap().unwrap()
    }
}

/// An update, whose id is its name and a number.
pub(super) fn updated(seconds: i64, name: &str, number: usize, input: &Value) -> HistoryEvent {
    let id = format!("{name} {number}");
    let update = UpdateAcceptedEvent { id, name: name.into(), input: Some(text(input.to_string())) };
    event::event(at(seconds), EventType::UpdateAccepted(update))
}

/// What a turn answers to an update of this name: its answer, or the type of its failure. None: nothing yet.
pub(super) fn answered(turn: &Turn, name: &str) -> Option<Result<Value, String>> {
    let is_of = |id: &str| id.split(' ').next() == Some(name);
    let completed = turn.completed_updates.iter().find(|completed| is_of(&completed.id))?;
    Some(match &completed.outcome {
        Ok(answer) => Ok(serde_json::from_str(answer).unwrap()),
        Err(failure) => Err(failure.error_type.clone()),
    })
}

/// The type of the failure that a turn rejected its update with.
pub(super) fn rejected(turn: &Turn) -> &str {
    match &turn.update {
        Some(UpdateVerdict::Rejected(failure)) => &failure.error_type,
        other => panic!("not rejected: {other:?}"),
    }
}

/// The only turn of a workflow that ends at once.
pub(super) fn only_turn(workflow: &str, input: &Value) -> Turn {
    Instance::start(workflow, input).1
}

/// What a turn asks for, in the order of sequence ids: kind and name of each.
pub(super) fn asked(turn: &Turn) -> Vec<String> {
    turn.actions.iter().map(described).collect()
}

fn described(action: &WorkflowAction) -> String {
    match action.action_type.as_ref().unwrap() {
        ActionType::ScheduleTask(task) => format!("activity {}", task.name),
        ActionType::CreateChildWorkflow(child) => format!("child {}", child.name),
        ActionType::CreateDetachedWorkflow(start) => format!("detached {}", start.name),
        ActionType::CreateTimer(timer) => match timer.timer_origin() {
            Some(everturn_history::TimerOrigin::ExternalEvent { name }) => format!("wait {name}"),
            _ => "timer".to_owned(),
        },
        ActionType::SendEvent(sent) => format!("event {}", sent.name),
        ActionType::CompleteWorkflow(_) => "end".to_owned(),
        other => panic!("unexpected action: {other:?}"),
    }
}

/// The sequence ids that a turn cancels.
pub(super) fn cancelled(turn: &Turn) -> Vec<i32> {
    turn.cancelled.iter().map(|id| id.get()).collect()
}

/// The activity that a turn schedules at this place.
pub(super) fn activity(turn: &Turn, place: usize) -> &ScheduleTaskAction {
    match turn.actions[place].action_type.as_ref() {
        Some(ActionType::ScheduleTask(task)) => task,
        other => panic!("not an activity: {other:?}"),
    }
}

/// The child that a turn creates at this place.
pub(super) fn child(turn: &Turn, place: usize) -> &CreateChildWorkflowAction {
    match turn.actions[place].action_type.as_ref() {
        Some(ActionType::CreateChildWorkflow(child)) => child,
        other => panic!("not a child: {other:?}"),
    }
}

/// The result of a turn that completed the workflow and did nothing else.
pub(super) fn answer(turn: &Turn) -> Value {
    serde_json::from_str(&only_result(turn)).unwrap_or_else(|error| panic!("{error}: {turn:#?}"))
}

/// The failure of a turn that failed the workflow and did nothing else.
pub(super) fn failure(turn: &Turn) -> TaskFailureDetails {
    only_completion(turn).failure_details.unwrap_or_else(|| panic!("no failure: {turn:#?}"))
}
