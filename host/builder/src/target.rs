//! The WebAssembly target that guests compile to: is it installed, and if not, installs it.

use std::io;
use std::path::Path;
use std::process::Stdio;

use crate::BuildError;
use crate::cargo::{output, rustc, tool};

/// What guests compile to.
pub const TARGET: &str = "wasm32-wasip2";

/// Makes sure that the toolchain of a directory has the target; installs it where rustup can.
pub(crate) fn require(directory: &Path) -> Result<(), BuildError> {
    if is_installed(directory)? { Ok(()) } else { install(directory) }
}

fn is_installed(directory: &Path) -> Result<bool, BuildError> {
    let answer = output(rustc(directory).args(["--print", "target-libdir", "--target", TARGET]))?;
    // A compiler too old to know the target fails here, and rustup is the one to say so.
    let library = String::from_utf8_lossy(&answer.stdout);
    Ok(answer.status.success() && Path::new(library.trim_end()).is_dir())
}

fn install(directory: &Path) -> Result<(), BuildError> {
    // Its stdout joins stderr: ours is for the answer alone.
    let ended = tool(&"rustup".into(), directory)
        .args(["target", "add", TARGET])
        .stdout(io::stderr())
        .stdin(Stdio::null())
        .status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(BuildError::TargetNotInstalled { status }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(BuildError::TargetMissing),
        Err(source) => Err(BuildError::Program { program: "rustup".to_owned(), source }),
    }
}
