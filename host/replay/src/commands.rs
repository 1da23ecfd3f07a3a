//! What a guest can ask for. Commands are infallible: what is wrong with one shows in its answer.

use std::time::Duration;

use everturn_history::workflow_action::ActionType;
use everturn_history::{
    CreateDetachedWorkflowAction, CreateTimerAction, InstanceId, NEVER, OrchestrationStatus, SendEventAction,
    TimerOrigin, Timestamp, WorkflowInstance, text,
};

use crate::call::{Call, router};
use crate::execution::{Continuation, Ending};
use crate::task::OpenTask;
use crate::time::{after, normalised};
use crate::{
    ActivityOptions, ChildOptions, ContinueOptions, DetachedOptions, Execution, Failure, Moment, Resolution, Source,
    Task, mailbox,
};

impl Execution {
    /// Waits until a moment.
    pub fn create_timer(&mut self, when: Moment, name: Option<String>) -> Task {
        let fire_at = match when {
            Moment::After(delay) => after(self.now, delay),
            Moment::At(moment) => normalised(moment),
        };
        let task = self.new_task();
        self.open.insert(task, OpenTask::Timer);
        self.ask_timer(task, fire_at, name, TimerOrigin::CreateTimer);
        task
    }

    /// Waits for an event: without limit, not at all (zero), or for so long.
    pub fn wait_for_event(&mut self, name: &str, timeout: Option<Duration>) -> Task {
        let task = self.new_task();
        let key = mailbox::key(name);
        if let Some(payload) = self.mailbox.take(&key) {
            self.resolved.insert(task, Resolution::Event(Some(payload)));
            return task;
        }
        let fire_at = match timeout {
            Some(Duration::ZERO) => {
                self.resolved.insert(task, Resolution::Event(None));
                return task;
            }
            Some(timeout) => after(self.now, timeout),
            None => NEVER,
        };
        self.mailbox.wait(key.clone(), task);
        self.open.insert(task, OpenTask::EventWait { key });
        self.ask_timer(task, fire_at, None, TimerOrigin::ExternalEvent { name: name.to_owned() });
        task
    }

    /// Waits for the next event of any of these names, in the order of their arrival. Takes no sequence id.
    pub fn next_signal(&mut self, names: &[String]) -> Task {
        let task = self.new_task();
        let keys: Vec<_> = names.iter().map(|name| mailbox::key(name)).collect();
        if let Some((name, input)) = self.mailbox.take_first(&keys) {
            self.resolved.insert(task, Resolution::Signal { name, input });
            return task;
        }
        for key in &keys {
            self.mailbox.wait(key.clone(), task);
        }
        self.open.insert(task, OpenTask::SignalWait { keys });
        task
    }

    /// Waits for the next update of any of these names. Takes no sequence id.
    pub fn next_update(&mut self, names: &[String]) -> Task {
        let task = self.new_task();
        self.updates.wait(names.iter().map(|name| mailbox::key(name)).collect(), task);
        self.open.insert(task, OpenTask::UpdateWait);
        task
    }

    /// Accepts the update that came last: it is in history from now on.
    pub fn accept_update(&mut self, id: &str) {
        self.updates.accept(id);
    }

    /// Rejects the update that came last: history does not hear of it.
    pub fn reject_update(&mut self, id: &str, reason: Failure) {
        self.updates.reject(id, reason);
    }

    /// Answers an update that was accepted.
    pub fn complete_update(&mut self, id: &str, outcome: Result<String, Failure>) {
        self.updates.complete(id, outcome);
    }

    /// Runs an activity.
    pub fn call_activity(&mut self, name: String, input: String, options: ActivityOptions) -> Task {
        let id = self.task_execution_ids.next();
        self.begin_call(Call::activity(name, input, options, id, self.now))
    }

    /// Runs another workflow as a child.
    pub fn call_child(&mut self, workflow: String, input: String, mut options: ChildOptions) -> Task {
        let id = options.instance_id.take().unwrap_or_else(|| self.derive_instance_id());
        self.begin_call(Call::child(workflow, input, options, id, self.now))
    }

    fn begin_call(&mut self, call: Call) -> Task {
        let task = self.new_task();
        self.attempt(task, Box::new(call));
        task
    }

    /// Schedules the next attempt of a call.
    pub(crate) fn attempt(&mut self, task: Task, mut call: Box<Call>) {
        self.ledger.ask(call.next_attempt(&self.reset_mark()), call.router(), Some(task));
        self.open.insert(task, OpenTask::Call(call));
    }

    pub(crate) fn ask_timer(&mut self, task: Task, fire_at: Timestamp, name: Option<String>, origin: TimerOrigin) {
        let timer = CreateTimerAction { fire_at: Some(fire_at), name, origin: Some(origin.into()) };
        self.ledger.ask(ActionType::CreateTimer(timer), None, Some(task));
    }

    /// The answer, once. None while there is none.
    pub fn take(&mut self, task: Task) -> Option<Resolution> {
        self.resolved.remove(&task)
    }

    /// Nobody waits for this task any more. Its answer, should it come, is dropped.
    pub fn cancel(&mut self, task: Task) {
        self.resolved.remove(&task);
        match self.open.remove(&task) {
            Some(OpenTask::EventWait { key }) => self.mailbox.forget(&key, task),
            Some(OpenTask::SignalWait { keys }) => keys.iter().for_each(|key| self.mailbox.forget(key, task)),
            Some(OpenTask::UpdateWait) => self.updates.forget(task),
            Some(OpenTask::Timer | OpenTask::Call(_)) | None => {}
        }
        self.cancelled.extend(self.ledger.settle(task));
    }

    /// Raises an event to another instance.
    pub fn raise_event(&mut self, instance_id: InstanceId, name: String, data: String) {
        let instance = WorkflowInstance { instance_id: instance_id.into_string(), execution_id: None };
        let event = SendEventAction { instance: Some(instance), name, data: Some(text(data)) };
        self.ledger.ask(ActionType::SendEvent(event), None, None);
    }

    /// Starts a workflow that is no child, and returns its id.
    pub fn start_detached(&mut self, workflow: String, input: String, options: DetachedOptions) -> InstanceId {
        let id = options.instance_id.unwrap_or_else(|| self.derive_instance_id());
        let action = CreateDetachedWorkflowAction {
            instance_id: id.to_string(),
            name: workflow,
            version: options.version.map(text),
            input: Some(text(input)),
            scheduled_start_timestamp: options.start_at.map(normalised),
            ..CreateDetachedWorkflowAction::default()
        };
        let router = router(options.target_app_id);
        self.ledger.ask(ActionType::CreateDetachedWorkflow(action), router, None);
        id
    }

    /// Replaces the status text that clients see.
    pub fn set_custom_status(&mut self, status: String) {
        self.custom_status = Some(status);
        self.custom_status_changed = true;
    }

    /// Whether the code behind a patch is to run.
    pub fn patched(&mut self, id: &str) -> bool {
        let replaying = self.is_replaying();
        self.patches.decide(id, replaying)
    }

    /// Restarts with this input once the guest completes successfully.
    pub fn continue_as_new(&mut self, input: String, options: ContinueOptions) {
        self.continuation = Some(Continuation { input, options });
    }

    /// The guest's code has come to its end.
    pub fn complete(&mut self, outcome: Result<String, Failure>) {
        let (status, result, failure) = match (outcome, &self.continuation) {
            (Ok(_), Some(next)) => (OrchestrationStatus::ContinuedAsNew, Some(next.input.clone()), None),
            (Ok(result), None) => (OrchestrationStatus::Completed, Some(result), None),
            (Err(failure), _) => (OrchestrationStatus::Failed, None, Some(failure)),
        };
        self.end(Ending { status, result, failure });
    }

    /// Ends the execution; what it still waits for is given up.
    pub(crate) fn end(&mut self, ending: Ending) {
        if self.ending.is_some() {
            return;
        }
        while let Some(task) = self.open.keys().next().copied() {
            self.cancel(task);
        }
        self.resolved.clear();
        self.early.clear();
        self.due.clear();
        self.ending = Some(ending);
    }

    /// The time of the current turn.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// Fills a buffer from the instance's random stream.
    pub fn random_bytes(&mut self, buffer: &mut [u8]) {
        self.random.fill(buffer);
    }

    /// A random UUID from the instance's random stream.
    pub fn uuid(&mut self) -> String {
        self.random.uuid()
    }

    /// How many events have been handled.
    pub fn history_length(&self) -> u64 {
        self.current.number
    }

    /// Whether what happens now has happened before.
    pub fn is_replaying(&self) -> bool {
        self.current.source == Source::History
    }

    fn new_task(&mut self) -> Task {
        self.tasks_made += 1;
        Task(self.tasks_made)
    }

    /// Counts calls, not sequence ids: those move, and two children must never get one id.
    fn derive_instance_id(&mut self) -> InstanceId {
        self.instances_started += 1;
        let (id, generation) = match &self.start {
            Some(start) => (start.instance_id.as_str(), start.generation),
            None => ("", 0),
        };
        format!("{id}:{generation}.{}{}", self.instances_started, self.reset_mark()).into()
    }
}
