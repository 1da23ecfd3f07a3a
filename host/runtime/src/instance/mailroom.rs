//! What instances have to do: messages on their way from a commit or a worker to the next turn, and who is at work.
//! At most one driver per instance, and none for an instance without work.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;
use everturn_store::{FinishedTask, INBOX_BYTES, InstanceKey, Message, MessageId, StoreError};
use prost::Message as _;
use tokio::sync::{Notify, oneshot};

/// Something for an instance's next turn.
#[derive(Debug)]
pub(crate) struct Delivery {
    /// What it says.
    pub(crate) event: HistoryEvent,
    /// How it came.
    pub(crate) source: Source,
}

/// How a delivery came.
#[derive(Debug)]
pub(crate) enum Source {
    /// From the inbox: the turn takes it out.
    Inbox(MessageId),
    /// From a worker: the turn deletes the task, and then the worker hears that its answer is on disk.
    Worker {
        /// The task and the worker's right to answer it.
        task: FinishedTask,
        /// Where to tell the worker.
        heard: oneshot::Sender<Result<(), StoreError>>,
    },
    /// With the instance itself, which begins with the turn that takes it.
    Start,
    /// From somebody who asks for a change and waits: it is on disk only if the guest accepts it, so it has a turn of its own.
    Update {
        /// Which update.
        id: String,
    },
}

/// How many updates may wait for one instance to take them.
const QUEUED_UPDATES: usize = 256;

/// More updates wait for an instance than it can take.
#[derive(Debug)]
pub(crate) struct TooManyUpdates;

/// What a driver is to do next.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// What is known to wait.
    pub(crate) deliveries: Vec<Delivery>,
    /// Whether the inbox on disk has to be looked at: there may be more than is known here.
    pub(crate) look: bool,
    /// Whether a turn is due without a message.
    pub(crate) wants_turn: bool,
}

/// The work of one instance that has a driver.
#[derive(Debug, Default)]
struct Pigeonhole {
    queue: VecDeque<Delivery>,
    look: bool,
    wants_turn: bool,
    /// Whether one of the messages that came asks for the end of the instance.
    ended: bool,
    /// How many bytes the messages in the queue have.
    bytes: usize,
    /// How often its driver took work.
    rounds: u64,
    /// Messages that were read from disk: their delivery by hand, if it is still on its way, comes late.
    read: HashSet<MessageId>,
}

impl Pigeonhole {
    fn is_idle(&self) -> bool {
        self.queue.is_empty() && !self.look && !self.wants_turn
    }

    /// These are all that its instance may see now. Its driver looks, unless he has had each of them: he may have taken some.
    fn look_for(&mut self, messages: &[Message]) {
        self.look |= !messages.iter().all(|message| self.read.contains(&message.id));
    }
}

/// The work of all instances.
#[derive(Debug)]
pub(crate) struct Mailroom {
    pigeonholes: Mutex<HashMap<InstanceKey, Pigeonhole>>,
    /// How many messages are kept per instance; beyond, they are read from disk later.
    limit: usize,
    /// Told when a message comes that asks for the end of some instance.
    end_asked: Notify,
    /// Told when some driver takes work, or has none.
    taken: Notify,
}

impl Mailroom {
    pub(crate) fn new(limit: usize) -> Self {
        Self { pigeonholes: Mutex::default(), limit, end_asked: Notify::new(), taken: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<InstanceKey, Pigeonhole>> {
        self.pigeonholes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a message came that asks for the end of an instance, since this was asked last.
    pub(crate) fn was_ended(&self, instance: InstanceKey) -> bool {
        self.lock().get_mut(&instance).is_some_and(|hole| std::mem::take(&mut hole.ended))
    }

    /// Resolves when a message has come that asks for the end of an instance, since that was asked last.
    pub(crate) async fn end_asked(&self, instance: InstanceKey) {
        loop {
            let asked = self.end_asked.notified();
            if self.lock().get(&instance).is_some_and(|hole| hole.ended) {
                return;
            }
            asked.await;
        }
    }

    /// Resolves when an instance has had its turns with all that is here for it now.
    pub(crate) async fn caught_up(&self, instance: InstanceKey) {
        let Some(asked) = self.lock().get(&instance).map(|hole| hole.rounds) else { return };
        loop {
            let taken = self.taken.notified();
            // What is under way came with this round, what is queued goes with the next, and the one after it begins when
            // that is on disk. A smaller number is that of another driver.
            let is_behind = |hole: &Pigeonhole| (asked..asked + 2).contains(&hole.rounds);
            if !self.lock().get(&instance).is_some_and(is_behind) {
                return;
            }
            taken.await;
        }
    }

    /// Whether an instance has a driver.
    pub(crate) fn is_busy(&self, instance: InstanceKey) -> bool {
        self.lock().contains_key(&instance)
    }

    /// How many answers of workers wait for a turn.
    pub(crate) fn answers(&self) -> usize {
        let is_answer = |delivery: &&Delivery| matches!(delivery.source, Source::Worker { .. });
        self.lock().values().map(|hole| hole.queue.iter().filter(is_answer).count()).sum()
    }

    /// How many instances have a driver.
    pub(crate) fn busy(&self) -> usize {
        self.lock().len()
    }

    /// The instance has something in its inbox. True: it needs a driver.
    #[must_use]
    pub(crate) fn wake(&self, instance: InstanceKey) -> bool {
        self.put(instance, |hole| hole.look = true)
    }

    /// The instance has a turn due. True: it needs a driver.
    #[must_use]
    pub(crate) fn want_turn(&self, instance: InstanceKey) -> bool {
        self.put(instance, |hole| hole.wants_turn = true)
    }

    /// A message that is on disk and visible. True: its instance needs a driver.
    #[must_use]
    pub(crate) fn deliver(&self, message: Message) -> bool {
        let asks_for_end = matches!(message.event.event_type, Some(EventType::ExecutionTerminated(_)));
        let needs_driver = self.put(message.instance, |hole| {
            hole.ended |= asks_for_end;
            if hole.look || hole.read.contains(&message.id) {
                return;
            }
            hole.bytes += message.event.encoded_len();
            if hole.queue.len() >= self.limit || hole.bytes > INBOX_BYTES {
                hole.look = true;
                return;
            }
            hole.queue.push_back(Delivery { event: message.event, source: Source::Inbox(message.id) });
        });
        if asks_for_end {
            self.end_asked.notify_waiters();
        }
        needs_driver
    }

    /// All that an instance may see was read from disk. True: it needs a driver. One that has a driver reads it again if
    /// there is anything new, since that may have taken some of it already.
    #[must_use]
    pub(crate) fn bring(&self, instance: InstanceKey, messages: Vec<Message>) -> bool {
        let mut holes = self.lock();
        match holes.entry(instance) {
            Entry::Occupied(mut hole) => {
                hole.get_mut().look_for(&messages);
                false
            }
            Entry::Vacant(place) => {
                let hole = place.insert(Pigeonhole::default());
                hole.read.extend(messages.iter().map(|message| message.id));
                let deliveries = messages.into_iter();
                hole.queue.extend(
                    deliveries.map(|message| Delivery { event: message.event, source: Source::Inbox(message.id) }),
                );
                true
            }
        }
    }

    /// The same, for somebody who wants to be its driver, and has that as his first work. None: it has a driver.
    pub(crate) fn enter_with(&self, instance: InstanceKey, messages: Vec<Message>) -> Option<Work> {
        // Made before it is locked: many come at the same time.
        let read = messages.iter().map(|message| message.id).collect();
        let entered = Pigeonhole { rounds: 1, read, ..Pigeonhole::default() };
        match self.lock().entry(instance) {
            Entry::Occupied(mut hole) => {
                hole.get_mut().look_for(&messages);
                return None;
            }
            Entry::Vacant(place) => {
                place.insert(entered);
            }
        }
        let deliveries = messages.into_iter();
        let deliveries = deliveries.map(|message| Delivery { event: message.event, source: Source::Inbox(message.id) });
        Some(Work { deliveries: deliveries.collect(), look: false, wants_turn: false })
    }

    /// Whether something is here for an instance that its driver has not taken.
    pub(crate) fn has_work(&self, instance: InstanceKey) -> bool {
        self.lock().get(&instance).is_some_and(|hole| !hole.is_idle())
    }

    /// So many instances will have drivers soon.
    pub(crate) fn expect(&self, instances: usize) {
        self.lock().reserve(instances);
    }

    /// An answer of a worker, which is not on disk. True: its instance needs a driver.
    #[must_use]
    pub(crate) fn answer(&self, instance: InstanceKey, delivery: Delivery) -> bool {
        self.put(instance, |hole| hole.queue.push_back(delivery))
    }

    /// An update, which is not on disk. True: its instance needs a driver. An error: too many wait already.
    pub(crate) fn update(&self, instance: InstanceKey, delivery: Delivery) -> Result<bool, TooManyUpdates> {
        let mut holes = self.lock();
        let queued = holes.get(&instance).into_iter().flat_map(|hole| &hole.queue);
        let updates = queued.filter(|queued| matches!(queued.source, Source::Update { .. }));
        let (count, bytes) = updates.fold((1, delivery.event.encoded_len()), |(count, bytes), queued| {
            (count + 1, bytes + queued.event.encoded_len())
        });
        if count > QUEUED_UPDATES || bytes > INBOX_BYTES {
            return Err(TooManyUpdates);
        }
        let needs_driver = !holes.contains_key(&instance);
        holes.entry(instance).or_default().queue.push_back(delivery);
        Ok(needs_driver)
    }

    /// Somebody wants to be the driver of an instance. False: it has one.
    #[must_use]
    pub(crate) fn enter(&self, instance: InstanceKey) -> bool {
        self.put(instance, |_| {})
    }

    /// Its driver leaves. False: there is work for it, so it stays.
    #[must_use]
    pub(crate) fn leave(&self, instance: InstanceKey) -> bool {
        let mut holes = self.lock();
        let is_idle = holes.get(&instance).is_none_or(Pigeonhole::is_idle);
        if is_idle {
            holes.remove(&instance);
            self.taken.notify_waiters();
        }
        is_idle
    }

    fn put(&self, instance: InstanceKey, put: impl FnOnce(&mut Pigeonhole)) -> bool {
        let mut holes = self.lock();
        let needs_driver = !holes.contains_key(&instance);
        put(holes.entry(instance).or_default());
        needs_driver
    }

    /// The next work of an instance, for its driver. None: there is none, and the driver is dismissed.
    pub(crate) fn take(&self, instance: InstanceKey, limit: usize) -> Option<Work> {
        let mut holes = self.lock();
        self.taken.notify_waiters();
        let hole = holes.get_mut(&instance)?;
        if hole.is_idle() {
            holes.remove(&instance);
            return None;
        }
        hole.rounds += 1;
        let look = std::mem::take(&mut hole.look);
        if look {
            // They are on disk, where their order is known.
            hole.queue.retain(|delivery| !matches!(delivery.source, Source::Inbox(_)));
        }
        hole.bytes = 0;
        let is_update = |delivery: &Delivery| matches!(delivery.source, Source::Update { .. });
        let before_update = hole.queue.iter().position(is_update).unwrap_or(hole.queue.len());
        // Alone, and not before what is on disk.
        let count = if before_update == 0 && !look { hole.queue.len().min(1) } else { before_update };
        let count = count.min(limit);
        let deliveries: Vec<_> = hole.queue.drain(..count).collect();
        // The turn of an update may come to nothing, and would take with it what is due.
        let wants_turn = !deliveries.iter().any(is_update) && std::mem::take(&mut hole.wants_turn);
        Some(Work { deliveries, look, wants_turn })
    }

    /// Work that was not done comes first again. What is on disk is read from there.
    pub(crate) fn put_back(&self, instance: InstanceKey, work: Work) {
        let mut holes = self.lock();
        let hole = holes.entry(instance).or_default();
        for delivery in work.deliveries.into_iter().rev() {
            match delivery.source {
                Source::Inbox(_) => hole.look = true,
                Source::Worker { .. } | Source::Update { .. } | Source::Start => hole.queue.push_front(delivery),
            }
        }
        hole.look |= work.look;
        hole.wants_turn |= work.wants_turn;
    }

    /// These were read from disk.
    pub(crate) fn were_read(&self, instance: InstanceKey, messages: impl Iterator<Item = MessageId>) {
        let mut holes = self.lock();
        let hole = holes.entry(instance).or_default();
        if hole.read.len() >= self.limit {
            hole.read.clear();
        }
        hole.read.extend(messages);
        let Pigeonhole { queue, read, .. } = hole;
        queue.retain(|delivery| !matches!(&delivery.source, Source::Inbox(id) if read.contains(id)));
    }

    /// Sends the driver away, whatever there is: the instance gets no turn at present. Gives what was queued.
    pub(crate) fn dismiss(&self, instance: InstanceKey) -> Vec<Delivery> {
        self.taken.notify_waiters();
        self.lock().remove(&instance).map(|hole| hole.queue.into()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
