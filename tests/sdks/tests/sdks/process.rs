//! Programs that a test runs beside itself: they end with it, and when it fails, it shows what they had to say.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;

use crate::until::LIMIT;

/// How many lines of a log are shown.
const SHOWN: usize = 80;

/// A running program.
pub(crate) struct Process {
    name: String,
    child: Child,
    lines: Receiver<String>,
    log: PathBuf,
}

impl Process {
    /// Starts it. Its standard error goes to a log in this directory, after what one of the same name said before.
    pub(crate) fn start(name: &str, command: &mut Command, directory: &Path) -> Self {
        let log = directory.join(format!("{name}.log"));
        let stderr = OpenOptions::new().create(true).append(true).open(&log).unwrap();
        // What is under test is on this machine: no proxy is to come between.
        command.envs([("NO_PROXY", "127.0.0.1"), ("no_proxy", "127.0.0.1"), ("no_grpc_proxy", "127.0.0.1")]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { name: name.to_owned(), child, lines, log }
    }

    /// The next line that it prints.
    pub(crate) fn line(&self) -> String {
        self.line_unless_it_ends().unwrap_or_else(|| panic!("{} has ended", self.name))
    }

    /// The next line that it prints. None: it ends without another.
    pub(crate) fn line_unless_it_ends(&self) -> Option<String> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("{} said nothing for {LIMIT:?}", self.name),
        }
    }

    /// Gives it a line to read.
    pub(crate) fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap_or_else(|error| panic!("{} does not listen: {error}", self.name));
    }

    /// SIGKILL: no goodbye.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            let log = fs::read_to_string(&self.log).unwrap_or_else(|error| error.to_string());
            let lines: Vec<_> = log.lines().collect();
            let shown = &lines[lines.len().saturating_sub(SHOWN)..];
            eprintln!("---- the last that {} said:\n{}\n", self.name, shown.join("\n"));
        }
    }
}
