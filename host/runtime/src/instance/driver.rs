//! The driver of an instance: takes one turn after the other while there is work. There is at most one per instance, so
//! its turns are in order; turns of different instances run in parallel.

use std::sync::Arc;

use everturn_guest::RunError;
use everturn_history::StalledReason;
use everturn_store::{Instance, InstanceKey, Loaded, Message, StoreError};
use tokio::task::yield_now;

use super::mailroom::Work;
use super::trouble;
use super::turn;
use crate::RequestError;
use crate::host::Host;
use crate::remote;

/// The instance has something in its inbox.
pub(crate) fn wake(host: &Arc<Host>, instance: InstanceKey) {
    if host.mailroom.wake(instance) {
        start(host, instance);
    }
}

/// These messages are on disk, and visible.
pub(crate) fn deliver(host: &Arc<Host>, messages: Vec<Message>) {
    for message in messages {
        let instance = message.instance;
        if host.mailroom.deliver(message) {
            start(host, instance);
        }
    }
}

/// Gives an instance a driver.
pub(crate) fn start(host: &Arc<Host>, instance: InstanceKey) {
    tokio::spawn(drive(Arc::clone(host), instance, None));
}

/// Is the driver of an instance, which must have none. What was loaded of it just now spares its first turn to do so.
/// What is rare is in a box of its own: there are many drivers.
pub(crate) async fn drive(host: Arc<Host>, instance: InstanceKey, loaded: Option<Box<Loaded>>) {
    go_on(&host, instance, loaded, Streak::default()).await;
}

/// The same, after a turn of it that somebody else could not make.
pub(super) async fn drive_after(host: Arc<Host>, instance: InstanceKey, trouble: Trouble, work: Work) {
    let mut streak = Streak::default();
    Box::pin(trouble::handle(&host, instance, trouble, work, &mut streak)).await;
    go_on(&host, instance, None, streak).await;
}

async fn go_on(host: &Arc<Host>, instance: InstanceKey, mut loaded: Option<Box<Loaded>>, mut streak: Streak) {
    let mut had_turn = false;
    while !host.stopping.has_begun() {
        let Some(mut work) = host.mailroom.take(instance, host.options.messages_per_turn) else {
            remote::excuse(host, instance);
            return;
        };
        if std::mem::replace(&mut had_turn, true) {
            // What the last turn let go on goes on before this one, which may be long.
            yield_now().await;
        }
        match turn::take(host, instance, &mut work, loaded.take()).await {
            Ok(()) => streak = Streak::default(),
            Err(trouble) => Box::pin(trouble::handle(host, instance, trouble, work, &mut streak)).await,
        }
    }
    // What is not on disk was not acknowledged, and workers do it again.
    drop(host.mailroom.dismiss(instance));
}

/// What went wrong in a row.
#[derive(Debug, Default)]
pub(crate) struct Streak {
    /// How often the host could not run the guest.
    pub(crate) cut_off: u32,
    /// How often the instance had changed when the turn was to be written.
    pub(crate) conflicts: u32,
    /// How often remote workers gave the turn back.
    pub(crate) given_back: u32,
    /// Whether it was held, and let go since there was another version to try.
    pub(crate) was_released: bool,
}

/// Why a turn was not made.
pub(crate) enum Trouble {
    /// The instance has ended or is gone: there is nobody to tell.
    Gone,
    /// It is held.
    Held,
    /// The store says so.
    Store(StoreError),
    /// The component that it runs on cannot be had.
    Component(Box<Instance>, RequestError),
    /// Its guest cannot go on.
    Guest(Box<Instance>, RunError),
    /// No remote worker has a place for its turn. It waits for one.
    NoWorker,
    /// A remote worker had the turn and gave no answer.
    TurnLost {
        /// It said so.
        given_back: bool,
    },
    /// Somebody asks for its end while a remote worker has its turn.
    EndAsked(Box<Instance>),
    /// Its turn cannot be given to remote workers, or their code does not fit.
    Stalled(Box<Instance>, Option<StalledReason>, String),
}

impl From<StoreError> for Trouble {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
