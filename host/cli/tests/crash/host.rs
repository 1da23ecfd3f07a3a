//! A host as a process that can be killed.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A host with its data directory.
pub(crate) struct Host {
    data: TempDir,
    port: u16,
    process: Option<Child>,
}

impl Host {
    pub(crate) fn new() -> Self {
        // Free now; nobody else takes it in the short time that a test runs.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self { data: tempfile::tempdir().unwrap(), port, process: None }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Starts it, and waits until it says that it is ready.
    pub(crate) fn start(&mut self) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_everturn"))
            .arg("serve")
            .arg("--data")
            .arg(self.data.path())
            .args(["--grpc", "none", "--http", &format!("127.0.0.1:{}", self.port)])
            .env("EVERTURN_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("http://"), "the host did not get ready: {line:?}");
        self.process = Some(process);
    }

    /// SIGKILL: no goodbye.
    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// SIGTERM: it finishes what it does, in ten seconds at most.
    pub(crate) fn stop(&mut self) {
        let mut process = self.process.take().unwrap();
        let id = process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        let mut ended = None;
        crate::until("the host stops", || {
            ended = process.try_wait().unwrap();
            ended.is_some()
        });
        assert!(ended.unwrap().success(), "a host that was asked to stop stops without an error");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
