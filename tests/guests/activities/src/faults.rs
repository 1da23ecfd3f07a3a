//! What goes wrong, one thing each. Their names say which.

use std::hint::black_box;

use everturn_sdk::prelude::*;

#[activity]
#[expect(clippy::panic, reason = "that is its fault")]
async fn panics(_ctx: ActivityCtx, message: String) -> Result<()> {
    panic!("{message}")
}

#[activity]
async fn traps(_ctx: ActivityCtx) -> Result<()> {
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_family = "wasm"))]
    std::process::abort();
}

#[activity]
async fn exits(_ctx: ActivityCtx, code: i32) -> Result<()> {
    std::process::exit(code)
}

#[activity]
async fn loops_for_ever(ctx: ActivityCtx) -> Result<()> {
    // So that who waits for it knows that it runs.
    let _ = ctx.heartbeat();
    loop {
        black_box(());
    }
}

#[activity]
async fn waits_for_ever(ctx: ActivityCtx) -> Result<()> {
    let _ = ctx.heartbeat();
    std::thread::sleep(std::time::Duration::from_secs(100_000));
    Ok(())
}

#[activity]
async fn allocates_for_ever(_ctx: ActivityCtx) -> Result<()> {
    let mut hoard = Vec::new();
    loop {
        hoard.push(black_box(vec![1_u8; 1024 * 1024]));
    }
}

#[activity]
async fn recurses_for_ever(_ctx: ActivityCtx) -> Result<u64> {
    Ok(deeper(0))
}

#[expect(unconditional_recursion, reason = "that is its fault")]
fn deeper(depth: u64) -> u64 {
    // What is done after the call, and out of the optimiser's sight, keeps this from becoming a loop.
    black_box(deeper(black_box(depth + 1))) + black_box(depth)
}

#[activity]
async fn returns_bytes(_ctx: ActivityCtx, bytes: usize) -> Result<String> {
    Ok("x".repeat(bytes))
}

#[activity]
async fn beats_too_large(ctx: ActivityCtx, bytes: usize) -> Result<bool> {
    ctx.heartbeat_with(&"x".repeat(bytes))
}

/// Fails with all that a failure may have.
#[activity]
async fn fails(_ctx: ActivityCtx) -> Result<()> {
    let cause = Error::new("OutOfStock", "nothing is left");
    Err(Error::new("OrderFailed", "order 7 failed").details("on shelf 3").caused_by(cause).not_retriable())
}

#[activity]
async fn opens_a_file(_ctx: ActivityCtx) -> Result<String> {
    Ok(std::fs::read_to_string("/etc/hostname")?)
}
