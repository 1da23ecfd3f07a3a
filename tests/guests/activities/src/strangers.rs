//! Calls that belong to the other kind of function. The SDK offers no way to make them, so these go past it.

use everturn_sdk::prelude::*;

#[link(wasm_import_module = "everturn:workflow/context@0.1.0")]
unsafe extern "C" {
    #[link_name = "history-length"]
    safe fn history_length() -> u64;
}

#[link(wasm_import_module = "everturn:activity/context@0.1.0")]
unsafe extern "C" {
    /// With an optional text: whether it is there, its address and its length.
    #[link_name = "heartbeat"]
    safe fn heartbeat(is_some: i32, address: usize, length: usize) -> i32;
}

#[activity]
async fn asks_as_a_workflow(_ctx: ActivityCtx) -> Result<u64> {
    Ok(history_length())
}

#[workflow]
async fn beats_as_an_activity(_ctx: Ctx) -> Result<bool> {
    Ok(heartbeat(0, 0, 0) == 1)
}
