//! The checkout of everturn that a new crate uses: the SDK is there, and what goes with it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::place::in_code;
use crate::outcome::{Blame, Error};

/// Where this command was built: `host/cli` of a checkout.
const BUILT_IN: &str = env!("CARGO_MANIFEST_DIR");
/// What crates use from there. A directory without them is no checkout.
const CRATES: [&str; 2] = ["guest-sdk", "host/testkit"];

/// A checkout.
#[derive(Debug)]
pub(super) struct Checkout {
    root: PathBuf,
}

impl Checkout {
    /// The one that was given, or the one that this command was built from.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, Error> {
        match given {
            Some(given) => Self::at(given).context("--sdk"),
            None => Self::built_from(Path::new(BUILT_IN).ancestors().nth(2).unwrap_or(Path::new("/"))),
        }
        .or_input()
    }

    fn built_from(directory: &Path) -> anyhow::Result<Self> {
        Self::at(directory).context("this command was built from a checkout that is gone; give another with --sdk DIR")
    }

    fn at(directory: &Path) -> anyhow::Result<Self> {
        let missing = |name: &&str| !directory.join(name).join("Cargo.toml").is_file();
        if let Some(missing) = CRATES.iter().find(|name| missing(name)) {
            return Err(anyhow!("{} is no checkout of everturn: it has no {missing}", directory.display()));
        }
        Ok(Self { root: directory.canonicalize()? })
    }

    /// How a crate in a directory names the checkout.
    ///
    /// Beside it or inside, by a relative path: the two are moved, mounted and copied together. From anywhere else by an
    /// absolute one: what is moved then is the crate, and the checkout stays where it is.
    pub(super) fn seen_from(&self, directory: &Path) -> String {
        let around = self.root.parent().filter(|_| directory.parent() == self.root.parent());
        let relative = match (around, directory.strip_prefix(&self.root)) {
            (Some(_), _) => self.root.file_name().map(|name| Path::new("..").join(name)),
            (None, Ok(inside)) => Some(inside.iter().map(|_| "..").collect()),
            (None, Err(_)) => None,
        };
        relative.as_ref().unwrap_or(&self.root).display().to_string().replace('\\', "/")
    }

    /// Whether a crate that uses the SDK uses one of this name, too. cargo would mix them up, or refuse them.
    pub(super) fn uses(&self, package: &str) -> Result<bool, Error> {
        let has_name = |entry: &str| {
            let mut names = entry.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            names.any(|name| in_code(name) == in_code(package))
        };
        // Those without a source are members of the workspace. Nobody uses the examples among them.
        let is_used = |entry: &str| entry.contains("\nsource = ") || package.starts_with("everturn");
        Ok(self.lock()?.split("[[package]]").any(|entry| has_name(entry) && is_used(entry)))
    }

    /// The versions of all crates that everturn was tested with, and that are here already. cargo drops those that the new
    /// crate does not need.
    pub(super) fn lock(&self) -> Result<String, Error> {
        self.read("Cargo.lock")
    }

    /// The toolchain of the checkout, which is installed already.
    pub(super) fn toolchain(&self) -> Result<String, Error> {
        let file = self.read("rust-toolchain.toml")?;
        let channel = file.lines().find(|line| line.starts_with("channel = "));
        let channel = channel.ok_or_else(|| anyhow!("rust-toolchain.toml names no channel")).or_input()?;
        Ok(format!("[toolchain]\n{channel}\ntargets = [\"{}\"]\n", everturn_builder::TARGET))
    }

    /// How the engine is compiled for tests: the last part of the manifest.
    pub(super) fn profile(&self) -> Result<String, Error> {
        let manifest = self.read("Cargo.toml")?;
        let profile = manifest.find("[profile.dev]").map(|begin| manifest[begin..].to_owned());
        profile.ok_or_else(|| anyhow!("Cargo.toml has no [profile.dev]")).or_input()
    }

    /// The directory of the command, for `cargo install`.
    pub(super) fn command(&self) -> PathBuf {
        self.root.join("host").join("cli")
    }

    fn read(&self, name: &str) -> Result<String, Error> {
        let path = self.root.join(name);
        fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display())).or_input()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_named_by_relative_paths_and_others_by_absolute_ones() {
        let checkout = Checkout { root: PathBuf::from("/code/everturn") };
        for (directory, named) in [
            ("/code/greeting", "../everturn"),
            ("/code/everturn/greeting", ".."),
            ("/code/everturn/examples/greeting", "../.."),
            ("/code/team/greeting", "/code/everturn"),
            ("/greeting", "/code/everturn"),
            ("/code/everturn-greeting", "../everturn"),
        ] {
            assert_eq!(checkout.seen_from(Path::new(directory)), named, "{directory}");
        }
    }

    #[test]
    fn what_this_command_was_built_from_is_a_checkout() {
        Checkout::find(None).unwrap();
    }

    #[test]
    fn a_checkout_that_is_gone_can_be_replaced() {
        let gone = tempfile::tempdir().unwrap().path().join("everturn");
        let said = format!("{:#}", Checkout::built_from(&gone).unwrap_err()).replace(gone.to_str().unwrap(), "GONE");
        let expected = "this command was built from a checkout that is gone; give another with --sdk DIR: \
                        GONE is no checkout of everturn: it has no guest-sdk";
        assert_eq!(said, expected);
    }
}
