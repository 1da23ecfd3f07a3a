//! Compiles the workflows that this program runs.

use std::process::ExitCode;

fn main() -> ExitCode {
    everturn_builder::for_build_script(&["approval"])
}
