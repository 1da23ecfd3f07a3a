//! What is under way on a server, for those who watch over it.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::registry::Registry;

/// What is under way on a server. It shows what is, whenever it is asked.
#[derive(Clone, Debug)]
pub struct Usage {
    registry: Arc<Registry>,
    streams: Room,
    waiting: Room,
}

/// Places, some of which are taken.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    pub(crate) places: Arc<Semaphore>,
    pub(crate) limit: usize,
}

impl Room {
    pub(crate) fn new(limit: usize) -> Self {
        let limit = limit.min(Semaphore::MAX_PERMITS);
        Self { places: Arc::new(Semaphore::new(limit)), limit }
    }

    fn taken(&self) -> usize {
        self.limit - self.places.available_permits()
    }
}

impl Usage {
    pub(crate) fn new(registry: Arc<Registry>, streams: Room, waiting: Room) -> Self {
        Self { registry, streams, waiting }
    }

    /// Workers that are connected.
    pub fn streams(&self) -> usize {
        self.streams.taken()
    }

    /// Turns and activities that workers have and have not answered.
    pub fn items(&self) -> usize {
        self.registry.len()
    }

    /// Calls that wait for an instance.
    pub fn waiting(&self) -> usize {
        self.waiting.taken()
    }
}
