//! The first turn of a new instance: taken before there is anything on disk, so that one commit has the instance and its
//! turn. Nothing leaves the process before that commit, as with any other turn.

use std::sync::Arc;
use std::time::Duration;

use everturn_guest::LiveGuest;
use everturn_store::{
    Beginning, Committed, DeploymentId, Instance, InstanceKey, NewInstance, Started, Status, StoreError,
};

use super::aftermath;
use super::driver;
use super::mailroom::{Delivery, Source, Work};
use super::parked::{Code, Parked};
use super::plan::{Plan, plan};
use super::run::{self, NewTurn, Play, Played};
use super::stage;
use super::turn;
use crate::host::Host;

/// How long a new instance waits for others that have work.
const PATIENCE: Duration = Duration::from_secs(1);

/// A turn that was taken and is not on disk.
struct FirstTurn {
    parked: Box<Parked>,
    guest: Box<LiveGuest>,
    played: Box<Played>,
    plan: Box<Plan>,
}

/// Makes an instance. If its first turn can be taken here and now, it is made with that.
pub(crate) async fn make(host: &Arc<Host>, new: NewInstance) -> Result<(Started, Committed), StoreError> {
    // What has begun goes on first: otherwise more and more would be under way, and none would come to its end. Whoever asks
    // while others always have work waits this long.
    let _ = tokio::time::timeout(PATIENCE, host.pressure.calm()).await;
    let made = make_now(host, new).await;
    host.pressure.pass_on();
    made
}

async fn make_now(host: &Arc<Host>, mut new: NewInstance) -> Result<(Started, Committed), StoreError> {
    // It is never closed.
    let Ok(_room) = host.in_progress.acquire().await else { return Err(StoreError::Closed) };
    let Some(mut first) = take(host, &new).await else { return host.store.start(new).await };
    let turn = Arc::new(first.plan.turn);
    new.beginning = Beginning::Turn(Arc::clone(&turn));
    let (started, committed) = host.store.start(new).await?;
    match started {
        Started::Made { instance, .. } => {
            first.plan.turn = Arc::unwrap_or_clone(turn);
            first.follow_up(host, instance, committed);
            Ok((started, Committed::default()))
        }
        Started::Kept(_) => Ok((started, committed)),
    }
}

/// Takes the first turn of an instance that is about to be made. None: it begins with its start and has its turn later,
/// because remote workers take it, because it is not due, or because its guest does something that is for a driver to handle.
async fn take(host: &Arc<Host>, new: &NewInstance) -> Option<FirstTurn> {
    let (deployment, at) = (new.deployment?, new.created_at);
    let Beginning::Start(start) = &new.beginning else { return None };
    if new.starts_at > at {
        return None;
    }
    let component = host.deployments.component(host, deployment).await.ok()?;
    let turn = NewTurn { history: Vec::new(), moved: None, messages: vec![start.clone()], at };
    let stage = stage::enter(&host.turns, &host.clock).await;
    let (mut guest, played) = stage.play(Box::new(LiveGuest::new(&component)), turn).await.ok()?;
    let Ok(Play::Played) = played else { return None };
    let played = run::close(&mut guest, None, at);
    let (instance, status) = (instance(new, deployment), turn::status(&guest));
    let delivery = Delivery { event: start.clone(), source: Source::Start };
    let plan = plan(host, &instance, None, &[delivery], &played, status, at);
    if plan.turn.restart.is_some() {
        return None;
    }
    let parked = Box::new(Parked { instance, start: plan.start.clone(), foreseen: Vec::new() });
    Some(FirstTurn { parked, guest, played, plan })
}

/// What the store will have of it before its turn, but for its number.
fn instance(new: &NewInstance, deployment: DeploymentId) -> Instance {
    Instance {
        key: InstanceKey(0),
        id: new.id.clone(),
        workflow: new.workflow.clone(),
        version: new.version.clone(),
        deployment: Some(deployment),
        assigned: None,
        execution_id: new.execution_id.clone(),
        generation: 0,
        status: Status::Pending,
        stalled: None,
        stalled_reason: None,
        custom_status: None,
        outcome: None,
        created_at: new.created_at,
        starts_at: new.starts_at,
        updated_at: new.created_at,
        ended_at: None,
        turns: 0,
        events: 0,
        history_bytes: 0,
        wants_turn: false,
        parent: new.parent.clone(),
        tags: new.tags.clone(),
    }
}

impl FirstTurn {
    /// It is on disk: lets out what it caused, as the instance's driver.
    fn follow_up(self, host: &Arc<Host>, instance: InstanceKey, committed: Committed) {
        let Self { mut parked, guest, played, mut plan } = self;
        host.counters.turns.one();
        parked.instance.key = instance;
        plan.turn.instance = instance;
        if host.mailroom.enter(instance) {
            aftermath::of_turn(host, parked, Code::Guest(guest), played, plan, committed, Work::default());
            if !host.mailroom.leave(instance) {
                driver::start(host, instance);
            }
        } else {
            // Somebody has sent it something already, so it has a driver, which may know more than this guest.
            aftermath::update(host, &mut parked.instance, &plan.turn);
            aftermath::announce(host, &parked.instance, plan.turn, plan.reservations, committed, Work::default());
        }
    }
}
