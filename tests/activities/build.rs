//! Compiles the activities that the tests run, so that `cargo test` is the only command there is.

use std::process::ExitCode;

fn main() -> ExitCode {
    everturn_builder::for_build_script(&[
        "everturn-test-activities",
        "everturn-test-guest-network",
        "everturn-test-lone-activity",
    ])
}
