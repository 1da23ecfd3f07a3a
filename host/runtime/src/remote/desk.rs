//! Which remote worker takes which turn: plain state, without waiting and without a store.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use everturn_history::StalledReason;
use everturn_store::{InstanceKey, StoreError, Token};
use tokio::sync::{mpsc, oneshot};

use super::orchestrator::{OrchestratorOptions, TurnAnswer, TurnTask};

/// A worker that takes turns, for as long as it is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct OrchestratorId(u64);

/// What becomes of a turn that was given out.
#[derive(Debug)]
pub(super) enum Reply {
    /// The worker's answer, and where to tell it that this is on disk.
    Answer(TurnAnswer, oneshot::Sender<Result<(), StoreError>>),
    /// It could not be sent: the instance is to be held.
    Hold(Option<StalledReason>, String),
    /// The worker gives it back.
    Abandoned,
}

/// A workflow, and the version that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) workflow: String,
    pub(super) version: Option<String>,
}

/// What a worker has been sent of an instance, and keeps.
#[derive(Clone, Debug)]
struct Known {
    execution_id: String,
    events: u64,
}

#[derive(Debug)]
struct Place {
    options: OrchestratorOptions,
    busy: usize,
    turns: mpsc::Sender<TurnTask>,
    known: HashMap<InstanceKey, Known>,
}

impl Place {
    fn names(&self, wanted: &Wanted) -> bool {
        let versions = self.options.workflows.as_ref().and_then(|workflows| workflows.get(&wanted.workflow));
        let has = |version: &String| Some(version) == wanted.version.as_ref();
        versions.is_some_and(|versions| versions.is_empty() || versions.iter().any(has))
    }

    fn takes_any(&self) -> bool {
        self.options.workflows.is_none()
    }

    /// A worker that does not read what it was sent has no room for more, whatever it says.
    fn spare(&self) -> usize {
        self.options.capacity.saturating_sub(self.busy).min(self.turns.capacity())
    }
}

/// A turn that a worker has.
#[derive(Debug)]
struct Out {
    worker: OrchestratorId,
    reply: oneshot::Sender<Reply>,
}

/// Instances of which a worker is trusted to keep the history. Beyond, what is known of it begins anew.
const KNOWN_INSTANCES: usize = 50_000;

/// Which remote worker takes which turn.
#[derive(Debug, Default)]
pub(super) struct Desk {
    workers: BTreeMap<OrchestratorId, Place>,
    next_worker: u64,
    out: HashMap<Token, Out>,
    /// Who waits for a worker, by what has to be accepted, longest waiting first.
    waiting: BTreeMap<Wanted, VecDeque<InstanceKey>>,
    waits: HashSet<InstanceKey>,
    /// Who was told that there is a place, and has not come for it yet.
    called: HashSet<InstanceKey>,
    complained: HashSet<String>,
    closed: bool,
}

/// How many workflows are complained about; beyond, the list begins anew.
const COMPLAINTS: usize = 1_000;

impl Desk {
    pub(super) fn connect(&mut self, options: OrchestratorOptions, turns: mpsc::Sender<TurnTask>) -> OrchestratorId {
        let id = OrchestratorId(self.next_worker);
        self.next_worker += 1;
        self.workers.insert(id, Place { options, busy: 0, turns, known: HashMap::new() });
        id
    }

    /// The worker is lost. Whoever waits for an answer of it hears that there will be none.
    pub(super) fn disconnect(&mut self, worker: OrchestratorId) {
        self.workers.remove(&worker);
        self.out.retain(|_, out| out.worker != worker);
    }

    /// Whether some worker that is connected may have this workflow.
    pub(super) fn accepts(&self, wanted: &Wanted) -> bool {
        self.workers.values().any(|place| place.takes_any() || place.names(wanted))
    }

    /// Whether a worker may have this workflow: it says so; or it says nothing, and nobody else says so.
    fn fits(&self, place: &Place, wanted: &Wanted) -> bool {
        place.names(wanted) || (place.takes_any() && !self.workers.values().any(|other| other.names(wanted)))
    }

    /// How many workers have come so far.
    pub(super) fn arrivals(&self) -> u64 {
        self.next_worker
    }

    /// Nothing is given out any more.
    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Sets a place aside: that of the worker which has the history, or which has most to spare. If there is none, or
    /// others wait for one already, the instance waits too, until [`Self::ready`] names it.
    ///
    /// Who waits, or was called, has left messages on disk. With a message that came since then, and without having looked
    /// there, it would overtake them: it gets nothing, and is woken to look.
    pub(super) fn reserve(
        &mut self,
        wanted: &Wanted,
        instance: InstanceKey,
        preferred: Option<OrchestratorId>,
        has_looked: bool,
    ) -> Option<OrchestratorId> {
        if !has_looked && (self.waits.contains(&instance) || self.called.contains(&instance)) {
            return None;
        }
        let called = self.called.remove(&instance);
        let overtakes = !called && self.waiting.get(wanted).is_some_and(|waiting| !waiting.is_empty());
        let found = if overtakes || self.closed { None } else { self.free_place(wanted, preferred) };
        if let Some(place) = found.and_then(|id| self.workers.get_mut(&id)) {
            place.busy += 1;
        } else if self.waits.insert(instance) {
            let waiting = self.waiting.entry(wanted.clone()).or_default();
            if called { waiting.push_front(instance) } else { waiting.push_back(instance) }
        }
        found
    }

    fn free_place(&self, wanted: &Wanted, preferred: Option<OrchestratorId>) -> Option<OrchestratorId> {
        let free = |place: &Place| place.spare() > 0 && self.fits(place, wanted);
        if let Some(id) = preferred.filter(|id| self.workers.get(id).is_some_and(free)) {
            return Some(id);
        }
        let fit = self.workers.iter().filter(|(_, place)| free(place));
        fit.max_by_key(|(_, place)| place.spare()).map(|(id, _)| *id)
    }

    /// Whether it is news that nobody is there for this workflow.
    pub(super) fn complain(&mut self, wanted: &Wanted) -> bool {
        if self.accepts(wanted) {
            return false;
        }
        if self.complained.len() >= COMPLAINTS {
            self.complained.clear();
        }
        self.complained.insert(wanted.workflow.clone())
    }

    pub(super) fn free(&mut self, worker: OrchestratorId) {
        if let Some(place) = self.workers.get_mut(&worker) {
            place.busy = place.busy.saturating_sub(1);
        }
    }

    /// The instance has nothing to do any more. Whether it was told of a place, which others may have now.
    pub(super) fn excuse(&mut self, instance: InstanceKey) -> bool {
        self.called.remove(&instance)
    }

    /// Whether somebody waits for a place.
    pub(super) fn has_waiting(&self) -> bool {
        !self.waits.is_empty()
    }

    /// Takes those out of the queues for whom there is a place now. They have to come for it; should one not come, the
    /// place is there for the next who is asked for.
    pub(super) fn ready(&mut self) -> Vec<InstanceKey> {
        let mut ready = Vec::new();
        if self.closed {
            return ready;
        }
        let mut queues = std::mem::take(&mut self.waiting);
        for (wanted, waiting) in &mut queues {
            let fit = self.workers.values().filter(|place| self.fits(place, wanted));
            let places: usize = fit.map(Place::spare).sum();
            ready.extend(waiting.drain(..places.min(waiting.len())));
        }
        queues.retain(|_, waiting| !waiting.is_empty());
        self.waiting = queues;
        for instance in &ready {
            self.waits.remove(instance);
            self.called.insert(*instance);
        }
        ready
    }

    /// How much of the history of this run the worker has.
    pub(super) fn known(&self, worker: OrchestratorId, instance: InstanceKey, execution_id: &str) -> Option<u64> {
        let place = self.workers.get(&worker).filter(|place| place.options.keeps_history)?;
        place.known.get(&instance).filter(|known| known.execution_id == execution_id).map(|known| known.events)
    }

    /// Hands a turn to the worker, which has the past of this many events then. False: the worker is gone.
    pub(super) fn begin(
        &mut self,
        worker: OrchestratorId,
        instance: InstanceKey,
        task: TurnTask,
        past: u64,
        reply: oneshot::Sender<Reply>,
    ) -> bool {
        let Some(place) = self.workers.get_mut(&worker) else { return false };
        if place.options.keeps_history {
            if place.known.len() >= KNOWN_INSTANCES {
                place.known.clear();
            }
            let (execution_id, events) = (task.execution_id.clone(), past);
            place.known.insert(instance, Known { execution_id, events });
        }
        let token = task.token;
        // There is room for as many as it takes at a time, unless it left some unread whose time ran out.
        let sent = place.turns.try_send(task).is_ok();
        if sent {
            self.out.insert(token, Out { worker, reply });
        }
        sent
    }

    /// A turn is over, however it ends: who shows its token from now on is late.
    pub(super) fn remove(&mut self, token: Token) -> Option<oneshot::Sender<Reply>> {
        self.out.remove(&token).map(|out| out.reply)
    }

    /// The instance is gone, or has begun anew: nobody keeps its history.
    pub(super) fn forget(&mut self, worker: OrchestratorId, instance: InstanceKey) {
        if let Some(place) = self.workers.get_mut(&worker) {
            place.known.remove(&instance);
        }
    }

    pub(super) fn out(&self) -> usize {
        self.out.len()
    }
}

impl Wanted {
    pub(super) fn new(workflow: &str, version: Option<&str>) -> Self {
        Self { workflow: workflow.to_owned(), version: version.filter(|it| !it.is_empty()).map(str::to_owned) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: InstanceKey = InstanceKey(1);
    const B: InstanceKey = InstanceKey(2);
    const C: InstanceKey = InstanceKey(3);

    fn options(capacity: usize) -> OrchestratorOptions {
        OrchestratorOptions { workflows: None, capacity, keeps_history: true }
    }

    fn connect(desk: &mut Desk, options: OrchestratorOptions) -> (OrchestratorId, mpsc::Receiver<TurnTask>) {
        let (sender, receiver) = mpsc::channel(10);
        (desk.connect(options, sender), receiver)
    }

    #[test]
    fn who_finds_no_worker_waits_and_nobody_overtakes() {
        let mut desk = Desk::default();
        let order = Wanted::new("order", None);
        assert_eq!(desk.reserve(&order, A, None, true), None);
        assert_eq!(desk.reserve(&order, A, None, true), None, "it waits once");
        assert_eq!(desk.ready(), []);
        let (worker, _turns) = connect(&mut desk, options(2));
        assert_eq!(desk.reserve(&order, B, None, true), None, "A is first");
        assert_eq!(desk.reserve(&order, C, None, true), None);
        assert_eq!(desk.ready(), [A, B]);
        assert_eq!(desk.reserve(&order, InstanceKey(4), None, true), None, "C is before it");
        assert_eq!(desk.reserve(&order, A, None, true), Some(worker));
        assert_eq!(desk.reserve(&order, B, None, true), Some(worker));
        assert_eq!(desk.ready(), [], "it takes two at a time");
        desk.free(worker);
        assert_eq!(desk.ready(), [C]);
        assert!(desk.excuse(C) && !desk.excuse(C));
        assert_eq!(desk.ready(), [InstanceKey(4)], "C had nothing to do any more");
    }

    #[test]
    fn who_has_left_messages_on_disk_has_to_look_there_first() {
        let mut desk = Desk::default();
        let order = Wanted::new("order", None);
        assert_eq!(desk.reserve(&order, A, None, true), None);
        let (worker, _turns) = connect(&mut desk, options(1));
        assert_eq!(desk.reserve(&order, A, None, false), None, "it waits");
        assert_eq!(desk.ready(), [A]);
        assert_eq!(desk.reserve(&order, A, None, false), None, "it was called");
        assert_eq!(desk.reserve(&order, A, None, true), Some(worker));
    }

    #[test]
    fn who_names_a_workflow_has_it_before_those_who_take_any() {
        let mut desk = Desk::default();
        let (any, _a) = connect(&mut desk, options(9));
        let workflows = Some(BTreeMap::from([("order".to_owned(), Vec::new())]));
        let (named, _b) = connect(&mut desk, OrchestratorOptions { workflows, ..options(1) });
        assert_eq!(desk.reserve(&Wanted::new("order", None), A, None, true), Some(named));
        assert_eq!(desk.reserve(&Wanted::new("order", None), B, None, true), None, "it waits for the one that has it");
        assert_eq!(desk.reserve(&Wanted::new("audit", None), C, None, true), Some(any));
    }

    #[test]
    fn a_worker_that_does_not_read_has_no_room() {
        let mut desk = Desk::default();
        let (sender, mut turns) = mpsc::channel(1);
        let (deaf, order) = (desk.connect(options(1), sender), Wanted::new("order", None));
        assert_eq!(desk.reserve(&order, A, None, true), Some(deaf));
        assert!(desk.begin(deaf, A, TurnTask::default(), 0, oneshot::channel().0));
        desk.free(deaf);
        assert_eq!(desk.reserve(&order, B, None, true), None, "its time ran out, and it still lies there");
        turns.try_recv().unwrap();
        assert_eq!(desk.ready(), [B]);
    }

    #[test]
    fn who_was_called_too_often_is_first_again() {
        let mut desk = Desk::default();
        let order = Wanted::new("order", None);
        assert_eq!(desk.reserve(&order, A, None, true), None);
        let (worker, _turns) = connect(&mut desk, options(1));
        assert_eq!(desk.ready(), [A]);
        assert_eq!(desk.reserve(&order, B, None, true), Some(worker), "it came before A did");
        assert_eq!(desk.reserve(&order, C, None, true), None);
        assert_eq!(desk.reserve(&order, A, None, true), None);
        desk.free(worker);
        assert_eq!(desk.ready(), [A]);
    }

    #[test]
    fn a_worker_gets_only_the_workflows_and_versions_that_it_has() {
        let mut desk = Desk::default();
        let workflows = BTreeMap::from([("order".to_owned(), vec!["2".to_owned()]), ("refund".to_owned(), Vec::new())]);
        let (_, _turns) = connect(&mut desk, OrchestratorOptions { workflows: Some(workflows), ..options(9) });
        let table = [
            ("order", Some("2"), true),
            ("order", Some("1"), false),
            ("order", None, false),
            ("refund", Some("7"), true),
            ("refund", None, true),
            ("audit", None, false),
        ];
        for (workflow, version, accepted) in table {
            assert_eq!(desk.accepts(&Wanted::new(workflow, version)), accepted, "{workflow} {version:?}");
        }
        assert!(desk.complain(&Wanted::new("audit", None)));
        assert!(!desk.complain(&Wanted::new("audit", None)), "once is enough");
        assert!(!desk.complain(&Wanted::new("refund", None)));
    }

    #[test]
    fn a_turn_goes_to_the_worker_that_has_the_history_and_else_to_the_one_with_most_to_spare() {
        let mut desk = Desk::default();
        let order = Wanted::new("order", None);
        let ((small, _a), (large, _b)) = (connect(&mut desk, options(1)), connect(&mut desk, options(5)));
        assert_eq!(desk.reserve(&order, A, Some(small), true), Some(small));
        assert_eq!(desk.reserve(&order, B, Some(small), true), Some(large));
        assert_eq!(desk.reserve(&order, C, None, true), Some(large));
    }

    #[test]
    fn a_lost_worker_is_heard_of_and_its_tokens_are_worth_nothing() {
        let mut desk = Desk::default();
        let (worker, mut turns) = connect(&mut desk, options(1));
        let token = Token([7; 16]);
        let task = TurnTask { token, execution_id: "run".to_owned(), ..TurnTask::default() };
        let (reply, mut answer) = oneshot::channel();
        assert!(desk.begin(worker, A, task, 12, reply));
        assert_eq!(turns.try_recv().unwrap().token, token);
        assert_eq!(desk.known(worker, A, "run"), Some(12));
        assert_eq!(desk.known(worker, A, "another run"), None);
        desk.disconnect(worker);
        assert!(answer.try_recv().is_err());
        assert!(desk.remove(token).is_none());
        assert_eq!(desk.out(), 0);
    }
}
