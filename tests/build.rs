//! Compiles the guests that the tests run, so that `cargo test` is the only command there is.

use std::process::ExitCode;

fn main() -> ExitCode {
    everturn_builder::for_build_script(&[
        "everturn-test-guests",
        "everturn-test-guest-socket",
        "everturn-test-approval",
        "everturn-test-crash",
        "everturn-test-versions",
        "order",
        "batch",
        "extensions",
        "payment",
    ])
}
