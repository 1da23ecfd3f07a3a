//! Compiles the workflows that are measured.

use std::process::ExitCode;

fn main() -> ExitCode {
    everturn_builder::for_build_script(&["everturn-bench-guest"])
}
