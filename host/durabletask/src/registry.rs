//! What was sent to which worker and has no answer yet: who may answer, and in which dialect.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everturn_history::{InstanceId, SequenceId};
use everturn_store::Token;

use crate::Limits;
use crate::protocol::WorkflowResponse;
use crate::wire::{Chunks, Progress, RefusedAnswer, StreamDialect};

/// What a work item is about: a turn of an instance, or one of its activities.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    pub(crate) instance: InstanceId,
    /// None: a turn.
    pub(crate) task: Option<SequenceId>,
}

/// What was sent, and to whom.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) token: Token,
    pub(crate) dialect: Arc<StreamDialect>,
}

/// Why nobody's answer was found for what a worker shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stranger {
    /// The token is not known any more: the answer is late.
    Late,
    /// The token belongs to something else.
    Foreign,
    /// Without a token, it has to come from the connection that the item was sent to.
    NotThere,
}

#[derive(Debug)]
struct Item {
    subject: Subject,
    peer: SocketAddr,
    dialect: Arc<StreamDialect>,
    stream: u64,
    chunks: Option<Chunks>,
}

#[derive(Debug, Default)]
struct State {
    items: HashMap<Token, Item>,
    /// Each subject is with one worker at a time: what is sent again takes the place of what was sent before.
    subjects: HashMap<Subject, Token>,
    /// Bytes of answers that are not complete.
    unfinished: usize,
}

impl State {
    fn remove(&mut self, token: Token) {
        let Some(item) = self.items.remove(&token) else { return };
        self.unfinished -= item.chunks.map_or(0, |chunks| chunks.bytes());
        if self.subjects.get(&item.subject) == Some(&token) {
            self.subjects.remove(&item.subject);
        }
    }
}

/// All that was sent by one listener.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    state: Mutex<State>,
    streams: AtomicU64,
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many items have no answer yet.
    pub(crate) fn len(&self) -> usize {
        self.lock().items.len()
    }

    /// A worker connects that has at most so many items at the same time.
    pub(crate) fn connect(self: &Arc<Self>, peer: SocketAddr, dialect: Arc<StreamDialect>, capacity: usize) -> Stream {
        let id = self.streams.fetch_add(1, Ordering::Relaxed);
        Stream { registry: Arc::clone(self), id, peer, dialect, capacity, sent: VecDeque::new() }
    }

    /// What this worker answers. With a token it is the item of that token, and it has to be about that; without one,
    /// the item that was sent over the same connection.
    pub(crate) fn find(&self, token: Option<Token>, peer: SocketAddr, subject: &Subject) -> Result<Sent, Stranger> {
        let state = self.lock();
        let (token, item) = if let Some(token) = token {
            let item = state.items.get(&token).ok_or(Stranger::Late)?;
            if item.subject != *subject {
                return Err(Stranger::Foreign);
            }
            (token, item)
        } else {
            let token = *state.subjects.get(subject).ok_or(Stranger::NotThere)?;
            (token, state.items.get(&token).filter(|item| item.peer == peer).ok_or(Stranger::NotThere)?)
        };
        Ok(Sent { token, dialect: Arc::clone(&item.dialect) })
    }

    /// Whether this is the token of a turn, or of an activity, that a worker has.
    pub(crate) fn has(&self, token: Token, is_turn: bool) -> bool {
        self.lock().items.get(&token).is_some_and(|item| item.subject.task.is_none() == is_turn)
    }

    /// Takes a piece of the answer to a turn. More: the rest has to come.
    pub(crate) fn collect(
        &self,
        token: Token,
        piece: WorkflowResponse,
        limits: &Limits,
    ) -> Result<Progress, RefusedAnswer> {
        let mut state = self.lock();
        let state = &mut *state;
        let Some(item) = state.items.get_mut(&token) else { return Ok(Progress::More) };
        let mut chunks = item.chunks.take().unwrap_or_default();
        state.unfinished -= chunks.bytes();
        let room = limits.unfinished_answers.saturating_sub(state.unfinished);
        let progress = chunks.add(piece, limits.actions, limits.answer.min(room))?;
        if matches!(progress, Progress::More) {
            state.unfinished += chunks.bytes();
            item.chunks = Some(chunks);
        }
        Ok(progress)
    }

    /// The item has its answer, or nobody waits for one.
    pub(crate) fn remove(&self, token: Token) {
        self.lock().remove(token);
    }
}

/// What was sent to one worker. Dropped, it has nothing any more.
#[derive(Debug)]
pub(crate) struct Stream {
    registry: Arc<Registry>,
    id: u64,
    peer: SocketAddr,
    dialect: Arc<StreamDialect>,
    capacity: usize,
    sent: VecDeque<Token>,
}

impl Stream {
    /// Who it is.
    pub(crate) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// This is about to be sent to the worker.
    pub(crate) fn send(&mut self, token: Token, subject: Subject) {
        let mut state = self.registry.lock();
        if let Some(before) = state.subjects.insert(subject.clone(), token) {
            state.remove(before);
        }
        let (peer, dialect) = (self.peer, Arc::clone(&self.dialect));
        state.items.insert(token, Item { subject, peer, dialect, stream: self.id, chunks: None });
        self.sent.push_back(token);
        if self.sent.len() > 2 * self.capacity {
            // Most have their answers. A worker that never gives any does not make this grow: the oldest are forgotten.
            self.sent.retain(|token| state.items.get(token).is_some_and(|item| item.stream == self.id));
            while self.sent.len() > self.capacity {
                self.sent.pop_front().into_iter().for_each(|token| state.remove(token));
            }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut state = self.registry.lock();
        let sent: HashSet<_> = self.sent.drain(..).collect();
        sent.into_iter().for_each(|token| state.remove(token));
    }
}

#[cfg(test)]
mod tests;
