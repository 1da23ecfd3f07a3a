//! Why there is no component. What the compiler found wrong with the code is not repeated here: cargo has printed it.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::TARGET;

/// Why a crate was not compiled to a component.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no `Cargo.toml` where one was expected.
    #[error("{} holds no Cargo.toml: give the directory of a workflow crate", .directory.display())]
    NoManifest {
        /// The directory asked for.
        directory: PathBuf,
    },

    /// The directory is a workspace without a package of its own.
    #[error(
        "{} is a workspace, not a workflow crate: give the directory of one of its crates ({})",
        .directory.display(), listed(.candidates)
    )]
    NotACrate {
        /// The directory asked for.
        directory: PathBuf,
        /// The packages in it that could be built.
        candidates: Vec<String>,
    },

    /// The workspace has no package of that name.
    #[error("there is no workflow crate {name} in {}: there is {}", .workspace.display(), listed(.candidates))]
    UnknownPackage {
        /// The name asked for.
        name: String,
        /// The root of the workspace.
        workspace: PathBuf,
        /// The packages in it that could be built.
        candidates: Vec<String>,
    },

    /// The crate does not ask for a dynamic library, which is what becomes a component.
    #[error(
        "{package} does not compile to a component: add `[lib]` with `crate-type = [\"cdylib\"]` to {}",
        .manifest.display()
    )]
    NotAComponent {
        /// The package's name.
        package: String,
        /// Its `Cargo.toml`.
        manifest: PathBuf,
    },

    /// The target is missing and cannot be installed from here.
    #[error("the Rust target {TARGET} is not installed: run `rustup target add {TARGET}`")]
    TargetMissing,

    /// rustup was asked to install the target and failed. Its own words are on stderr.
    #[error("rustup could not install the Rust target {TARGET} ({status}): run `rustup target add {TARGET}`")]
    TargetNotInstalled {
        /// How rustup ended.
        status: ExitStatus,
    },

    /// cargo read the manifest and refused it.
    #[error("cargo cannot read {}:\n{}", .manifest.display(), .message.trim_end())]
    Manifest {
        /// The manifest.
        manifest: PathBuf,
        /// What cargo said.
        message: String,
    },

    /// The code does not compile, or cargo could not get so far. Its own words are on stderr.
    #[error("cargo did not build the component ({status}): see what it says above")]
    Failed {
        /// How cargo ended.
        status: ExitStatus,
    },

    /// A program is missing or could not be run.
    #[error("failed to run {program}: {source}")]
    Program {
        /// Which one.
        program: String,
        /// Why.
        source: io::Error,
    },

    /// A file that cargo wrote could not be read, or not copied.
    #[error("failed to read or copy {}: {source}", .path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },

    /// cargo's machine-readable output is not what we know: a fault of this crate or a cargo from another time.
    #[error("cannot understand what {command} printed: {source}")]
    UnknownOutput {
        /// Which command.
        command: &'static str,
        /// Where reading stopped.
        source: serde_json::Error,
    },

    /// cargo succeeded and named no file for a package: a fault of this crate or a cargo from another time.
    #[error("cargo built {package} and named no component")]
    NoArtifact {
        /// The package's name.
        package: String,
    },

    /// A build script function was called outside a build script.
    #[error("{variable} is not set: call this from a build script only")]
    NotABuildScript {
        /// The variable that cargo sets for build scripts.
        variable: &'static str,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none that compiles to a component".to_owned() } else { names.join(", ") }
}
