//! Who works on what: plain state, without waiting and without a store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use everturn_store::{TaskKey, Token};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;

use super::assignment::Assignment;
use super::worker::{ActivityTask, SignOfLife};

/// A worker, for as long as it is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WorkerId(u64);

impl WorkerId {
    /// This process itself.
    pub(super) const IN_PROCESS: Self = Self(0);
}

/// Which activities a worker has.
#[derive(Clone, Debug)]
pub(super) enum Accepts {
    /// Any that nobody has by name: it does not say.
    Any,
    /// These.
    Names(HashSet<String>),
}

impl Accepts {
    fn names(&self, activity: &str) -> bool {
        matches!(self, Self::Names(names) if names.contains(activity))
    }
}

#[derive(Debug)]
struct Place {
    accepts: Accepts,
    capacity: usize,
    busy: usize,
    life: SignOfLife,
    /// Where its tasks are sent. None: they run here.
    tasks: Option<mpsc::Sender<ActivityTask>>,
}

/// A dispatch that has no answer yet.
#[derive(Clone, Debug)]
pub(super) struct Running {
    pub(super) worker: WorkerId,
    pub(super) assignment: Arc<Assignment>,
    /// Its last sign of life.
    pub(super) alive: Instant,
    /// Told when it is over for another reason than its answer.
    pub(super) stop: Arc<Notify>,
}

/// A dispatch that has begun.
pub(super) struct Begun {
    pub(super) place: WhereBegun,
    pub(super) stop: Arc<Notify>,
}

/// Where a dispatch has begun.
pub(super) enum WhereBegun {
    /// In this process.
    Here,
    /// At a worker who gets its tasks this way.
    Outside(mpsc::Sender<ActivityTask>),
    /// Nowhere: the worker is gone.
    Nowhere,
}

/// A question to the store: tasks for free workers.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Search {
    /// Of these activities, each with how often it had been expected when this was asked.
    pub(super) activities: Vec<(String, u64)>,
    /// At most so many.
    pub(super) limit: usize,
}

/// Who works on what.
#[derive(Debug)]
pub(super) struct Desk {
    workers: BTreeMap<WorkerId, Place>,
    next_worker: u64,
    running: HashMap<Token, Running>,
    tokens: HashMap<TaskKey, Token>,
    /// Activities that tasks may wait for on disk, with how often they were expected.
    waiting: BTreeMap<String, u64>,
    complained: HashSet<String>,
}

/// How many activities are complained about; beyond, the list begins anew.
const COMPLAINTS: usize = 1_000;

impl Desk {
    pub(super) fn new(places: usize) -> Self {
        let here = Place {
            accepts: Accepts::Names(HashSet::new()),
            capacity: places,
            busy: 0,
            // The host knows of every end.
            life: SignOfLife::Connection,
            tasks: None,
        };
        Self {
            workers: BTreeMap::from([(WorkerId::IN_PROCESS, here)]),
            next_worker: 1,
            running: HashMap::new(),
            tokens: HashMap::new(),
            waiting: BTreeMap::new(),
            complained: HashSet::new(),
        }
    }

    pub(super) fn connect(
        &mut self,
        accepts: Accepts,
        capacity: usize,
        life: SignOfLife,
        tasks: mpsc::Sender<ActivityTask>,
    ) -> WorkerId {
        let id = WorkerId(self.next_worker);
        self.next_worker += 1;
        self.workers.insert(id, Place { accepts, capacity, busy: 0, life, tasks: Some(tasks) });
        id
    }

    /// The worker is lost, and with it its dispatches.
    pub(super) fn disconnect(&mut self, worker: WorkerId) -> Vec<(Token, Running)> {
        self.workers.remove(&worker);
        let lost: Vec<_> = self.running.iter().filter(|(_, running)| running.worker == worker).collect();
        let tokens: Vec<_> = lost.into_iter().map(|(token, _)| *token).collect();
        tokens.into_iter().filter_map(|token| Some((token, self.remove(token)?))).collect()
    }

    pub(super) fn accept(&mut self, worker: WorkerId, accepts: Accepts) {
        if let Some(place) = self.workers.get_mut(&worker) {
            place.accepts = accepts;
        }
    }

    pub(super) fn offers(&self, activity: &str) -> bool {
        self.workers.values().any(|place| matches!(place.accepts, Accepts::Any) || place.accepts.names(activity))
    }

    /// The activities that workers say they have, sorted.
    pub(super) fn offered(&self) -> Vec<String> {
        let named = self.workers.values().filter_map(|place| match &place.accepts {
            Accepts::Names(names) => Some(names),
            Accepts::Any => None,
        });
        let offered: BTreeSet<_> = named.flatten().cloned().collect();
        offered.into_iter().collect()
    }

    /// Whether a worker may have this activity: it says so; or it says nothing, and nobody else says so.
    fn fits(&self, place: &Place, activity: &str) -> bool {
        let named_by_others = || self.workers.values().any(|place| place.accepts.names(activity));
        place.accepts.names(activity) || (matches!(place.accepts, Accepts::Any) && !named_by_others())
    }

    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    pub(super) fn running_by(&self, worker: WorkerId) -> usize {
        self.running.values().filter(|running| running.worker == worker).count()
    }

    /// Whether the tasks of a worker have a lease that runs out.
    pub(super) fn is_leased(&self, worker: WorkerId) -> bool {
        self.workers.get(&worker).is_none_or(|place| place.life == SignOfLife::Heartbeats)
    }

    /// Whether the lease of a dispatch runs out.
    pub(super) fn is_leased_task(&self, token: Token) -> bool {
        self.running.get(&token).is_none_or(|running| self.is_leased(running.worker))
    }

    /// Nobody has a free place from now on.
    pub(super) fn close(&mut self) {
        for place in self.workers.values_mut() {
            place.capacity = 0;
        }
    }

    /// Sets a place aside for a new task, unless older ones of that activity wait.
    pub(super) fn reserve(&mut self, activity: &str) -> Option<WorkerId> {
        if self.waiting.contains_key(activity) { None } else { self.reserve_any(activity) }
    }

    /// Sets a place aside: that of the worker which has most to spare.
    pub(super) fn reserve_any(&mut self, activity: &str) -> Option<WorkerId> {
        let free = self.workers.iter().filter(|(_, place)| place.busy < place.capacity);
        let fit = free.filter(|(_, place)| self.fits(place, activity));
        let id = fit.max_by_key(|(_, place)| place.capacity - place.busy).map(|(id, _)| *id)?;
        self.workers.get_mut(&id)?.busy += 1;
        Some(id)
    }

    pub(super) fn free(&mut self, worker: WorkerId) {
        if let Some(place) = self.workers.get_mut(&worker) {
            place.busy = place.busy.saturating_sub(1);
        }
    }

    pub(super) fn expect(&mut self, activity: &str) {
        *self.waiting.entry(activity.to_owned()).or_default() += 1;
    }

    /// Whether it is news that nobody has this activity.
    pub(super) fn complain(&mut self, activity: &str) -> bool {
        if self.complained.len() >= COMPLAINTS {
            self.complained.clear();
        }
        self.complained.insert(activity.to_owned())
    }

    /// What to look for on disk. None: nothing waits that a free worker has.
    pub(super) fn search(&self) -> Option<Search> {
        let free = self.workers.values().filter(|place| place.busy < place.capacity);
        free.filter_map(|place| {
            let fits = self.waiting.iter().filter(|(name, _)| self.fits(place, name));
            let activities: Vec<_> = fits.map(|(name, times)| (name.clone(), *times)).collect();
            let limit = place.capacity - place.busy;
            (!activities.is_empty()).then_some(Search { activities, limit })
        })
        .next()
    }

    /// A search found fewer than it asked for: none are left, unless more were expected since.
    pub(super) fn exhausted(&mut self, search: &Search) {
        for (name, times) in &search.activities {
            if self.waiting.get(name) == Some(times) {
                self.waiting.remove(name);
            }
        }
    }

    pub(super) fn begin(&mut self, worker: WorkerId, token: Token, assignment: Arc<Assignment>) -> Begun {
        let stop = Arc::new(Notify::new());
        self.tokens.insert(assignment.key, token);
        self.running.insert(token, Running { worker, assignment, alive: Instant::now(), stop: Arc::clone(&stop) });
        let place = match self.workers.get(&worker).map(|place| place.tasks.clone()) {
            Some(None) => WhereBegun::Here,
            Some(Some(tasks)) => WhereBegun::Outside(tasks),
            None => WhereBegun::Nowhere,
        };
        Begun { place, stop }
    }

    pub(super) fn beat(&mut self, token: Token, now: Instant) -> bool {
        match self.running.get_mut(&token) {
            Some(running) => {
                running.alive = now;
                true
            }
            None => false,
        }
    }

    /// The last sign of life of a dispatch. None: it is over.
    pub(super) fn alive(&self, token: Token) -> Option<Instant> {
        self.running.get(&token).map(|running| running.alive)
    }

    /// A dispatch is over: who shows its token from now on is late.
    pub(super) fn remove(&mut self, token: Token) -> Option<Running> {
        let running = self.running.remove(&token)?;
        self.tokens.remove(&running.assignment.key);
        self.free(running.worker);
        Some(running)
    }

    pub(super) fn remove_task(&mut self, task: TaskKey) -> Option<Running> {
        let token = *self.tokens.get(&task)?;
        self.remove(token)
    }

    pub(super) fn remove_all(&mut self) -> Vec<Running> {
        let tokens: Vec<_> = self.running.keys().copied().collect();
        tokens.into_iter().filter_map(|token| self.remove(token)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Accepts {
        Accepts::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn a_worker_gets_no_more_than_it_can_take_and_only_what_it_has() {
        let mut desk = Desk::new(1);
        desk.accept(WorkerId::IN_PROCESS, names(&["pack"]));
        assert_eq!(desk.reserve("ship"), None);
        assert_eq!(desk.reserve("pack"), Some(WorkerId::IN_PROCESS));
        assert_eq!(desk.reserve("pack"), None);
        desk.free(WorkerId::IN_PROCESS);
        assert_eq!(desk.reserve("pack"), Some(WorkerId::IN_PROCESS));
    }

    #[test]
    fn new_tasks_do_not_overtake_those_that_wait() {
        let mut desk = Desk::new(5);
        desk.accept(WorkerId::IN_PROCESS, names(&["pack"]));
        desk.expect("pack");
        assert_eq!(desk.reserve("pack"), None);
        let search = desk.search().unwrap();
        assert_eq!(search, Search { activities: vec![("pack".to_owned(), 1)], limit: 5 });
        desk.exhausted(&search);
        assert!(desk.reserve("pack").is_some());
    }

    #[test]
    fn a_task_that_came_during_a_search_is_searched_for_again() {
        let mut desk = Desk::new(5);
        desk.accept(WorkerId::IN_PROCESS, names(&["pack"]));
        desk.expect("pack");
        let search = desk.search().unwrap();
        desk.expect("pack");
        desk.exhausted(&search);
        assert!(desk.search().is_some());
    }

    #[test]
    fn who_names_an_activity_has_it_before_those_who_take_any() {
        let mut desk = Desk::new(1);
        let (sender, _receiver) = mpsc::channel(9);
        let any = desk.connect(Accepts::Any, 9, SignOfLife::Heartbeats, sender);
        desk.accept(WorkerId::IN_PROCESS, names(&["pack"]));
        assert_eq!(desk.reserve("pack"), Some(WorkerId::IN_PROCESS));
        assert_eq!(desk.reserve("pack"), None, "it waits for the one that has it");
        assert_eq!(desk.reserve("ship"), Some(any));
        desk.expect("pack");
        assert_eq!(desk.search(), None);
        desk.expect("ship");
        assert_eq!(desk.search().unwrap().activities, [("ship".to_owned(), 1)]);
    }

    #[test]
    fn work_goes_to_the_worker_with_most_to_spare() {
        let mut desk = Desk::new(2);
        let (sender, _receiver) = mpsc::channel(1);
        let outside = desk.connect(names(&["pack"]), 3, SignOfLife::Heartbeats, sender);
        assert_eq!(desk.reserve("pack"), Some(outside));
        desk.accept(WorkerId::IN_PROCESS, names(&["pack"]));
        desk.reserve("pack");
        desk.reserve("pack");
        assert!(desk.reserve("pack").is_some() && desk.reserve("pack").is_some());
        assert_eq!(desk.reserve("pack"), None);
    }
}
