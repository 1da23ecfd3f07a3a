//! A host for a test: the real command in a process of its own, on a port that the system chose.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use everturn_tests::guests::TEST_GUESTS;

use crate::room::Room;

/// A host that runs until it is dropped.
pub(crate) struct Serving {
    pub(crate) room: Room,
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Serving {
    /// An empty one.
    pub(crate) fn empty() -> Self {
        Self::with(&[])
    }

    /// With the test guests deployed.
    pub(crate) fn new() -> Self {
        let serving = Self::empty();
        let deployed = serving.run(&["deploy", TEST_GUESTS.path, "--version", "one"]);
        assert!(deployed.starts_with("exit code 0"), "{deployed}");
        serving
    }

    /// With these arguments besides.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let room = Room::new();
        let mut command = serve(&room);
        command.args(arguments);
        let (child, url) = ready(&mut command);
        Self { room, child, url }
    }

    /// Kills it and starts another on its data.
    pub(crate) fn restart(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        (self.child, self.url) = ready(&mut serve(&self.room));
    }

    /// Waits until the history of an instance says this.
    pub(crate) fn sees(&self, id: &str, words: &str) {
        let mut command = self.everturn(&["workflow", "history", id, "--follow"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        assert!(lines.any(|line| line.contains(words)), "{id} has ended without {words:?}");
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().unwrap();
    }

    /// The command, ready to talk to this host.
    pub(crate) fn everturn(&self, arguments: &[&str]) -> Command {
        let mut command = self.room.everturn(arguments);
        command.env("EVERTURN_HOST", &self.url).stdin(Stdio::null());
        command
    }

    /// Runs a command and shows how it ended and what it printed, without what differs from run to run.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        masked(&self.room.show(&mut self.everturn(arguments)).replace(&self.url, "HOST"))
    }

    /// What a command that succeeds prints.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.everturn(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Sends a signal and waits for the end.
    #[cfg(unix)]
    pub(crate) fn signal(&mut self, name: &str) -> Option<i32> {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(room: &Room) -> Command {
    let mut command = room.everturn(["serve", "--http", "127.0.0.1:0"]);
    command.arg("--data").arg(room.path().join("data")).stderr(Stdio::null());
    command
}

/// Starts a host and reads where it listens.
pub(crate) fn ready(command: &mut Command) -> (Child, String) {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.strip_prefix("everturn listens on ").and_then(|rest| rest.split(',').next());
    (child, url.unwrap_or_else(|| panic!("not ready: {line:?}")).to_owned())
}

/// Times, digests and sizes made the same.
pub(crate) fn masked(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| line.split(' ').map(mask).collect::<Vec<_>>().join(" ")).collect();
    let mut masked = lines.join("\n");
    while let Some(at) = masked.find(" bytes, ").filter(|at| masked[..*at].ends_with(|c: char| c.is_ascii_digit())) {
        let start = masked[..at].rfind(' ').map_or(0, |space| space + 1);
        masked.replace_range(start..at, "SOME");
    }
    masked
}

fn mask(word: &str) -> String {
    let core = word.trim_matches(|c: char| matches!(c, '"' | ',' | '(' | ')'));
    let is_time = core.len() >= 20 && core.ends_with('Z') && core.as_bytes()[10] == b'T';
    let is_digest = matches!(core.len(), 12 | 64) && core.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_time {
        let fraction = if core.contains('.') { ".000" } else { "" };
        word.replace(core, &format!("0000-00-00T00:00:00{fraction}Z"))
    } else if is_digest {
        word.replace(core, &"d".repeat(core.len()))
    } else {
        word.to_owned()
    }
}
