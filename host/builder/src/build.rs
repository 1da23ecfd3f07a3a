//! One call of `cargo build`: from the crates asked for to their components. Progress and diagnostics are cargo's own
//! and go straight to stderr.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{PathBuf, absolute};
use std::process::{Child, Command, Stdio};

use serde::Deserialize;

use crate::cargo::cargo;
use crate::metadata::{Metadata, Package};
use crate::{BuildError, TARGET, target};

/// Bytes of memory that a guest begins with, beside its data and its stack: as much as a small workflow takes. Who has to ask
/// for more when it begins makes its host change the protection of pages twice for each guest, which all cores are told of.
const HEAP: usize = 256 * 1024;

/// The directory within cargo's own outputs in which guests are compiled while another cargo runs: a target directory of
/// its own, because that cargo may have locked the other one.
const GUESTS: &str = "guests";

/// What is to be compiled, and how.
///
/// ```no_run
/// # fn main() -> Result<(), everturn_builder::BuildError> {
/// let built = everturn_builder::Build::of_crate("examples/approval").run()?;
/// println!("{}", built[0].component.display());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Build {
    directory: PathBuf,
    packages: Vec<String>,
    target_directory: Option<PathBuf>,
    beside_cargo: bool,
    locked: bool,
}

/// A component that was built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The package it was compiled from.
    pub package: String,
    /// The `.wasm` file.
    pub component: PathBuf,
}

impl Build {
    /// The crate in a directory.
    pub fn of_crate(directory: impl Into<PathBuf>) -> Self {
        Self {
            directory: directory.into(),
            packages: Vec::new(),
            target_directory: None,
            beside_cargo: false,
            locked: false,
        }
    }

    /// Packages of a workspace by name, all in one call of cargo. The directory is that of any package in it, or its root.
    pub fn of_packages<'a>(directory: impl Into<PathBuf>, packages: impl IntoIterator<Item = &'a str>) -> Self {
        Self { packages: packages.into_iter().map(str::to_owned).collect(), ..Self::of_crate(directory) }
    }

    /// Where cargo keeps what it compiles. Without it: where the crate's workspace keeps it.
    ///
    /// Trap: a cargo waits for the cargo that uses the same directory. From a build script that is for ever; use
    /// [`for_build_script`](crate::for_build_script) there, and [`beside_cargo`](Self::beside_cargo) in tests.
    #[must_use]
    pub fn target_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.target_directory = Some(directory.into());
        self
    }

    /// Compiles in a directory of its own within that of the workspace, `target/guests`, so that it does not wait for a cargo
    /// around it.
    #[must_use]
    pub fn beside_cargo(mut self) -> Self {
        self.beside_cargo = true;
        self
    }

    /// Refuses to change the lock file where there is one.
    #[must_use]
    pub fn locked(mut self, locked: bool) -> Self {
        self.locked = locked;
        self
    }

    /// Compiles, and returns the components in the order in which the packages were named.
    pub fn run(&self) -> Result<Vec<Artifact>, BuildError> {
        let metadata = Metadata::read(&self.directory)?;
        self.run_in(&metadata)
    }

    pub(crate) fn run_in(&self, metadata: &Metadata) -> Result<Vec<Artifact>, BuildError> {
        let packages = self.selected(metadata)?;
        target::require(&self.directory)?;
        let built = self.compile(metadata, &packages)?;
        packages.iter().map(|package| artifact_of(package, &built)).collect()
    }

    fn selected<'a>(&self, metadata: &'a Metadata) -> Result<Vec<&'a Package>, BuildError> {
        if self.packages.is_empty() {
            Ok(vec![metadata.package_in(&self.directory)?])
        } else {
            self.packages.iter().map(|name| metadata.package_named(name)).collect()
        }
    }

    fn compile(&self, metadata: &Metadata, packages: &[&Package]) -> Result<Vec<Built>, BuildError> {
        let mut command = cargo(&self.directory);
        command.args(["build", "--lib", "--release", "--target", TARGET]);
        command.arg("--config").arg(format!("target.{TARGET}.rustflags=['-Clink-arg=--initial-heap={HEAP}']"));
        command.arg("--message-format=json-render-diagnostics");
        for package in packages {
            command.args(["--package", &package.name]);
        }
        let beside = self.beside_cargo.then(|| metadata.target_directory.join(GUESTS));
        if let Some(directory) = self.target_directory.as_ref().or(beside.as_ref()) {
            // Relative to our directory, not to that of the crate where cargo runs.
            let directory =
                absolute(directory).map_err(|source| BuildError::Unreadable { path: directory.clone(), source })?;
            command.arg("--target-dir").arg(directory);
        }
        if self.locked && metadata.workspace_root.join("Cargo.lock").is_file() {
            command.arg("--locked");
        }
        run_cargo(&mut command)
    }
}

/// The one kind of cargo's messages that matters here. The others have no `filenames`.
#[derive(Debug, Deserialize)]
struct Built {
    #[serde(default)]
    manifest_path: PathBuf,
    #[serde(default)]
    filenames: Vec<PathBuf>,
}

fn run_cargo(command: &mut Command) -> Result<Vec<Built>, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |source| BuildError::Program { program: program.clone(), source };
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let read = read_messages(&mut child, failed);
    let status = child.wait().map_err(failed)?;
    if !status.success() {
        return Err(BuildError::Failed { status });
    }
    read
}

fn read_messages(child: &mut Child, failed: impl Fn(std::io::Error) -> BuildError) -> Result<Vec<Built>, BuildError> {
    let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
    lines
        .map(|line| {
            serde_json::from_str(&line.map_err(&failed)?)
                .map_err(|source| BuildError::UnknownOutput { command: "cargo build", source })
        })
        .collect()
}

fn artifact_of(package: &Package, built: &[Built]) -> Result<Artifact, BuildError> {
    let is_component = |file: &&PathBuf| file.extension() == Some(OsStr::new("wasm"));
    built
        .iter()
        .filter(|artifact| artifact.manifest_path == package.manifest_path)
        .find_map(|artifact| artifact.filenames.iter().find(is_component))
        .map(|file| Artifact { package: package.name.clone(), component: file.clone() })
        .ok_or_else(|| BuildError::NoArtifact { package: package.name.clone() })
}
