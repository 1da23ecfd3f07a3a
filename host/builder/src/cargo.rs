//! A cargo that knows nothing of the cargo around it: a guest is compiled the same from a shell, from `cargo run` and
//! from a build script under clippy.

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Output};

use crate::BuildError;

/// What would change how a guest is compiled: flags and wrappers meant for the code of the host. (clippy is a wrapper.)
const COMPILES_OTHERWISE: [&str; 9] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_TARGET",
    "CLIPPY_ARGS",
];

/// What cargo tells a build script or a program it runs about the package that it belongs to, which is another one.
const SPEAKS_OF_ANOTHER_PACKAGE: [&str; 7] =
    ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_PRIMARY_PACKAGE", "DEP_", "OUT_DIR"];

/// cargo, the one that runs us if one does, in a directory and with a clean environment.
///
/// The rest of the environment stays: `CARGO_HOME`, proxies, `CARGO_NET_OFFLINE` and the job server are the user's.
pub(crate) fn cargo(directory: &Path) -> Command {
    tool(&named_by("CARGO", "cargo"), directory)
}

/// The compiler that cargo would use in a directory.
pub(crate) fn rustc(directory: &Path) -> Command {
    tool(&named_by("RUSTC", "rustc"), directory)
}

/// Any program of the toolchain, in a directory and with a clean environment.
pub(crate) fn tool(program: &OsString, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    for (name, _) in env::vars_os() {
        if name.to_str().is_some_and(leaks) {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a command to its end and collects what it prints.
pub(crate) fn output(command: &mut Command) -> Result<Output, BuildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.output().map_err(|source| BuildError::Program { program, source })
}

fn named_by(variable: &str, default: &str) -> OsString {
    env::var_os(variable).unwrap_or_else(|| default.into())
}

fn leaks(variable: &str) -> bool {
    COMPILES_OTHERWISE.contains(&variable)
        || SPEAKS_OF_ANOTHER_PACKAGE.iter().any(|prefix| variable.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::leaks;

    #[test]
    fn flags_of_the_host_leak_and_settings_of_the_user_do_not() {
        for variable in ["RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_PKG_NAME", "DEP_Z_ROOT", "OUT_DIR"] {
            assert!(leaks(variable), "{variable} must not reach the guest's build");
        }
        for variable in
            ["PATH", "CARGO_HOME", "CARGO_NET_OFFLINE", "CARGO_MAKEFLAGS", "CARGO_TARGET_DIR", "RUSTUP_TOOLCHAIN"]
        {
            assert!(!leaks(variable), "{variable} is the user's");
        }
    }
}
