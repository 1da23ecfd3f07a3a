//! Components built from within a build script, so that tests and programs can embed them and nobody has to run a
//! second command.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::metadata::Metadata;
use crate::{Artifact, Build, BuildError, dependencies};

/// Builds packages of the workspace and tells the crate under compilation where their components are.
///
/// It is the whole of a build script:
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     everturn_builder::for_build_script(&["everturn-test-guests", "approval"])
/// }
/// ```
///
/// For each package the crate then has an environment variable, named by [`environment_variable`], at compile time:
/// `env!("EVERTURN_TEST_GUESTS_WASM")` is the absolute path of a file, and `include_bytes!(env!("APPROVAL_WASM"))` its
/// content. cargo runs the script again when a source file of a component, a manifest or the lock file has changed.
///
/// A failure is printed as cargo's own error, with the compiler's diagnostics above it.
pub fn for_build_script(packages: &[&str]) -> ExitCode {
    match build(packages) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

/// The variable that names a package's component: `everturn-test-guests` gives `EVERTURN_TEST_GUESTS_WASM`.
pub fn environment_variable(package: &str) -> String {
    package.replace('-', "_").to_uppercase() + "_WASM"
}

fn build(packages: &[&str]) -> Result<(), BuildError> {
    let directory = set_by_cargo("CARGO_MANIFEST_DIR")?;
    let output = set_by_cargo("OUT_DIR")?;
    let metadata = Metadata::read(&directory)?;
    let built =
        Build::of_packages(&directory, packages.iter().copied()).beside_cargo().locked(true).run_in(&metadata)?;
    for artifact in &built {
        keep(artifact, &output)?;
        dependencies::sources_of(&artifact.component)?.iter().for_each(|source| watch(source));
    }
    watch_manifests(&metadata);
    Ok(())
}

fn set_by_cargo(variable: &'static str) -> Result<PathBuf, BuildError> {
    env::var_os(variable).map(PathBuf::from).ok_or(BuildError::NotABuildScript { variable })
}

/// Copies a component to where no other build script overwrites it while a test reads it.
fn keep(artifact: &Artifact, output: &Path) -> Result<(), BuildError> {
    let copy = output.join(&artifact.package).with_extension("wasm");
    fs::copy(&artifact.component, &copy)
        .map_err(|source| BuildError::Unreadable { path: artifact.component.clone(), source })?;
    println!("cargo::rustc-env={}={}", environment_variable(&artifact.package), copy.display());
    Ok(())
}

/// What no compiler notes: dependencies, features and profiles.
fn watch_manifests(metadata: &Metadata) {
    watch(&metadata.workspace_root.join("Cargo.toml"));
    watch(&metadata.workspace_root.join("Cargo.lock"));
    for package in &metadata.packages {
        watch(&package.manifest_path);
    }
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

#[cfg(test)]
mod tests {
    use super::environment_variable;

    #[test]
    fn a_package_has_one_variable() {
        assert_eq!(environment_variable("everturn-test-guests"), "EVERTURN_TEST_GUESTS_WASM");
        assert_eq!(environment_variable("approval"), "APPROVAL_WASM");
    }
}
