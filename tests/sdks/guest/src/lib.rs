//! WebAssembly workflows that meet workers in other languages: they call what those offer, and are called by them.

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to call, by the name under which a worker offers it.
#[derive(Clone, Serialize, Deserialize)]
struct Call {
    name: String,
    input: Value,
}

/// Calls an activity; the result is its answer.
#[workflow]
async fn wasm_calls_activity(ctx: Ctx, call: Call) -> Result<Value> {
    ctx.activity(call.name, &call.input).await
}

/// Calls a child; the result is its answer.
#[workflow]
async fn wasm_calls_child(ctx: Ctx, call: Call) -> Result<Value> {
    ctx.child(call.name, &call.input).await
}

/// Calls an activity; the result is how that failed.
#[workflow]
async fn wasm_witness(ctx: Ctx, call: Call) -> Result<(String, String)> {
    match ctx.activity::<Value>(call.name, &call.input).await {
        Ok(answer) => Ok(("no failure".into(), answer.to_string())),
        Err(error) => Ok((error.failure().error_type.clone(), error.failure().message.clone())),
    }
}

/// Adds numbers, all by itself.
#[workflow]
async fn wasm_adds(_ctx: Ctx, numbers: Vec<u64>) -> Result<u64> {
    Ok(numbers.iter().sum())
}
