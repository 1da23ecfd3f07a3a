//! The Durable Task protocol of a host: which addresses it has, and who may call.

use std::fmt;
use std::time::Duration;

use anyhow::{Context, anyhow};
use everturn_durabletask::{Dialect, GrpcOptions, GrpcServer, Limits};
use everturn_runtime::Runtime;
use everturn_server::{BindError, Listener};
use tokio::sync::watch;

use crate::arguments::HostOptions;
use crate::outcome::{Blame, Error};

/// The variable that holds what callers have to show.
const TOKEN: &str = "EVERTURN_GRPC_TOKEN";

/// Addresses that are taken, and not served yet.
pub(super) struct Doors {
    listeners: Vec<(Listener, Dialect)>,
    token: Option<String>,
}

/// An address that is served.
pub(super) struct Serving {
    server: GrpcServer,
    dialect: Dialect,
}

/// Takes the addresses.
pub(super) async fn listen(options: &HostOptions) -> Result<Doors, Error> {
    let token = std::env::var(TOKEN).ok();
    if token.as_ref().is_some_and(String::is_empty) {
        return Err(anyhow!("{TOKEN} is empty: give it a value, or unset it to ask for no token")).or_input();
    }
    let asked =
        [("--grpc", options.grpc.0, Dialect::Dapr), ("--grpc-microsoft", options.grpc_microsoft.0, Dialect::Microsoft)];
    let mut listeners = Vec::new();
    for (flag, address, dialect) in asked {
        let Some(address) = address else { continue };
        let listener = match Listener::bind(address).await {
            Err(error @ BindError::NotLoopback { .. }) => Err(error).context(flag).or_input(),
            Err(error) => Err(anyhow!("{error}, or do without it: {flag} none")).context(flag).or_refused(),
            Ok(listener) => Ok(listener),
        }?;
        listeners.push((listener, dialect));
    }
    Ok(Doors { listeners, token })
}

impl Doors {
    /// Serves the runtime there, once [`Serving::run`] runs.
    pub(super) fn open(self, runtime: &Runtime, grace: Duration) -> Vec<Serving> {
        let limits = Limits { grace, ..Limits::default() };
        let open = |(listener, dialect)| {
            let options = GrpcOptions { dialect, token: self.token.clone(), limits: limits.clone() };
            Serving { server: GrpcServer::new(listener, runtime.clone(), options), dialect }
        };
        self.listeners.into_iter().map(open).collect()
    }
}

impl Serving {
    /// Serves until the host stops.
    pub(super) async fn run(self, mut stopping: watch::Receiver<bool>) {
        let stop = async move {
            // An error means that the host is gone, which is the same.
            let _ = stopping.wait_for(|stopping| *stopping).await;
        };
        self.server.run(stop).await;
    }
}

impl fmt::Display for Serving {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "grpc://{}", self.server.address())?;
        if self.dialect == Dialect::Microsoft { formatter.write_str(" (Microsoft)") } else { Ok(()) }
    }
}
