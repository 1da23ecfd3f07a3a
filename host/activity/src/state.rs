//! What the store of an activity holds: the call, what it was granted, and the WASI that comes of both.

use std::collections::BTreeMap;
use std::sync::Arc;

use wasmtime::ResourceLimiter;
use wasmtime_wasi::{ResourceTable, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use crate::call::{Call, Heartbeat};
use crate::grants::{Grants, Secret};
use crate::http::Network;
use crate::limits::ActivityLimits;
use crate::output::Output;
use crate::usage::Usage;

/// The data of an activity's store.
pub(crate) struct State {
    pub(crate) call: Call,
    pub(crate) heartbeat: Arc<dyn Heartbeat>,
    pub(crate) limits: Arc<ActivityLimits>,
    pub(crate) output: Arc<Output>,
    pub(crate) secrets: BTreeMap<String, Secret>,
    network: Network,
    resources: ResourceTable,
    usage: Usage,
    wasi: WasiCtx,
    http: WasiHttpCtx,
}

impl State {
    pub(crate) fn new(call: Call, grants: Grants, heartbeat: Arc<dyn Heartbeat>, limits: Arc<ActivityLimits>) -> Self {
        let output = Output::new(&call, &limits);
        let environment: Vec<_> = grants.environment.into_iter().collect();
        // No directory and no socket: there is none unless it is added.
        let wasi = WasiCtx::builder()
            .stdout(output.stdout())
            .stderr(output.stderr())
            .envs(&environment)
            .max_random_size(limits.random_bytes as u64)
            .build();
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(limits.http_header_bytes);
        let mut resources = ResourceTable::new();
        resources.set_max_capacity(limits.resources);
        Self {
            call,
            heartbeat,
            network: Network::new(grants.http, Arc::clone(&output), limits.http_requests),
            output,
            secrets: grants.secrets,
            resources,
            usage: Usage::new(Arc::clone(&limits)),
            limits,
            wasi,
            http,
        }
    }

    /// What the store asks before memories and tables grow.
    pub(crate) fn usage(&mut self) -> &mut dyn ResourceLimiter {
        &mut self.usage
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.resources }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { hooks: &mut self.network, table: &mut self.resources, ctx: &mut self.http }
    }
}
