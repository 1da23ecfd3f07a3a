//! What all stories are told with: a store, and short ways to say what happens to it.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use everturn_history::history_event::EventType;
use everturn_history::{
    ExecutionCompletedEvent, HistoryEvent, InstanceId, OrchestrationStatus, ParentClosePolicy, SequenceId,
    TaskScheduledEvent, event,
};

use super::Open;
use crate::{
    Address, Beginning, CloseChildren, Committed, EncodedEvents, IfExists, Instance, InstanceKey, Lease, Message,
    MessageId, NewInstance, NewMessage, NewTask, ParentLink, Started, Status, Store, StoreError, Time, Token, Turn,
    Visible,
};

/// A store under test, and how to open it again.
pub struct Scene {
    open: Open,
    store: Option<Arc<dyn Store>>,
}

impl Deref for Scene {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        self.store.as_deref().unwrap()
    }
}

impl Scene {
    /// Opens the store.
    pub fn new(open: Open) -> Self {
        let store = Some(open());
        Self { open, store }
    }

    /// The store, to give it to threads.
    pub(super) fn shared(&self) -> Arc<dyn Store> {
        Arc::clone(self.store.as_ref().unwrap())
    }

    /// The store goes without a word, and comes back.
    pub(super) fn crash(&mut self) {
        self.store = None;
        self.store = Some((self.open)());
    }

    /// An instance that is pending.
    /// A turn that nobody else looks at.
    pub(super) async fn commit(&self, turn: Turn) -> Result<Committed, StoreError> {
        self.shared().commit(Arc::new(turn)).await
    }

    pub(super) async fn started(&self, id: &str) -> InstanceKey {
        made(&self.start(instance(id)).await.unwrap().0)
    }

    /// An instance that had its first turn and waits.
    pub(super) async fn running(&self, id: &str) -> InstanceKey {
        let key = self.started(id).await;
        let consumed = self.waiting(key).await;
        self.commit(Turn { consumed, ..turn(key, 0) }).await.unwrap();
        key
    }

    /// An instance that ran and ended, at this time.
    pub(super) async fn ended(&self, id: &str, status: Status, when: Time) -> InstanceKey {
        let key = self.running(id).await;
        self.commit(Turn { at: when, ..end(key, 1, status) }).await.unwrap();
        key
    }

    /// What an instance may see at the end of time: all that waits for it.
    pub(super) async fn everything(&self, key: InstanceKey) -> Vec<Message> {
        self.inbox(key, Time::from_micros(i64::MAX), 1_000).await.unwrap()
    }

    /// The numbers of those.
    pub(super) async fn waiting(&self, key: InstanceKey) -> Vec<MessageId> {
        self.everything(key).await.iter().map(|message| message.id).collect()
    }

    /// Their names.
    pub(super) async fn names(&self, key: InstanceKey) -> Vec<String> {
        names(&self.everything(key).await)
    }

    /// What is kept of an instance.
    pub(super) async fn state(&self, key: InstanceKey) -> Instance {
        self.load(key).await.unwrap().unwrap().instance
    }

    /// Raises an event for an instance.
    pub(super) async fn raise(&self, key: InstanceKey, name: &str, visible: Visible) -> Committed {
        self.send(message(key, name, visible)).await.unwrap()
    }
}

/// So many seconds after some point in time.
pub(super) fn at(seconds: i64) -> Time {
    Time::from_micros(1_800_000_000_000_000 + seconds * 1_000_000)
}

/// An event with this name.
pub(super) fn raised(name: &str) -> HistoryEvent {
    event::event_raised(at(0).to_timestamp(), name, "null")
}

/// A message with this name.
pub(super) fn message(key: InstanceKey, name: &str, visible: Visible) -> NewMessage {
    NewMessage { to: Address::Key(key), event: raised(name), visible, task: None }
}

/// A timer of an instance.
pub(super) fn timer(key: InstanceKey, task: i32, when: Time) -> NewMessage {
    let task = SequenceId::new(task);
    let event = event::timer_fired(when.to_timestamp(), task);
    NewMessage { to: Address::Key(key), event, visible: Visible::Later(when), task: Some(task) }
}

/// What messages are called: events by their names, others by what they are.
pub(super) fn names(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| name(&message.event)).collect()
}

fn name(event: &HistoryEvent) -> String {
    match &event.event_type {
        Some(EventType::EventRaised(raised)) => raised.name.clone(),
        Some(EventType::TimerFired(fired)) => format!("timer {}", fired.timer_id),
        Some(EventType::ExecutionStarted(_)) => "start".to_owned(),
        Some(EventType::ExecutionTerminated(_)) => "terminate".to_owned(),
        other => panic!("no story has this: {other:?}"),
    }
}

/// An instance to be made, at time 0.
pub(super) fn instance(id: &str) -> NewInstance {
    let id = InstanceId::from(id);
    let beginning = Beginning::Start(event::execution_started(at(0).to_timestamp(), &id, "order", "null"));
    NewInstance {
        execution_id: format!("first run of {id}"),
        id,
        workflow: "order".to_owned(),
        version: None,
        deployment: None,
        created_at: at(0),
        starts_at: at(0),
        parent: None,
        tags: BTreeMap::new(),
        beginning,
        if_exists: IfExists::Fail,
    }
}

/// An instance to be made, as the child of another.
pub(super) fn child(id: &str, parent: &str, close: ParentClosePolicy) -> NewInstance {
    let parent = ParentLink {
        instance: parent.into(),
        execution_id: format!("first run of {parent}"),
        task: SequenceId::new(4),
        close,
    };
    NewInstance { parent: Some(parent), ..instance(id) }
}

/// The number of what was made.
pub(super) fn made(started: &Started) -> InstanceKey {
    match started {
        Started::Made { instance, .. } => *instance,
        Started::Kept(_) => panic!("nothing was made"),
    }
}

/// Events as turns give them.
pub(super) fn events(names: &[&str]) -> EncodedEvents {
    EncodedEvents::of(&names.iter().map(|name| raised(name)).collect::<Vec<_>>())
}

/// A turn that changes nothing but that it was.
pub(super) fn turn(instance: InstanceKey, number: u64) -> Turn {
    Turn {
        instance,
        number,
        at: at(1),
        events: EncodedEvents::default(),
        consumed: vec![],
        finished: vec![],
        settled: vec![],
        messages: vec![],
        tasks: vec![],
        instances: vec![],
        status: Status::Running,
        outcome: None,
        custom_status: None,
        wants_turn: false,
        assigned: None,
        moved: None,
        restart: None,
        children: CloseChildren::Keep,
    }
}

/// A turn that ends an instance.
pub(super) fn end(instance: InstanceKey, number: u64, status: Status) -> Turn {
    Turn { status, outcome: Some(outcome(status)), ..turn(instance, number) }
}

/// How an instance ended.
pub(super) fn outcome(status: Status) -> ExecutionCompletedEvent {
    let workflow_status: OrchestrationStatus = status.to_protocol();
    ExecutionCompletedEvent { workflow_status: workflow_status.into(), result: None, failure_details: None }
}

/// A task that waits for a worker.
pub(super) fn task(number: i32, activity: &str) -> NewTask {
    let scheduled = TaskScheduledEvent { name: activity.to_owned(), attempt: 1, ..TaskScheduledEvent::default() };
    NewTask { task: SequenceId::new(number), scheduled, at: at(1), lease: None }
}

/// A lease, told from others by this.
pub(super) fn lease(mark: u8) -> Lease {
    Lease { token: Token([mark; 16]), until: None }
}
