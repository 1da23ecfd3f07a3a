//! The host as a process of its own, so that it can be killed.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, anyhow};

use crate::outcome::{Blame, Error};

/// `everturn serve`, running.
pub(super) struct HostProcess {
    process: Child,
    address: SocketAddr,
}

impl HostProcess {
    /// Starts it on a data directory, and waits until it is ready.
    pub(super) fn start(data: &Path, address: Option<SocketAddr>) -> Result<Self, Error> {
        let program = std::env::current_exe().context("this program cannot find itself").or_internal()?;
        let mut process = Command::new(program)
            .arg("serve")
            .arg("--data")
            .arg(data)
            .args([
                "--grpc",
                "none",
                "--http",
                &address.map_or_else(|| "127.0.0.1:0".to_owned(), |address| address.to_string()),
            ])
            .env("EVERTURN_LOG", "error")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("the host does not start")
            .or_internal()?;
        let mut line = String::new();
        let stdout = process.stdout.take().context("the host has no stdout").or_internal()?;
        BufReader::new(stdout.take(4_096)).read_line(&mut line).or_internal()?;
        let address = line.split("http://").nth(1).and_then(|rest| rest.split([',', ' ', '\n']).next());
        match address.and_then(|address| address.parse().ok()) {
            Some(address) => Ok(Self { process, address }),
            None => {
                let _ = process.wait();
                Err(anyhow!("the host did not get ready; what it said is above")).or_internal()
            }
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Kills it: no goodbye, no clean-up.
    pub(super) fn kill(&mut self) -> Result<(), Error> {
        self.process.kill().and_then(|()| self.process.wait()).context("the host cannot be killed").or_internal()?;
        Ok(())
    }

    /// The demo is over.
    pub(super) fn stop(mut self) -> Result<(), Error> {
        self.kill()
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        // Nothing of the demo outlives it. One that is dead already stays so.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
