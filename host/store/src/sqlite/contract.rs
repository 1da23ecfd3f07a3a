//! The contract, met: which step or question each method is.

use std::sync::Arc;
use std::time::Instant;

use everturn_history::{HistoryEvent, InstanceId};
use futures::future::BoxFuture;

use super::SqliteStore;
use super::reads::{deployments, instances, list, tasks as waiting, wakeups};
use super::steps::{activate, commit, deploy, hold, purge, recover, reset, send, start, tasks};
use crate::{
    Activation, Answer, Awoken, Committed, ComponentDigest, Deployment, DeploymentId, Filter, FinishedTask, GateReport,
    Hold, Instance, InstanceKey, Lease, Loaded, Message, NewDeployment, NewInstance, NewMessage, OpenWork, Page, Reset,
    Route, Started, Status, Store, StoreFuture, Task, TaskKey, Time, Turn, Undone, Wakeups,
};

impl Store for SqliteStore {
    fn start(&self, instance: NewInstance) -> StoreFuture<'_, (Started, Committed)> {
        Box::pin(self.write(move |writing| start::start(writing, &instance)))
    }

    fn send(&self, message: NewMessage) -> StoreFuture<'_, Committed> {
        Box::pin(self.write(move |writing| send::send(writing, &message)))
    }

    fn commit(&self, turn: Arc<Turn>) -> StoreFuture<'_, Committed> {
        Box::pin(self.write(move |writing| commit::commit(writing, &turn)))
    }

    fn commit_ahead(&self, turn: Arc<Turn>, moment: Instant) -> StoreFuture<'_, Committed> {
        Box::pin(self.write_until(Some(moment), move |writing| commit::commit_ahead(writing, &turn)))
    }

    fn answer(&self, answer: Answer) -> StoreFuture<'_, Committed> {
        Box::pin(self.write(move |writing| send::answer(writing, &answer)))
    }

    fn lease(&self, leases: Vec<(TaskKey, Lease)>) -> StoreFuture<'_, Vec<Task>> {
        Box::pin(self.write(move |writing| tasks::lease(writing, &leases)))
    }

    fn release_leases(&self, finished: Vec<FinishedTask>) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| tasks::release_leases(writing, &finished)))
    }

    fn hold(&self, asked: Hold) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| hold::hold(writing, &asked)))
    }

    fn release(&self, instance: InstanceKey, at: Time) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| hold::release(writing, instance, at)))
    }

    fn assign(&self, instance: InstanceKey, deployment: DeploymentId, at: Time) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| hold::assign(writing, instance, deployment, at)))
    }

    fn reset(&self, asked: Reset) -> StoreFuture<'_, Committed> {
        Box::pin(self.write(move |writing| reset::reset(writing, &asked)))
    }

    fn purge(&self, instance: InstanceKey, force: bool) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| purge::purge(writing, instance, force)))
    }

    fn purge_ended(&self, status: Status, before: Time, limit: usize) -> StoreFuture<'_, u64> {
        Box::pin(self.write(move |writing| purge::purge_ended(writing, status, before, limit)))
    }

    fn deploy(&self, deployment: NewDeployment) -> StoreFuture<'_, DeploymentId> {
        Box::pin(self.write(move |writing| deploy::deploy(writing, &deployment)))
    }

    fn activate(&self, activation: Activation) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| activate::activate(writing, &activation)))
    }

    fn roll_back(&self) -> StoreFuture<'_, Option<Undone>> {
        Box::pin(self.write(|writing| activate::roll_back(writing)))
    }

    fn retire(&self, deployment: DeploymentId, drop_names: bool, at: Time) -> StoreFuture<'_, Vec<String>> {
        Box::pin(self.write(move |writing| deploy::retire(writing, deployment, drop_names, at)))
    }

    fn keep_report(&self, report: GateReport) -> StoreFuture<'_, ()> {
        Box::pin(self.write(move |writing| activate::keep_report(writing, &report)))
    }

    fn recover(&self, now: Time) -> StoreFuture<'_, Wakeups> {
        Box::pin(self.write(move |writing| recover::recover(writing, now)))
    }

    fn due(&self, since: Time, now: Time, limit: usize) -> StoreFuture<'_, Wakeups> {
        Box::pin(self.read(move |connection| wakeups::due(connection, since, now, limit)))
    }

    fn find(&self, id: &InstanceId) -> StoreFuture<'_, Option<Instance>> {
        let id = id.clone();
        Box::pin(self.read(move |connection| instances::find(connection, &id)))
    }

    fn opening(&self, instance: InstanceKey) -> StoreFuture<'_, Vec<HistoryEvent>> {
        Box::pin(self.read(move |connection| instances::opening(connection, instance)))
    }

    fn load(&self, instance: InstanceKey) -> StoreFuture<'_, Option<Loaded>> {
        Box::pin(self.read(move |connection| instances::load(connection, instance)))
    }

    fn inbox(&self, instance: InstanceKey, now: Time, limit: usize) -> StoreFuture<'_, Vec<Message>> {
        Box::pin(self.read(move |connection| instances::inbox(connection, instance, now, limit)))
    }

    fn wake(&self, keys: Vec<InstanceKey>, now: Time, limit: usize) -> StoreFuture<'_, Vec<Awoken>> {
        Box::pin(
            self.read(move |connection| {
                keys.into_iter().map(|key| instances::wake(connection, key, now, limit)).collect()
            }),
        )
    }

    fn open_work(&self, instance: InstanceKey) -> StoreFuture<'_, OpenWork> {
        Box::pin(self.read(move |connection| instances::open_work(connection, instance)))
    }

    fn list(&self, filter: Filter, from: Option<InstanceKey>, limit: usize) -> StoreFuture<'_, Page> {
        Box::pin(self.read(move |connection| list::list(connection, &filter, from, limit)))
    }

    fn count(&self) -> StoreFuture<'_, Vec<(Status, u64)>> {
        Box::pin(self.read(instances::count))
    }

    fn oldest_ended(&self, status: Status) -> StoreFuture<'_, Option<Time>> {
        Box::pin(self.read(move |connection| instances::oldest_ended(connection, status)))
    }

    fn waiting_tasks(&self, activities: Vec<String>, limit: usize) -> StoreFuture<'_, Vec<Task>> {
        Box::pin(self.read(move |connection| waiting::waiting(connection, &activities, limit)))
    }

    fn waiting_activities(&self) -> StoreFuture<'_, Vec<(String, u64)>> {
        Box::pin(self.read(waiting::activities))
    }

    fn remote_workflows(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(self.read(deployments::remote_workflows))
    }

    fn deployments(&self) -> StoreFuture<'_, Vec<Deployment>> {
        Box::pin(self.read(deployments::all))
    }

    fn routes(&self) -> StoreFuture<'_, Vec<(String, Route)>> {
        Box::pin(self.read(deployments::routes))
    }

    fn reports(&self, label: Option<String>, limit: usize) -> StoreFuture<'_, Vec<GateReport>> {
        Box::pin(self.read(move |connection| deployments::reports(connection, label.as_deref(), limit)))
    }

    fn component(&self, digest: ComponentDigest) -> StoreFuture<'_, Arc<[u8]>> {
        Box::pin(self.read(move |connection| deployments::component(connection, digest)))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shut_and_finish())
    }
}
