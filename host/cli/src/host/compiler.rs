//! Who compiles components: this program, in processes of their own, with the limits that the options give.

use std::path::PathBuf;

use everturn_runtime::{Compiler, Limits};

use crate::arguments::{COMPILE, HostOptions};
use crate::outcome::Error;

const MIB: usize = 1024 * 1024;

pub(super) fn limits(options: &HostOptions) -> Limits {
    let default = Limits::default();
    let memory = options.compile_memory.and_then(|mebibytes| usize::try_from(mebibytes).ok()?.checked_mul(MIB));
    Limits {
        compile_time: options.compile_time.unwrap_or(default.compile_time),
        compile_memory: memory.unwrap_or(default.compile_memory),
        ..default
    }
}

pub(super) fn child() -> Result<Compiler, Error> {
    Ok(Compiler::Child { program: program()?, arguments: vec![COMPILE.into()] })
}

/// This program as it was started: what lies under its name may be another version by now, or nothing.
#[cfg(target_os = "linux")]
fn program() -> Result<PathBuf, Error> {
    Ok(PathBuf::from("/proc/self/exe"))
}

#[cfg(not(target_os = "linux"))]
fn program() -> Result<PathBuf, Error> {
    use crate::outcome::Blame;
    use anyhow::Context;
    std::env::current_exe().context("the system does not say where this program is").or_internal()
}
