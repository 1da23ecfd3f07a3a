//! Which packages a workspace has and which of them can become components, as cargo tells it. Dependencies from
//! registries are not asked for, so that this needs neither a network nor a lock file.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::BuildError;
use crate::cargo::{cargo, output};

/// A workspace, or a crate that stands alone.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_root: PathBuf,
    pub(crate) target_directory: PathBuf,
}

/// One package of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

impl Metadata {
    /// Reads the workspace that a directory belongs to.
    pub(crate) fn read(directory: &Path) -> Result<Self, BuildError> {
        let manifest = directory.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(BuildError::NoManifest { directory: directory.to_owned() });
        }
        let answer = output(cargo(directory).args(["metadata", "--no-deps", "--format-version", "1"]))?;
        if !answer.status.success() {
            let message = String::from_utf8_lossy(&answer.stderr).into_owned();
            return Err(BuildError::Manifest { manifest, message });
        }
        serde_json::from_slice(&answer.stdout)
            .map_err(|source| BuildError::UnknownOutput { command: "cargo metadata", source })
    }

    /// The package that lives in a directory.
    pub(crate) fn package_in(&self, directory: &Path) -> Result<&Package, BuildError> {
        let wanted = directory.join("Cargo.toml").canonicalize().ok();
        self.packages
            .iter()
            .find(|package| package.manifest_path.canonicalize().ok() == wanted)
            .ok_or_else(|| BuildError::NotACrate { directory: directory.to_owned(), candidates: self.candidates() })?
            .checked()
    }

    /// The package of a name.
    pub(crate) fn package_named(&self, name: &str) -> Result<&Package, BuildError> {
        self.packages
            .iter()
            .find(|package| package.name == name)
            .ok_or_else(|| BuildError::UnknownPackage {
                name: name.to_owned(),
                workspace: self.workspace_root.clone(),
                candidates: self.candidates(),
            })?
            .checked()
    }

    fn candidates(&self) -> Vec<String> {
        self.packages.iter().filter(|package| package.is_component()).map(|package| package.name.clone()).collect()
    }
}

impl Package {
    fn is_component(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "cdylib"))
    }

    fn checked(&self) -> Result<&Self, BuildError> {
        if self.is_component() {
            Ok(self)
        } else {
            Err(BuildError::NotAComponent { package: self.name.clone(), manifest: self.manifest_path.clone() })
        }
    }
}
