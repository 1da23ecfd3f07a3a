//! Gives the command what it has with it: the example that `everturn demo` runs, compiled, and those that `everturn new`
//! copies, as they are.

mod templates;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Err(problem) = templates::collect() {
        println!("cargo::error=the templates of `everturn new`: {problem}");
        return ExitCode::FAILURE;
    }
    everturn_builder::for_build_script(&["order"])
}
