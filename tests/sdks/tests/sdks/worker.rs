//! The worker of an SDK, as a process that can be killed.

use std::path::Path;

use serde_json::{Value, json};

use crate::host::Host;
use crate::install::program;
use crate::process::Process;
use crate::sdk::Sdk;

/// A worker that runs until it is dropped.
pub(crate) struct Worker(Process);

impl Worker {
    pub(crate) fn start(sdk: &Sdk, host: &Host, directory: &Path, name: &str) -> Self {
        Self::with(sdk, host, directory, name, json!({}))
    }

    /// With options; the programs say which there are.
    pub(crate) fn with(sdk: &Sdk, host: &Host, directory: &Path, name: &str, mut options: Value) -> Self {
        options["name"] = name.into();
        let mut command = program(sdk);
        command.args(["worker", host.address(sdk.dialect), &options.to_string()]);
        let process = Process::start(name, &mut command, directory);
        assert_eq!(process.line(), "ready");
        Self(process)
    }

    /// SIGKILL: no goodbye.
    pub(crate) fn kill(mut self) {
        self.0.kill();
    }
}
