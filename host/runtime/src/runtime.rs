//! The runtime: opened on a store, stopped when it is done. What clients ask of it is in `clients` and `again`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use everturn_activity::Outcome;
use everturn_guest::WorkflowDescription;
use everturn_history::{InstanceId, StalledReason};
use everturn_store::{Deployment, Store, StoreError, Time, Token};
use tokio::sync::{Notify, Semaphore, broadcast};

use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::deployments::Deployments;
use crate::dispatch::{self, Dispatcher, TaskAnswer, Worker, WorkerOptions};
use crate::gate::{GateReport, OnProgress};
use crate::health::{Health, Monitor};
use crate::host::Host;
use crate::instance::mailroom::Mailroom;
use crate::instance::{self, Guests};
use crate::interaction::{Asked, PendingUpdates};
use crate::options::IN_PROGRESS;
use crate::persist::to_the_end;
use crate::pressure::Pressure;
use crate::remote::{self, Orchestrator, OrchestratorOptions, Remotes, TurnAnswer};
use crate::requests::{ActivateRequest, DeployRequest, Deployed, Moving, RolledBack};
use crate::statistics::{Counters, Statistics};
use crate::stopping::Stopping;
use crate::watch::{Change, Watchers};
use crate::{OpenError, Options, RequestError, foresight, retention, sleeper};

/// How long to wait between two looks at whether everything has come to rest, while stopping.
const REST_CHECK: Duration = Duration::from_millis(5);

/// A running host. Cheap to clone; all clones are the same host. It goes on until [`stop`](Self::stop).
#[derive(Clone)]
pub struct Runtime {
    pub(crate) host: Arc<Host>,
}

impl Runtime {
    /// Opens a host on a store: everything that was under way goes on. Has to be called on a tokio runtime with time
    /// (and I/O, for activities that use it).
    pub async fn open(store: Arc<dyn Store>, options: Options) -> Result<Self, OpenError> {
        let clock = Clock::default();
        let opened_at = clock.now();
        let recovered = store.recover(opened_at).await?;
        let deployments = Deployments::open(&options, store.deployments().await?, store.routes().await?)?;
        let waiting = store.waiting_activities().await?;
        let remote = Remotes::new(store.remote_workflows().await?);
        let host = Arc::new(Host {
            store,
            clock,
            mailroom: Mailroom::new(options.queued_messages),
            guests: Guests::new(options.live_guests),
            in_progress: Arc::new(Semaphore::new(IN_PROGRESS)),
            pressure: Arc::new(Pressure::default()),
            turns: Semaphore::new(options.parallel_turns.max(1)),
            questions: Arc::new(Semaphore::new((options.parallel_turns / 2).max(1))),
            deployments,
            dispatcher: Dispatcher::new(options.parallel_activities.max(1), options.lease),
            remote,
            asked: Asked::default(),
            updates: PendingUpdates::default(),
            alarm: Alarm::new(opened_at),
            ended: Notify::new(),
            watchers: Watchers::default(),
            health: Monitor::default(),
            counters: Counters::default(),
            stopping: Stopping::default(),
            options,
        });
        let runtime = Self { host };
        runtime.host.deployments.offer_activities(&runtime.host);
        for (activity, _) in waiting {
            runtime.host.dispatcher.expect(&activity);
        }
        tokio::spawn(dispatch::matcher(Arc::clone(&runtime.host)));
        tokio::spawn(remote::releaser(Arc::clone(&runtime.host)));
        tokio::spawn(retention::keeper(Arc::clone(&runtime.host)));
        tokio::spawn(instance::keeper(Arc::clone(&runtime.host), runtime.host.options.guest_idle));
        tokio::spawn(foresight::foresight(Arc::clone(&runtime.host)));
        tokio::spawn(sleeper::sleeper(Arc::clone(&runtime.host), recovered));
        let host = Arc::clone(&runtime.host);
        tokio::spawn(async move { host.deployments.release_left(&host).await });
        Ok(runtime)
    }

    /// Makes a component available: it is checked, compiled, held against the history of every open instance of its
    /// workflows, and stored; new starts and calls go to it. If it cannot run what is open, it is stored and nothing goes
    /// to it, unless all that is open stays where it is.
    pub async fn deploy(&self, request: DeployRequest) -> Result<Deployed, RequestError> {
        self.deploy_watched(request, None).await
    }

    /// The same; somebody is told how far the gate is.
    pub async fn deploy_watched(
        &self,
        request: DeployRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Deployed, RequestError> {
        self.require_open()?;
        let runtime = self.clone();
        to_the_end(async move { runtime.host.deployments.deploy(&runtime.host, request, on_progress).await }).await
    }

    /// Makes a deployment that is there the active one, through the gate as well.
    pub async fn activate(
        &self,
        request: ActivateRequest,
        on_progress: Option<OnProgress>,
    ) -> Result<Deployed, RequestError> {
        self.require_open()?;
        let runtime = self.clone();
        to_the_end(async move { runtime.host.deployments.activate(&runtime.host, request, on_progress).await }).await
    }

    /// Undoes the last activation: names lead where they led before, and those open instances that moved move back, if
    /// they still fit.
    pub async fn roll_back(&self) -> Result<RolledBack, RequestError> {
        self.require_open()?;
        let runtime = self.clone();
        to_the_end(async move { runtime.host.deployments.roll_back(&runtime.host).await }).await
    }

    /// Gives up a deployment that no name leads to and no open instance needs. Its component is not kept. With `drop_names`,
    /// names that no other deployment has do not count: they lead nowhere from now on, and are given.
    pub async fn retire(&self, label: &str, drop_names: bool) -> Result<Vec<String>, RequestError> {
        self.require_open()?;
        let (runtime, label) = (self.clone(), label.to_owned());
        to_the_end(async move { runtime.host.deployments.retire(&runtime.host, &label, drop_names).await }).await
    }

    /// Has an open instance move to a version at once, and go on if it is held. It stays where it is if its history does not
    /// fit; what does not fit is told, and then nothing has happened.
    pub async fn move_to(&self, id: &InstanceId, label: &str) -> Result<(), RequestError> {
        self.require_open()?;
        let (instance, runtime) = (self.find(id).await?, self.clone());
        if instance.status.is_ended() {
            return Err(StoreError::Ended { id: id.clone(), status: instance.status }.into());
        }
        let deployment = self.host.deployments.labelled(label)?;
        let misfit = |problem| RequestError::DoesNotFit { id: id.clone(), label: label.to_owned(), problem };
        if instance.deployment.is_none() {
            return Err(misfit("remote workers run it".to_owned()));
        }
        if !deployment.workflows.contains(&instance.workflow) {
            return Err(misfit(format!("that version has no workflow `{}`", instance.workflow)));
        }
        if instance.turns == 0 {
            return Err(misfit("it has not begun; start another one with that version instead".to_owned()));
        }
        let loaded = self.host.store.load(instance.key).await?;
        let history = loaded.map(|loaded| loaded.history).unwrap_or_default();
        self.standing(deployment.id, history).await?.map_err(|problem| misfit(problem.to_string()))?;
        to_the_end(async move {
            let host = &runtime.host;
            host.deployments.forget_unfit(&instance, deployment.id);
            host.store.assign(instance.key, deployment.id, host.clock.now()).await?;
            if host.mailroom.want_turn(instance.key) {
                instance::start(host, instance.key);
            }
            instance::wake(host, instance.key);
            // If it was held, nobody slept for its timers.
            host.alarm.set(host.clock.now());
            Ok(())
        })
        .await
    }

    /// How many open instances are to move to a version, each at its next turn, and have not. Looks at all that is open.
    pub async fn moving(&self, label: &str) -> Result<Moving, RequestError> {
        let deployment = self.host.deployments.labelled(label)?;
        let left = self.host.deployments.moving(&self.host, &deployment).await?;
        // As it is now: if it was undone while that was counted, nobody is left because of that.
        let deployment = self.host.deployments.labelled(label)?;
        let is_active = deployment.workflows.iter().all(|workflow| deployment.active_workflows.contains(workflow));
        Ok(Moving { left, is_active })
    }

    /// What gates found of this version, or of all, newest first and at most so many: the version, when, and the report.
    pub async fn gate_reports(
        &self,
        label: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(String, Time, GateReport)>, RequestError> {
        let kept = self.host.store.reports(label.map(str::to_owned), limit).await?;
        let read = |kept: everturn_store::GateReport| {
            // Another version may have written more.
            (kept.label, kept.at, serde_json::from_str(&kept.report).unwrap_or_default())
        };
        Ok(kept.into_iter().map(read).collect())
    }

    /// The deployment with this label, and what its component tells of its workflows. None: it is retired, so its component is
    /// not kept.
    pub async fn describe(&self, label: &str) -> Result<(Deployment, Option<Vec<WorkflowDescription>>), RequestError> {
        let known = self.host.deployments.labelled(label)?;
        let described = match known.retired_at {
            None => Some(self.host.deployments.component(&self.host, known.id).await?.workflows().to_vec()),
            Some(_) => None,
        };
        // How many are open on it is known to the store only.
        let found = self.deployments().await?.into_iter().find(|deployment| deployment.id == known.id);
        Ok((found.unwrap_or_else(|| (*known).clone()), described))
    }

    /// All deployments, newest first.
    pub async fn deployments(&self) -> Result<Vec<Deployment>, RequestError> {
        Ok(self.host.store.deployments().await?)
    }

    /// Connects a worker outside of this process. It is connected as long as the answer lives.
    pub fn connect_worker(&self, options: WorkerOptions) -> Worker {
        Worker::connect(&self.host, options)
    }

    /// Takes the answer of the worker that shows this token. Resolves once it is on disk. A token that was replaced, or
    /// whose task has an answer, is refused as stale, and counted.
    pub async fn complete_activity(&self, token: Token, outcome: Outcome) -> Result<(), RequestError> {
        Ok(dispatch::answer(&self.host, token, outcome).await?)
    }

    /// Takes the answer of a worker whose failures say all that the protocol has for them. Otherwise the same.
    pub async fn complete_task(&self, token: Token, answer: TaskAnswer) -> Result<(), RequestError> {
        Ok(dispatch::answer_task(&self.host, token, answer).await?)
    }

    /// The worker that shows this token gives its activity back: others may have it. Whether it had it.
    pub fn abandon_activity(&self, token: Token) -> bool {
        dispatch::give_up(&self.host, token)
    }

    /// Connects a remote worker that takes turns of workflows. It is connected as long as the answer lives.
    pub fn connect_orchestrator(&self, options: OrchestratorOptions) -> Orchestrator {
        Orchestrator::connect(&self.host, options)
    }

    /// Takes what the worker that shows this token says of its turn. Resolves once it is on disk. A token whose turn was
    /// given to another, or has its answer, is refused as stale, and counted.
    pub async fn complete_turn(&self, token: Token, answer: TurnAnswer) -> Result<(), RequestError> {
        Ok(remote::complete(&self.host, token, answer).await?)
    }

    /// The worker that shows this token gives its turn back: others may have it. Whether it had it.
    pub fn abandon_turn(&self, token: Token) -> bool {
        remote::abandon(&self.host, token)
    }

    /// The turn with this token cannot be taken by anybody: its instance is held for this reason, in the protocol's words
    /// if it has some. Whether it was out.
    pub fn hold_turn(&self, token: Token, reason: Option<StalledReason>, description: String) -> bool {
        remote::hold(&self.host, token, reason, description)
    }

    /// The worker that shows this token is alive. Whether its answer is still wanted.
    pub fn heartbeat(&self, token: Token) -> bool {
        self.host.dispatcher.heartbeat(token)
    }

    /// All changes from now on. Who is too slow misses some, and is told how many.
    pub fn changes(&self) -> broadcast::Receiver<Change> {
        self.host.watchers.subscribe()
    }

    /// What it has done since it was opened.
    pub fn statistics(&self) -> Statistics {
        let host = &self.host;
        host.counters.snapshot(host.guests.count(), host.dispatcher.running(), host.remote.running())
    }

    /// Whether it can do its work.
    pub fn health(&self) -> Health {
        self.host.health.get()
    }

    /// The options that it was opened with.
    pub fn options(&self) -> &Options {
        &self.host.options
    }

    /// Stops: takes nothing new, lets turns and in-process activities that are under way come to their end, at most so
    /// long, and closes the store. What did not come to its end is done again after the next start.
    pub async fn stop(&self, grace: Duration) {
        let host = &self.host;
        host.health.stopping();
        host.dispatcher.close();
        host.remote.close();
        let rest = async {
            while host.dispatcher.running_here() + host.mailroom.answers() > 0 {
                tokio::time::sleep(REST_CHECK).await;
            }
        };
        // A part of the time is for the commits after that.
        let _ = tokio::time::timeout(grace.mul_f64(ACTIVITY_SHARE), rest).await;
        host.stopping.begin();
        host.dispatcher.stop_all();
        let rest = async {
            while host.mailroom.busy() > 0 {
                tokio::time::sleep(REST_CHECK).await;
            }
        };
        let _ = tokio::time::timeout(grace.mul_f64(1.0 - ACTIVITY_SHARE), rest).await;
        host.guests.clear();
        // What is not written by then is in nobody's hands: it was not acknowledged.
        if tokio::time::timeout(CLOSE_TIME, host.store.close()).await.is_err() {
            tracing::error!("the store does not close; what it has acknowledged is on disk");
        }
    }

    pub(crate) fn require_open(&self) -> Result<(), RequestError> {
        if self.host.health.get() == Health::Stopping { Err(RequestError::Stopping) } else { Ok(()) }
    }
}

/// How long the store may take to close, beside the grace time. It takes long only when the disk does not do its work.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The share of the grace time that activities have.
const ACTIVITY_SHARE: f64 = 0.7;

impl fmt::Debug for Runtime {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Runtime").field("options", &self.host.options).finish_non_exhaustive()
    }
}
