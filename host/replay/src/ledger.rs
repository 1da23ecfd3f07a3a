//! Sequence ids: what the code has asked for, what history has of it, and how the two are kept in step.
//! It knows nothing of answers; `events` and `execution` do.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use everturn_history::workflow_action::ActionType;
use everturn_history::{SequenceId, TaskRouter, WorkflowAction};

use crate::Task;
use crate::mismatch::CallView;

/// What the code has asked for, by sequence id.
///
/// History records in the order of asking, so what is pending is a queue whose first entry has the id that history
/// records next. Dropping an entry moves all later ones down, and leaving an id to history moves them up, without
/// touching them.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// The id of the first pending entry, or of the next one to be asked for.
    first: SequenceId,
    /// Asked for, and not yet in history. None: recorded out of turn, while earlier entries are pending.
    pending: VecDeque<Option<Pending>>,
    /// The pending entries that history may not lack.
    required: BTreeSet<Ticket>,
    tickets: u64,
    /// In history, and somebody waits for the answer.
    open: BTreeMap<SequenceId, Task>,
    /// Where the tasks are that wait for an answer.
    places: BTreeMap<Task, Place>,
}

/// Names a pending entry while ids move. Later entries have greater ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ticket(u64);

#[derive(Clone, Copy, Debug)]
enum Place {
    Pending(Ticket),
    Recorded(SequenceId),
}

#[derive(Debug)]
struct Pending {
    ticket: Ticket,
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
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        let pending = Pending { ticket, action, router, task, cancelled: false };
        if !pending.is_optional_timer() {
            self.required.insert(ticket);
        }
        if let Some(task) = task {
            self.places.insert(task, Place::Pending(ticket));
        }
        self.pending.push_back(Some(pending));
    }

    /// Enters into the books what history recorded under an id.
    ///
    /// An indefinite wait creates a timer since histories record why timers exist; older ones lack it. Where history
    /// has something else in its place, the timer is dropped and what follows moves down to where history has it. The
    /// other way round, an optional timer that only history knows makes what follows move up. Two optional timers for
    /// different events do not pass each other by: whoever waits for another event than before is told.
    pub(crate) fn record(&mut self, id: SequenceId, recorded: &CallView<'_>) -> Fit {
        let Some(index) = self.index(id) else { return Fit::Twice };
        if !recorded.is_optional_timer {
            while self.pending_at(index).is_some_and(Pending::is_optional_timer) {
                self.drop_and_shift(index);
            }
        }
        match self.pending.get(index) {
            Some(Some(pending)) if CallView::of_action(&pending.action).matches(recorded) => {
                Fit::Matches(self.accept(index, id))
            }
            Some(Some(pending)) if recorded.is_optional_timer && !pending.is_optional_timer() => self.make_room(index),
            None if recorded.is_optional_timer && index == self.pending.len() => self.make_room(index),
            Some(None) => Fit::Twice,
            _ => Fit::Differs,
        }
    }

    fn accept(&mut self, index: usize, id: SequenceId) -> Option<Task> {
        let accepted = self.pending.get_mut(index)?.take()?;
        self.required.remove(&accepted.ticket);
        while let Some(None) = self.pending.front() {
            self.pending.pop_front();
            self.first = self.first.next();
        }
        let task = accepted.task?;
        self.open.insert(id, task);
        self.places.insert(task, Place::Recorded(id));
        Some(task)
    }

    /// Removes a pending timer: later ids move down by one. The task that had it keeps waiting for its event.
    fn drop_and_shift(&mut self, index: usize) {
        if let Some(task) = self.pending.remove(index).flatten().and_then(|dropped| dropped.task) {
            self.places.remove(&task);
        }
    }

    /// Leaves an id to a timer that only history knows: ids from there on move up by one.
    fn make_room(&mut self, index: usize) -> Fit {
        if index == 0 {
            self.first = self.first.next();
        } else {
            self.pending.insert(index, None);
        }
        Fit::Ignored
    }

    /// Where an id is in the queue, or would be. None: it is behind the queue's beginning.
    fn index(&self, id: SequenceId) -> Option<usize> {
        usize::try_from(i64::from(id.get()) - i64::from(self.first.get())).ok()
    }

    fn id(&self, index: usize) -> SequenceId {
        // No queue is that long: entries are limited by what a guest may ask for in a turn.
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        SequenceId::new(self.first.get().saturating_add(index))
    }

    fn pending_at(&self, index: usize) -> Option<&Pending> {
        self.pending.get(index)?.as_ref()
    }

    /// The entries that are not in history yet, with their ids.
    fn entries(&self) -> impl Iterator<Item = (SequenceId, &Pending)> {
        let entries = self.pending.iter().enumerate();
        entries.filter_map(|(index, pending)| Some((self.id(index), pending.as_ref()?)))
    }

    fn find(&self, ticket: Ticket) -> Option<usize> {
        // Entries recorded out of turn have no ticket; that is rare enough to look from the beginning then.
        let position = self.pending.binary_search_by_key(&Some(ticket), |entry| Some(entry.as_ref()?.ticket));
        let is_it = |entry: &Option<Pending>| entry.as_ref().is_some_and(|pending| pending.ticket == ticket);
        position.ok().or_else(|| self.pending.iter().position(is_it))
    }

    /// Who waits for the answer to this id, if it can have one by now.
    pub(crate) fn standing(&self, id: SequenceId) -> Standing {
        match (self.open.get(&id), self.index(id)) {
            (Some(&task), _) => Standing::Awaited(task),
            (None, None) => Standing::Settled,
            (None, Some(index)) => match self.pending.get(index) {
                Some(None) => Standing::Settled,
                _ => Standing::Unrecorded,
            },
        }
    }

    /// Whether an entry with this id is about to be recorded.
    pub(crate) fn is_pending(&self, id: SequenceId) -> bool {
        self.index(id).and_then(|index| self.pending_at(index)).is_some()
    }

    /// The answer has come, or an event has made the timer needless.
    ///
    /// Returns the id where it is in history already. One that is still pending stays pending: the code took a
    /// sequence id for it, so history must have it too.
    pub(crate) fn settle(&mut self, task: Task) -> Option<SequenceId> {
        match self.places.remove(&task)? {
            Place::Recorded(id) => {
                self.open.remove(&id);
                Some(id)
            }
            Place::Pending(ticket) => {
                let index = self.find(ticket)?;
                let pending = self.pending.get_mut(index)?.as_mut()?;
                pending.task = None;
                pending.cancelled = true;
                None
            }
        }
    }

    /// What code did at this id, if it did anything.
    pub(crate) fn pending_call(&self, id: SequenceId) -> Option<CallView<'_>> {
        let pending = self.pending_at(self.index(id)?)?;
        Some(CallView::of_action(&pending.action))
    }

    /// The first thing the code asked for that history lacks and that it may not lack.
    pub(crate) fn first_unrecorded(&self) -> Option<(SequenceId, CallView<'_>)> {
        let index = self.find(*self.required.first()?)?;
        Some((self.id(index), CallView::of_action(&self.pending_at(index)?.action)))
    }

    /// All that is pending, as actions.
    pub(crate) fn actions(&self) -> Vec<WorkflowAction> {
        let action = |(id, pending): (SequenceId, &Pending)| WorkflowAction {
            id: id.get(),
            action_type: Some(pending.action.clone()),
            router: pending.router.clone(),
        };
        self.entries().map(action).collect()
    }

    /// What is pending and needless already.
    pub(crate) fn cancelled_before_recorded(&self) -> impl Iterator<Item = SequenceId> {
        self.entries().filter(|(_, pending)| pending.cancelled).map(|(id, _)| id)
    }

    /// Nobody wants what is pending any more.
    pub(crate) fn discard_pending(&mut self) {
        self.pending.clear();
        self.required.clear();
    }

    /// The id that the next action will have.
    pub(crate) fn next_id(&self) -> SequenceId {
        self.id(self.pending.len())
    }
}
