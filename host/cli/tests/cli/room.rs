//! Runs the real binary and shows what it did, without what differs from machine to machine.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use everturn_tests::guests::{APPROVAL, TEST_GUESTS};
use tempfile::TempDir;

/// A directory for files and for the cache of compiled components.
pub(crate) struct Room {
    directory: TempDir,
}

impl Room {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap()
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The binary, ready to run, with an environment that looks the same everywhere.
    pub(crate) fn everturn<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everturn"));
        command.args(arguments).env("EVERTURN_CACHE_DIR", cache()).env("EVERTURN_GRPC", "none");
        for variable in ["CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "NO_COLOR"] {
            command.env_remove(variable);
        }
        command
    }

    /// Runs the binary and shows how it ended and what it printed.
    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> String {
        self.show(&mut self.everturn(arguments))
    }

    /// Runs a command and shows how it ended and what it printed.
    pub(crate) fn show(&self, command: &mut Command) -> String {
        let output = command.output().unwrap();
        let stdout = String::from_utf8(output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code().unwrap();
        self.without_paths(&format!("exit code {code}\n-- stdout --\n{stdout}-- stderr --\n{stderr}"))
    }

    /// Nor spaces at the ends of lines: nobody sees them.
    fn without_paths(&self, text: &str) -> String {
        let lines: Vec<_> = text.lines().map(str::trim_end).collect();
        lines
            .join("\n")
            .replace(&self.path().display().to_string(), "ROOM")
            .replace(APPROVAL.path, "approval.wasm")
            .replace(TEST_GUESTS.path, "guests.wasm")
    }
}

/// One cache for all tests: compiling a guest takes a while.
pub(crate) fn cache() -> &'static Path {
    Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/components"))
}
