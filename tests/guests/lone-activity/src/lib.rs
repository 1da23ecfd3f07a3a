//! An activity in a component without workflows, which is fine.

use everturn_sdk::prelude::*;

/// Doubles a number.
#[activity]
async fn double(_ctx: ActivityCtx, number: u32) -> Result<u32> {
    Ok(number * 2)
}
