//! Compiles the workflows that meet the SDKs. Only where the tests are asked for: nobody else needs them.

use std::env;
use std::process::ExitCode;

fn main() -> ExitCode {
    if env::var_os("CARGO_FEATURE_SDKS").is_none() {
        return ExitCode::SUCCESS;
    }
    everturn_builder::for_build_script(&["everturn-sdk-test-guest"])
}
