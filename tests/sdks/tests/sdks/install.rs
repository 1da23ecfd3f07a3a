//! Installs the SDKs under the target directory: once, for all tests and all later runs.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use everturn_sdk_tests::PROGRAMS;

use crate::sdk::{Language, Sdk};

const NO_PYTHON: &str = "these tests need python3 (3.10 or newer) with its venv module: install Python, and on Debian or \
                         Ubuntu the package python3-venv too";
const NO_NODE: &str = "these tests need node (20 or newer) and npm: install Node.js";

/// A command that runs the program of this SDK's language with this SDK.
pub(crate) fn program(sdk: &Sdk) -> Command {
    let place = install(sdk);
    let programs = Path::new(PROGRAMS);
    match sdk.language {
        Language::Python => {
            let mut command = Command::new(place.join("bin/python"));
            // Nothing is to be left beside the sources.
            command.arg(programs.join("python/main.py")).env("PYTHONDONTWRITEBYTECODE", "1");
            command
        }
        Language::JavaScript => {
            let mut command = Command::new("node");
            command.arg(programs.join("javascript/main.js")).env("NODE_PATH", place.join("node_modules"));
            command
        }
    }
}

/// Where this SDK is installed; installs it if it is not.
fn install(sdk: &Sdk) -> PathBuf {
    let shelf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdks");
    fs::create_dir_all(&shelf).unwrap();
    // Other tests may want the same one at the same time, in this process or another.
    let lock = File::create(shelf.join(format!("{}.lock", sdk.name))).unwrap();
    lock.lock().unwrap();
    let place = shelf.join(named_after(sdk));
    if !place.exists() {
        // It gets its name when it is complete: an installation that was interrupted is none.
        let unfinished = shelf.join(format!("{}.unfinished", sdk.name));
        if unfinished.exists() {
            fs::remove_dir_all(&unfinished).unwrap();
        }
        match sdk.language {
            Language::Python => install_python(sdk, &unfinished),
            Language::JavaScript => install_javascript(sdk, &unfinished),
        }
        fs::rename(&unfinished, &place).unwrap();
    }
    place
}

/// Other versions get another directory.
fn named_after(sdk: &Sdk) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let packages = sdk.packages.join("_");
    format!("{}_{}", sdk.name, packages.replace(|c: char| !allowed(c), "-"))
}

fn install_python(sdk: &Sdk, place: &Path) {
    run(Command::new("python3").args(["-m", "venv"]).arg(place), NO_PYTHON);
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"];
    run(Command::new(place.join("bin/python")).args(pip).args(sdk.packages), NO_PYTHON);
}

fn install_javascript(sdk: &Sdk, place: &Path) {
    fs::create_dir(place).unwrap();
    run(Command::new("node").arg("--version"), NO_NODE);
    let npm = ["install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel", "error"];
    run(Command::new("npm").args(npm).arg("--prefix").arg(place).args(sdk.packages), NO_NODE);
}

/// Runs it to its end, or says what to install.
fn run(command: &mut Command, missing: &str) {
    match command.output() {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "{command:?}\nfailed with {}\n{}{}\n{missing}; the SDKs come from the package registries that pip and npm are \
             set up for",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => panic!("{missing}"),
        Err(error) => panic!("{command:?}: {error}"),
    }
}
