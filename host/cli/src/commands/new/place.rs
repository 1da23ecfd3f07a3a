//! From the argument NAME to a place for the crate, and a name that cargo takes. Nothing that is there is touched, and
//! nothing half-made is left.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::checkout::Checkout;
use crate::outcome::{Blame, Error};

/// What the language keeps for itself, and the crates that come with it.
const TAKEN: &str = "abstract alloc as async await become box break const continue core crate do dyn else enum extern \
                     false final fn for gen if impl in let loop macro match mod move mut override priv proc_macro pub \
                     ref return self static std struct super test trait true try type typeof unsafe unsized use \
                     virtual where while yield";

/// Where a crate will be, and what it will be called.
#[derive(Debug)]
pub(super) struct Place {
    /// The directory around it, which is there. It is absolute.
    parent: PathBuf,
    package: String,
}

impl Place {
    pub(super) fn new(given: &Path, checkout: &Checkout) -> Result<Self, Error> {
        let package = package_name(given).or_input()?.to_owned();
        if checkout.uses(&package)? {
            return Err(refused(&package, "it is that of a crate which workflow crates use")).or_input();
        }
        let parent = match given.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let parent = parent
            .canonicalize()
            .with_context(|| format!("{} cannot be made in {}", given.display(), parent.display()))
            .or_input()?;
        let place = Self { parent, package };
        // Not `exists`: that says no to a link that leads nowhere.
        if place.directory().symlink_metadata().is_ok() {
            return Err(anyhow!("{} is there already: choose another name", given.display())).or_input();
        }
        Ok(place)
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.parent.join(&self.package)
    }

    pub(super) fn package(&self) -> &str {
        &self.package
    }

    /// Makes the crate: all its files, or nothing.
    pub(super) fn fill(&self, files: &[(String, String)]) -> Result<(), Error> {
        self.try_fill(files).with_context(|| format!("failed to make {}", self.directory().display())).or_input()
    }

    fn try_fill(&self, files: &[(String, String)]) -> std::io::Result<()> {
        let beside = tempfile::Builder::new().prefix(".everturn-new-").tempdir_in(&self.parent)?;
        // A directory in it: the outer one is for the eyes of its owner only, and the crate need not be.
        let draft = beside.path().join(&self.package);
        for (path, content) in files {
            let path = draft.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, content)?;
        }
        fs::rename(draft, self.directory())
    }
}

/// The last part of a path, if cargo takes it as the name of a crate.
fn package_name(given: &Path) -> anyhow::Result<&str> {
    let Some(name) = given.file_name() else {
        return Err(anyhow!("`{}` names no new directory: give one, such as `everturn new greeting`", given.display()));
    };
    let name = name.to_str().ok_or_else(|| anyhow!("`{}` cannot be a name: it is no text", name.display()))?;
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || !name.chars().all(is_allowed) {
        return Err(refused(name, "it must begin with a letter and consist of letters, digits, - and _"));
    }
    if TAKEN.split(' ').any(|taken| taken == in_code(name)) {
        return Err(refused(name, "Rust has another meaning for it"));
    }
    Ok(name)
}

fn refused(name: &str, why: &str) -> anyhow::Error {
    anyhow!("`{name}` cannot be the name of a crate: {why}")
}

/// The name of a package as code has it.
pub(super) fn in_code(package: &str) -> String {
    package.replace('-', "_")
}
