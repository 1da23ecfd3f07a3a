//! Sequence ids: what the code has asked for, what history has of it, and how the two are kept in step.
//! It knows nothing of answers; `events` and `execution` do.

use std::collections::BTreeMap;

use everturn_history::workflow_action::ActionType;
use everturn_history::{SequenceId, TaskRouter, WorkflowAction};

use crate::Task;
use crate::mismatch::CallView;

/// What the code has asked for, by sequence id.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    next: SequenceId,
    /// Asked for, and not yet in history.
    pending: BTreeMap<SequenceId, Pending>,
    /// In history, and somebody waits for the answer.
    open: BTreeMap<SequenceId, Task>,
    /// The ids of the tasks in `pending` and `open`.
    position: BTreeMap<Task, SequenceId>,
}

#[derive(Debug)]
struct Pending {
    action: ActionType,
    router: Option<TaskRouter>,
    /// Who waits for the answer: nobody where none is expected, or where the guest gave up waiting.
    task: Option<Task>,
    cancelled: bool,
}

impl Pending {
    fn is_optional_timer(&self) -> bool {
        matches!(&self.action, ActionType::CreateTimer(timer) if timer.is_optional())
    }
}

/// Where an id stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Not in history yet: an answer to it is early.
    Unrecorded,
    /// This task waits for it.
    Awaited(Task),
    /// It was answered or given up: an answer to it is late.
    Settled,
}

/// How a recorded call fits the code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It is what the code asked for; this task waits for its answer.
    Matches(Option<Task>),
    /// It is an optional timer that the code no longer creates.
    Ignored,
    /// It has been recorded before.
    Twice,
    /// The code did something else, or nothing.
    Differs,
}

impl Ledger {
    /// Gives an action the next id.
    pub(crate) fn ask(&mut self, action: ActionType, router: Option<TaskRouter>, task: Option<Task>) {
        let id = self.next;
        self.next = id.next();
        self.pending.insert(id, Pending { action, router, task, cancelled: false });
        if let Some(task) = task {
            self.position.insert(task, id);
        }
    }

    /// Enters into the books what history recorded under an id.
    ///
    /// An indefinite wait creates a timer since histories record why timers exist; older ones lack it. Where history
    /// has something else in its place, the timer is dropped and what follows moves down to where history has it. The
    /// other way round, an optional timer that only history knows makes what follows move up.
    pub(crate) fn record(&mut self, id: SequenceId, recorded: &CallView<'_>) -> Fit {
        while self.optional_timer_is_in_the_way(id, recorded) {
            self.drop_and_shift(id);
        }
        match self.pending.get(&id) {
            Some(pending) if CallView::of_action(&pending.action).matches(recorded) => Fit::Matches(self.accept(id)),
            Some(pending) if recorded.is_optional_timer && !pending.is_optional_timer() => self.make_room(id),
            None if recorded.is_optional_timer && id == self.next => self.make_room(id),
            None if id < self.next => Fit::Twice,
            _ => Fit::Differs,
        }
    }

    fn optional_timer_is_in_the_way(&self, id: SequenceId, recorded: &CallView<'_>) -> bool {
        !recorded.is_optional_timer && self.pending.get(&id).is_some_and(Pending::is_optional_timer)
    }

    fn accept(&mut self, id: SequenceId) -> Option<Task> {
        let task = self.pending.remove(&id)?.task?;
        self.open.insert(id, task);
        Some(task)
    }

    /// Removes the pending timer at `id`; later ids move down by one. The task that had it keeps waiting for its event.
    fn drop_and_shift(&mut self, id: SequenceId) {
        if let Some(task) = self.pending.remove(&id).and_then(|dropped| dropped.task) {
            self.position.remove(&task);
        }
        self.move_pending(id.next(), SequenceId::previous);
        self.next = self.next.previous();
    }

    /// Leaves `id` to a timer that only history knows; ids from there on move up by one.
    fn make_room(&mut self, id: SequenceId) -> Fit {
        self.move_pending(id, SequenceId::next);
        self.next = self.next.next();
        Fit::Ignored
    }

    fn move_pending(&mut self, from: SequenceId, to: fn(SequenceId) -> SequenceId) {
        for (id, pending) in self.pending.split_off(&from) {
            if let Some(task) = pending.task {
                self.position.insert(task, to(id));
            }
            self.pending.insert(to(id), pending);
        }
    }

    /// Who waits for the answer to this id, if it can have one by now.
    pub(crate) fn standing(&self, id: SequenceId) -> Standing {
        match self.open.get(&id) {
            Some(&task) => Standing::Awaited(task),
            None if id >= self.next || self.pending.contains_key(&id) => Standing::Unrecorded,
            None => Standing::Settled,
        }
    }

    /// The answer has come, or an event has made the timer needless.
    ///
    /// Returns the id where it is in history already. One that is still pending stays pending: the code took a
    /// sequence id for it, so history must have it too.
    pub(crate) fn settle(&mut self, task: Task) -> Option<SequenceId> {
        let id = self.position.remove(&task)?;
        if let Some(pending) = self.pending.get_mut(&id) {
            pending.task = None;
            pending.cancelled = true;
            return None;
        }
        self.open.remove(&id);
        Some(id)
    }

    /// What code did at this id, if it did anything.
    pub(crate) fn pending_call(&self, id: SequenceId) -> Option<CallView<'_>> {
        self.pending.get(&id).map(|pending| CallView::of_action(&pending.action))
    }

    /// The first thing the code asked for that history lacks and that it may not lack.
    pub(crate) fn first_unrecorded(&self) -> Option<(SequenceId, CallView<'_>)> {
        let (id, pending) = self.pending.iter().find(|(_, pending)| !pending.is_optional_timer())?;
        Some((*id, CallView::of_action(&pending.action)))
    }

    /// All that is pending, as actions.
    pub(crate) fn actions(&self) -> Vec<WorkflowAction> {
        let action = |(id, pending): (&SequenceId, &Pending)| WorkflowAction {
            id: id.get(),
            action_type: Some(pending.action.clone()),
            router: pending.router.clone(),
        };
        self.pending.iter().map(action).collect()
    }

    /// What is pending and needless already.
    pub(crate) fn cancelled_before_recorded(&self) -> impl Iterator<Item = SequenceId> {
        self.pending.iter().filter(|(_, pending)| pending.cancelled).map(|(id, _)| *id)
    }

    /// Nobody wants what is pending any more.
    pub(crate) fn discard_pending(&mut self) {
        self.pending.clear();
    }

    /// The id that the next action will have.
    pub(crate) fn next_id(&self) -> SequenceId {
        self.next
    }
}
