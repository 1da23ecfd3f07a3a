//! Runs a host in this process: the store, the runtime and the API, from the first line of the log to the last.
//!
//! - `compiler.rs`: who compiles components
//! - `grpc.rs`: the Durable Task protocol
//! - `log.rs`: the log
//! - `signals.rs`: when to stop

mod compiler;
mod grpc;
mod log;
mod signals;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use everturn_runtime::store::StoreError;
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{Options, Retention, Runtime};
use everturn_server::{BindError, Limits, Listener, Server};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::arguments::HostOptions;
use crate::component;
use crate::outcome::{Blame, Error};

/// How long requests that are under way may take when the host stops.
const REQUEST_GRACE: Duration = Duration::from_secs(2);
/// How long turns and activities that are under way may take after that. Together this is less than the 10 s that those
/// who stop hosts usually wait.
const WORK_GRACE: Duration = Duration::from_secs(5);

/// The file of the store, in the data directory.
const STORE_FILE: &str = "everturn.db";
/// The directory of compiled components in the data directory, if nobody chose another.
const COMPONENT_CACHE: &str = "components";

/// A host that is open.
pub(crate) struct Host {
    pub(crate) runtime: Runtime,
    server: Server,
    grpc: Vec<grpc::Serving>,
    data: PathBuf,
}

/// Opens a host and runs it until a signal says to stop. `beside` is told of it when it is ready.
pub(crate) fn run(options: &HostOptions, beside: impl FnOnce(&Host)) -> Result<(), Error> {
    log::begin(options.log)?;
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the system gives no threads")
        .or_internal()?;
    let result = tokio.block_on(async {
        let stop = signals::first().or_internal()?;
        let host = Host::open(options).await?;
        host.announce()?;
        beside(&host);
        host.run(stop).await;
        Ok(())
    });
    // What still runs, such as a build, is not waited for.
    tokio.shutdown_background();
    result
}

impl Host {
    async fn open(options: &HostOptions) -> Result<Self, Error> {
        // First of all, so that nothing is begun that nobody can reach.
        let listener = match Listener::bind(options.http).await {
            Err(error @ BindError::NotLoopback { .. }) => Err(error).context("--http").or_input(),
            listener => listener.or_refused(),
        }?;
        let doors = grpc::listen(options).await?;
        let data = data_directory(&options.data)?;
        let store = open_store(&data.join(STORE_FILE))?;
        let settings = settings(options, &data)?;
        let runtime =
            Runtime::open(Arc::new(store), settings).await.context("the host cannot be opened").or_refused()?;
        let limits = Limits { grace: REQUEST_GRACE, ..Limits::fitting(runtime.options()) };
        let grpc = doors.open(&runtime, REQUEST_GRACE);
        Ok(Self { server: Server::new(listener, runtime.clone(), limits), grpc, runtime, data })
    }

    /// One line on stdout: scripts wait for it.
    fn announce(&self) -> Result<(), Error> {
        let mut stdout = std::io::stdout();
        let (address, data) = (self.server.address(), self.data.display());
        let grpc: String = self.grpc.iter().map(|serving| format!(", {serving}")).collect();
        writeln!(stdout, "everturn listens on http://{address}{grpc}, data in {data}").or_internal()?;
        stdout.flush().or_internal()
    }

    async fn run(self, stop: impl Future<Output = ()>) {
        let Self { runtime, server, grpc, .. } = self;
        let stopping = watch::Sender::new(false);
        let mut doors = JoinSet::new();
        for serving in grpc {
            doors.spawn(serving.run(stopping.subscribe()));
        }
        server
            .run(async {
                stop.await;
                tracing::info!("stopping; a second signal stops at once");
                stopping.send_replace(true);
            })
            .await;
        doors.join_all().await;
        runtime.stop(WORK_GRACE).await;
        tracing::info!("stopped");
    }
}

fn data_directory(directory: &Path) -> Result<PathBuf, Error> {
    let failed = || format!("the data directory {} cannot be used", directory.display());
    fs::create_dir_all(directory).with_context(failed).or_input()?;
    directory.canonicalize().with_context(failed).or_input()
}

fn open_store(file: &Path) -> Result<SqliteStore, Error> {
    match SqliteStore::open(file, SqliteOptions::default()) {
        Ok(store) => Ok(store),
        Err(error @ (StoreError::InUse { .. } | StoreError::Busy | StoreError::Full)) => Err(error).or_refused(),
        Err(error) => Err(error).or_input(),
    }
}

fn settings(options: &HostOptions, data: &Path) -> Result<Options, Error> {
    let default = Options::default();
    let number = |given: Option<u32>, default| given.and_then(|given| given.try_into().ok()).unwrap_or(default);
    Ok(Options {
        limits: compiler::limits(options),
        compiler: compiler::child()?,
        retention: Retention {
            completed: options.retain_completed,
            failed: options.retain_failed,
            terminated: options.retain_terminated,
        },
        parallel_activities: number(options.activities, default.parallel_activities),
        parallel_turns: number(options.turns, default.parallel_turns),
        live_guests: number(options.live_guests, default.live_guests),
        lease: options.lease.unwrap_or(default.lease),
        component_cache: Some(component::chosen_cache().unwrap_or_else(|| data.join(COMPONENT_CACHE))),
        ..default
    })
}
