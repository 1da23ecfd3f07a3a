//! The host under test: the real command in a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::process::Process;
use crate::sdk::Dialect;
use crate::until::until;

/// A host with its data directory, up or down.
pub(crate) struct Host {
    directory: PathBuf,
    addresses: Addresses,
    process: Option<Process>,
}

/// Where a host listens.
#[derive(Clone, Debug)]
struct Addresses {
    http: String,
    dapr: String,
    microsoft: String,
}

impl Host {
    /// An empty one, on ports that the system chose.
    pub(crate) fn start(directory: &Path) -> Self {
        let any = || "127.0.0.1:0".to_owned();
        let addresses = Addresses { http: any(), dapr: any(), microsoft: any() };
        let mut host = Self { directory: directory.to_owned(), addresses, process: None };
        let process = host.process.insert(host.launch());
        host.addresses = Addresses::parse(&process.line());
        host
    }

    /// Starts it where it was before: on the same data and the same ports.
    pub(crate) fn start_again(&mut self) {
        // While it was down, somebody's connection may have got one of its ports, for a moment.
        until("the host has its ports again", || {
            let process = self.launch();
            self.process.insert(process).line_unless_it_ends()
        });
    }

    fn launch(&self) -> Process {
        let mut command = Command::new(everturn());
        command.arg("serve").arg("--data").arg(self.directory.join("data"));
        command.args(["--http", &self.addresses.http]);
        command.args(["--grpc", &self.addresses.dapr, "--grpc-microsoft", &self.addresses.microsoft]);
        Process::start("host", &mut command, &self.directory)
    }

    /// SIGKILL: no goodbye.
    pub(crate) fn kill(&mut self) {
        self.process.take().unwrap().kill();
    }

    /// Where an SDK of this dialect connects to.
    pub(crate) fn address(&self, dialect: Dialect) -> &str {
        match dialect {
            Dialect::Dapr => &self.addresses.dapr,
            Dialect::Microsoft => &self.addresses.microsoft,
        }
    }

    /// Deploys a component.
    pub(crate) fn deploy(&self, component: &str) {
        self.command(&format!("everturn deploy '{component}'"));
    }

    /// Runs a command line of somebody who has `everturn`, and gives what it prints.
    pub(crate) fn command(&self, line: &str) -> String {
        let path = format!("{}:{}", everturn().parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("PATH", path).env("EVERTURN_HOST", format!("http://{}", self.addresses.http));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// The history of an instance.
    pub(crate) fn history(&self, id: &str) -> Vec<Value> {
        let url = format!("http://{}/v1/workflows/{id}/history", self.addresses.http);
        let text = ureq::get(url).call().unwrap().body_mut().read_to_string().unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

impl Addresses {
    /// Reads the line that a host prints when it is ready.
    fn parse(line: &str) -> Self {
        let parts = line.strip_prefix("everturn listens on ").unwrap_or_else(|| panic!("not ready: {line:?}"));
        let (mut http, mut dapr, mut microsoft) = (None, None, None);
        for part in parts.split(", ") {
            if let Some(address) = part.strip_prefix("http://") {
                http = Some(address.to_owned());
            } else if let Some(address) = part.strip_prefix("grpc://") {
                match address.strip_suffix(" (Microsoft)") {
                    Some(address) => microsoft = Some(address.to_owned()),
                    None => dapr = Some(address.to_owned()),
                }
            }
        }
        let missing = || panic!("an address is missing: {line:?}");
        Self {
            http: http.unwrap_or_else(missing),
            dapr: dapr.unwrap_or_else(missing),
            microsoft: microsoft.unwrap_or_else(missing),
        }
    }
}

/// The command, built once. It belongs to another package, so that cargo does not build it for these tests.
fn everturn() -> &'static Path {
    static EVERTURN: OnceLock<PathBuf> = OnceLock::new();
    EVERTURN.get_or_init(|| {
        let arguments = ["build", "--package", "everturn", "--message-format", "json-render-diagnostics"];
        let output = Command::new(env!("CARGO")).args(arguments).output().unwrap();
        assert!(output.status.success(), "everturn was not built: {}", String::from_utf8_lossy(&output.stderr));
        let messages = String::from_utf8(output.stdout).unwrap();
        let executable = messages.lines().find_map(|line| {
            let message: Value = serde_json::from_str(line).ok()?;
            let is_ours = message["target"]["name"] == "everturn";
            message["executable"].as_str().filter(|_| is_ours).map(PathBuf::from)
        });
        executable.unwrap_or_else(|| panic!("cargo does not say where everturn is"))
    })
}
