//! From the argument COMPONENT to a loaded component: builds it if it is a crate, and keeps what was compiled.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use everturn_builder::Build;
use everturn_guest::{Component, ComponentCache, Engine, Limits};

use crate::outcome::{Blame, Error};

/// Compiles the crate in a directory.
pub(crate) fn build(directory: &Path) -> Result<PathBuf, Error> {
    let built = Build::of_crate(directory).run().or_input()?;
    let artifact = built.into_iter().next().ok_or_else(|| anyhow!("the build made no component")).or_internal()?;
    Ok(artifact.component)
}

/// Loads a `.wasm` file, or builds a crate and loads that.
pub(crate) fn load(path: &Path, use_cache: bool) -> Result<Component, Error> {
    let file = if path.is_dir() { build(path)? } else { path.to_owned() };
    let wasm =
        fs::read(&file).with_context(|| format!("failed to read the component {}", file.display())).or_input()?;
    let engine = Engine::new(Limits::default()).or_internal()?;
    let component = match if use_cache { cache()? } else { None } {
        Some(cache) => engine.load_cached(&wasm, &cache),
        None => engine.load(&wasm),
    };
    component.with_context(|| format!("cannot use {} as a component", file.display())).or_input()
}

/// Where compiled components are kept. A directory that the user chose has to be usable; the usual one only saves time.
fn cache() -> Result<Option<ComponentCache>, Error> {
    if let Some(chosen) = chosen_cache() {
        return ComponentCache::open(chosen).context("EVERTURN_CACHE_DIR").or_input().map(Some);
    }
    let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    Ok(caches.and_then(|caches| ComponentCache::open(caches.join("everturn").join("components")).ok()))
}

/// The directory that the user chose for compiled components.
pub(crate) fn chosen_cache() -> Option<PathBuf> {
    set("EVERTURN_CACHE_DIR")
}

fn set(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
