//! Compiles the example that `everturn demo` runs, so that the command has it with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    everturn_builder::for_build_script(&["order"])
}
