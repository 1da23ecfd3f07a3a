//! Which handlers the instance has, by name. Names are compared without regard to case, as the host does with events.

use std::collections::BTreeMap;
use std::rc::Rc;

use futures::future::LocalBoxFuture;

use crate::error::Result;

/// What a signal or update does, once its input was read and found good.
pub(crate) type Begin<T> = Box<dyn FnOnce() -> Work<T>>;

/// Handles signals or updates of one name. An error: the input cannot be read, or was found wanting.
pub(crate) type Handler<T> = Rc<dyn Fn(&str) -> Result<Begin<T>>>;

/// Answers queries of one name.
pub(crate) type Query = Rc<dyn Fn(&str) -> Result<String>>;

/// A handler under way.
pub(crate) enum Work<T> {
    /// It has ended.
    Done(Result<T>),
    /// It waits.
    Open(LocalBoxFuture<'static, Result<T>>),
}

/// The handlers of one kind.
pub(crate) struct Handlers<H> {
    by_key: BTreeMap<String, (String, H)>,
    /// Counts the changes of the names.
    version: u64,
    /// Whether callers are told these names and no others.
    is_complete: bool,
}

/// All handlers of an instance.
#[derive(Default)]
pub(crate) struct Registry {
    pub(crate) signals: Handlers<Handler<()>>,
    pub(crate) updates: Handlers<Handler<String>>,
    pub(crate) queries: Handlers<Query>,
}

impl Registry {
    /// Says that what is here is what the component describes. A host takes the kinds of which it describes any at their
    /// word, and refuses other names before the workflow hears of them.
    pub(crate) fn complete(&mut self) {
        self.signals.complete();
        self.updates.complete();
        self.queries.complete();
    }
}

impl<H> Default for Handlers<H> {
    fn default() -> Self {
        Self { by_key: BTreeMap::new(), version: 0, is_complete: false }
    }
}

impl<H> Handlers<H> {
    fn complete(&mut self) {
        self.is_complete = !self.is_empty();
    }

    /// Whether a handler of this name could be reached.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        !self.is_complete || self.by_key.contains_key(&key(name))
    }

    /// Adds a handler, in the place of one that has the same name.
    pub(crate) fn add(&mut self, name: &str, handler: H) {
        self.version += 1;
        self.by_key.insert(key(name), (name.to_owned(), handler));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The names, as the workflow spells them.
    pub(crate) fn names(&self) -> Vec<String> {
        self.by_key.values().map(|(name, _)| name.clone()).collect()
    }
}

impl<H: Clone> Handlers<H> {
    pub(crate) fn find(&self, name: &str) -> Option<H> {
        self.by_key.get(&key(name)).map(|(_, handler)| handler.clone())
    }
}

fn key(name: &str) -> String {
    name.to_lowercase()
}
