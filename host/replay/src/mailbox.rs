//! Events raised to the instance: those that nobody waits for yet, and those who wait.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use everturn_history::HistoryEvent;
use everturn_history::history_event::EventType;

use crate::Task;

/// Unread events and waiting tasks, by name without regard to case. A name never has both.
#[derive(Debug, Default)]
pub(crate) struct Mailbox {
    unread: BTreeMap<String, VecDeque<Letter>>,
    /// Tasks are numbered as they are made, so the smallest is the first in line.
    waiting: BTreeMap<String, BTreeSet<Task>>,
    arrivals: u64,
}

#[derive(Debug)]
struct Letter {
    arrival: u64,
    event: HistoryEvent,
    payload: String,
}

/// The form in which names are compared.
pub(crate) fn key(name: &str) -> String {
    name.to_lowercase()
}

impl Mailbox {
    /// Gives an event to the first in line, or keeps it. `event` is what continue-as-new would carry over.
    pub(crate) fn deliver(&mut self, name: &str, payload: String, event: HistoryEvent) -> Option<(Task, String)> {
        let key = key(name);
        if let Some(task) = self.first_in_line(&key) {
            self.forget(&key, task);
            return Some((task, payload));
        }
        self.arrivals += 1;
        let letter = Letter { arrival: self.arrivals, event, payload };
        self.unread.entry(key).or_default().push_back(letter);
        None
    }

    /// The oldest unread event of any of these names, with its name as its sender spelt it.
    pub(crate) fn take_first(&mut self, keys: &[String]) -> Option<(String, String)> {
        let oldest = |key: &&String| self.unread.get(*key).and_then(|letters| letters.front()).map(|it| it.arrival);
        let key = keys.iter().filter(|key| oldest(key).is_some()).min_by_key(oldest)?;
        let letters = self.unread.get_mut(key)?;
        let letter = letters.pop_front();
        if letters.is_empty() {
            self.unread.remove(key);
        }
        let letter = letter?;
        let name = match letter.event.event_type {
            Some(EventType::EventRaised(raised)) => raised.name,
            _ => key.clone(),
        };
        Some((name, letter.payload))
    }

    /// The oldest unread event of this name.
    pub(crate) fn take(&mut self, key: &str) -> Option<String> {
        self.take_first(&[key.to_owned()]).map(|(_, payload)| payload)
    }

    pub(crate) fn wait(&mut self, key: String, task: Task) {
        self.waiting.entry(key).or_default().insert(task);
    }

    pub(crate) fn forget(&mut self, key: &str, task: Task) {
        if let Some(line) = self.waiting.get_mut(key) {
            line.remove(&task);
            if line.is_empty() {
                self.waiting.remove(key);
            }
        }
    }

    /// All unread events in the order of their arrival.
    pub(crate) fn unread_in_order(&self) -> Vec<HistoryEvent> {
        let mut letters: Vec<&Letter> = self.unread.values().flatten().collect();
        letters.sort_unstable_by_key(|letter| letter.arrival);
        letters.into_iter().map(|letter| letter.event.clone()).collect()
    }

    fn first_in_line(&self, key: &str) -> Option<Task> {
        self.waiting.get(key)?.first().copied()
    }
}
