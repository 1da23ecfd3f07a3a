//! Instances that are kept in memory between turns. A cache, never the truth: dropping all of it changes nothing but time.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use everturn_store::{InstanceKey, Message, Time};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::parked::{Code, Parked};
use crate::host::Host;

/// How long one that is kept has a right to its place. Without it, more instances at work than there are places would drive
/// each other out, and none would ever be found.
const SETTLED: Duration = Duration::from_secs(1);

/// Instances that are kept between turns, at most so many. When all places are taken, a newcomer has that of who was used
/// longest ago, if that is long enough. And those go that were not used for some time: who waits for months costs nothing.
#[derive(Debug)]
pub(crate) struct Guests {
    limit: usize,
    kept: Mutex<Kept>,
    /// Told when there is one, after there was none.
    filled: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    guests: HashMap<InstanceKey, (u64, Box<Parked>, Code)>,
    /// By when they were put here.
    order: BTreeMap<u64, (InstanceKey, Instant)>,
    puts: u64,
}

impl Kept {
    fn take(&mut self, instance: InstanceKey) -> Option<(Box<Parked>, Code)> {
        let (put, parked, code) = self.guests.remove(&instance)?;
        self.order.remove(&put);
        Some((parked, code))
    }

    /// Takes out the one that was used longest ago.
    fn oldest(&mut self) -> Option<(Box<Parked>, Code)> {
        let (_, (key, _)) = self.order.pop_first()?;
        self.guests.remove(&key).map(|(_, parked, code)| (parked, code))
    }
}

impl Guests {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: Mutex::default(), filled: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().guests.len()
    }

    pub(crate) fn take(&self, instance: InstanceKey) -> Option<(Box<Parked>, Code)> {
        self.lock().take(instance)
    }

    /// Whether one more can be kept without another that goes for it.
    pub(crate) fn has_room(&self) -> bool {
        self.count() < self.limit
    }

    /// Takes out an instance for which something was read ahead that is visible by now, with that. None: nothing was, or it
    /// had a turn since.
    pub(crate) fn take_foreseen(&self, instance: InstanceKey, now: Time) -> Option<(Box<Parked>, Code, Vec<Message>)> {
        let (mut parked, code) = self.take(instance)?;
        let mut foreseen = std::mem::take(&mut parked.foreseen);
        foreseen.retain(|message| message.visible_at <= now);
        if foreseen.is_empty() {
            self.put(parked, code);
            return None;
        }
        Some((parked, code, foreseen))
    }

    pub(crate) fn put(&self, parked: Box<Parked>, code: Code) {
        if self.limit == 0 {
            return;
        }
        let gone = self.put_at(parked, code, Instant::now());
        // A guest takes its time to go: not under the lock.
        drop(gone);
    }

    /// Gives who has to go for it, which may be itself.
    fn put_at(&self, parked: Box<Parked>, code: Code, now: Instant) -> Option<(Box<Parked>, Code)> {
        let mut kept = self.lock();
        let mut gone = None;
        if kept.guests.len() >= self.limit {
            let oldest = kept.order.first_key_value().map(|(_, (_, put))| *put);
            if oldest.is_some_and(|oldest| now.saturating_duration_since(oldest) < SETTLED) {
                return Some((parked, code));
            }
            gone = kept.oldest();
        }
        let key = parked.instance.key;
        kept.puts += 1;
        let put = kept.puts;
        kept.order.insert(put, (key, now));
        kept.guests.insert(key, (put, parked, code));
        if kept.guests.len() == 1 {
            self.filled.notify_one();
        }
        gone
    }

    /// Takes out those that were put here before that time.
    fn unused_since(&self, time: Instant) -> Vec<(Box<Parked>, Code)> {
        let mut kept = self.lock();
        let mut unused = Vec::new();
        while kept.order.first_key_value().is_some_and(|(_, (_, put))| *put < time) {
            unused.extend(kept.oldest());
        }
        unused
    }

    pub(crate) fn clear(&self) {
        let kept = std::mem::take(&mut *self.lock());
        drop(kept);
    }
}

/// Lets those go that were not used for so long. Runs as long as the host, and sleeps while there are none.
pub(crate) async fn keeper(host: Arc<Host>, idle: Duration) {
    loop {
        tokio::select! {
            () = host.stopping.begun() => return,
            () = host.guests.filled.notified() => {}
        }
        while host.guests.count() > 0 {
            if host.stopping.pause(idle).await {
                return;
            }
            let unused = Instant::now().checked_sub(idle).map(|time| host.guests.unused_since(time));
            // Many may go at once, and each takes its time.
            let _ = tokio::task::spawn_blocking(move || drop(unused)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use everturn_history::{Timestamp, event};
    use everturn_store::{Instance, MessageId, Status};

    use super::*;
    use crate::remote::RemotePast;

    fn parked(key: i64) -> Box<Parked> {
        let instance = Instance {
            key: InstanceKey(key),
            id: key.to_string().as_str().into(),
            workflow: String::new(),
            version: None,
            deployment: None,
            assigned: None,
            execution_id: String::new(),
            generation: 0,
            status: Status::Running,
            stalled: None,
            stalled_reason: None,
            custom_status: None,
            outcome: None,
            created_at: Time::FIRST,
            starts_at: Time::FIRST,
            updated_at: Time::FIRST,
            ended_at: None,
            turns: 1,
            events: 0,
            history_bytes: 0,
            wants_turn: false,
            parent: None,
            tags: BTreeMap::new(),
        };
        Box::new(Parked { instance, start: None, foreseen: Vec::new() })
    }

    fn code() -> Code {
        Code::Remote(Box::new(RemotePast::of(&[])))
    }

    fn put(guests: &Guests, key: i64, at: Instant) {
        guests.put_at(parked(key), code(), at);
    }

    fn keys(guests: &Guests) -> Vec<i64> {
        (0..10).filter(|key| guests.lock().guests.contains_key(&InstanceKey(*key))).collect()
    }

    #[test]
    fn who_was_used_longest_ago_goes_for_a_newcomer() {
        let (guests, now) = (Guests::new(2), Instant::now());
        put(&guests, 1, now);
        put(&guests, 2, now);
        assert!(guests.take(InstanceKey(1)).is_some());
        put(&guests, 1, now + SETTLED);
        put(&guests, 3, now + SETTLED);
        assert_eq!(keys(&guests), [1, 3]);
    }

    #[test]
    fn who_has_just_come_is_not_driven_out() {
        let (guests, now) = (Guests::new(2), Instant::now());
        for round in 0..3 {
            for key in 1..=3 {
                drop(guests.take(InstanceKey(key)));
                put(&guests, key, now + SETTLED / 10 * round);
            }
            assert_eq!(keys(&guests), [1, 2], "each of them is found in every round");
        }
    }

    #[test]
    fn what_was_read_ahead_is_taken_with_its_instance_once_it_is_visible() {
        let (guests, at) = (Guests::new(10), Time::from_micros);
        let message = |id, visible_at| {
            let event = event::event_raised(Timestamp::default(), "go", "null");
            Message { id: MessageId(id), instance: InstanceKey(1), event, visible_at }
        };
        guests.put(parked(1), code());
        assert!(guests.take_foreseen(InstanceKey(1), at(9)).is_none(), "nothing was read for it");
        let foreseen = vec![message(7, at(10)), message(8, at(20))];
        guests.put(Box::new(Parked { foreseen: foreseen.clone(), ..*parked(1) }), code());
        let (taken, _, messages) = guests.take_foreseen(InstanceKey(1), at(19)).unwrap();
        assert_eq!(messages, foreseen[..1], "the other one is not visible");
        assert_eq!((taken.foreseen.len(), guests.count()), (0, 0));
        guests.put(Box::new(Parked { foreseen, ..*parked(1) }), code());
        assert!(guests.take_foreseen(InstanceKey(1), at(9)).is_none(), "it is too early");
        assert_eq!(keys(&guests), [1]);
    }

    #[test]
    fn who_was_not_used_for_some_time_goes() {
        let (guests, now) = (Guests::new(10), Instant::now());
        let later = now + SETTLED;
        put(&guests, 1, now);
        put(&guests, 2, now);
        put(&guests, 3, later);
        assert!(guests.take(InstanceKey(1)).is_some());
        put(&guests, 1, later);
        assert_eq!(guests.unused_since(later).len(), 1, "the second was not used since");
        assert_eq!(keys(&guests), [1, 3]);
        assert!(guests.unused_since(later).is_empty());
    }
}
