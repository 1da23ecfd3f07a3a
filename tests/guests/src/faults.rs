//! Workflows that do what a workflow must not do, one wrong each. Their names say which.

use std::hint::black_box;
use std::time::Duration;

use everturn_sdk::futures::FutureExt;
use everturn_sdk::prelude::*;
use serde_json::Value;

/// One byte of text.
const LETTER: &str = "x";

#[workflow]
async fn loops_for_ever(_ctx: Ctx) -> Result<()> {
    loop {
        black_box(());
    }
}

#[workflow]
async fn recurses_for_ever(_ctx: Ctx) -> Result<u64> {
    Ok(deeper(0))
}

#[expect(unconditional_recursion, reason = "that is its fault")]
fn deeper(depth: u64) -> u64 {
    // What is done after the call, and out of the optimiser's sight, keeps this from becoming a loop.
    black_box(deeper(black_box(depth + 1))) + black_box(depth)
}

#[workflow]
async fn allocates_for_ever(_ctx: Ctx) -> Result<()> {
    let mut hoard = Vec::new();
    loop {
        hoard.push(black_box(vec![1_u8; 1024 * 1024]));
    }
}

/// Panics with the message it is given.
#[workflow]
#[expect(clippy::panic, reason = "that is its fault")]
async fn panics(_ctx: Ctx, message: String) -> Result<()> {
    panic!("{message}")
}

/// Waits a second, then panics with the message it is given.
#[workflow]
#[expect(clippy::panic, reason = "that is its fault")]
async fn panics_after_await(ctx: Ctx, message: String) -> Result<()> {
    ctx.sleep(Duration::from_secs(1)).await;
    panic!("{message}")
}

#[workflow]
async fn traps(_ctx: Ctx) -> Result<()> {
    #[cfg(target_family = "wasm")]
    core::arch::wasm32::unreachable();
    #[cfg(not(target_family = "wasm"))]
    std::process::abort();
}

#[workflow]
async fn exits(_ctx: Ctx) -> Result<()> {
    std::process::exit(3);
}

#[workflow]
async fn waits_for_nothing(_ctx: Ctx) -> Result<()> {
    std::future::pending().await
}

/// Waits a second, then for nothing.
#[workflow]
async fn waits_for_nothing_after_await(ctx: Ctx) -> Result<()> {
    ctx.sleep(Duration::from_secs(1)).await;
    std::future::pending().await
}

#[workflow]
async fn sleeps_the_thread(_ctx: Ctx) -> Result<()> {
    std::thread::sleep(Duration::from_secs(1));
    Ok(())
}

#[workflow]
async fn opens_a_file(_ctx: Ctx) -> Result<String> {
    Ok(std::fs::read_to_string("/etc/hostname")?)
}

#[workflow]
async fn spawns_a_thread(_ctx: Ctx) -> Result<()> {
    let thread = std::thread::Builder::new().spawn(|| ())?;
    thread.join().map_err(|_| Error::new("Panicked", "the thread panicked"))
}

/// Returns a text of that many bytes.
#[workflow]
async fn returns_huge(_ctx: Ctx, bytes: usize) -> Result<String> {
    Ok(LETTER.repeat(bytes))
}

/// Gives activity `store` a text of that many bytes.
#[workflow]
async fn huge_input_to_activity(ctx: Ctx, bytes: usize) -> Result<Value> {
    ctx.activity("store", &LETTER.repeat(bytes)).await
}

#[workflow]
async fn reads_env(_ctx: Ctx) -> Result<Vec<(String, String)>> {
    Ok(std::env::vars().collect())
}

#[workflow]
async fn reads_args(_ctx: Ctx) -> Result<Vec<String>> {
    Ok(std::env::args().collect())
}

#[workflow]
async fn reads_stdin(_ctx: Ctx) -> Result<String> {
    Ok(std::io::read_to_string(std::io::stdin())?)
}

/// Calls activity `forgotten` and forgets the call without dropping it, then activity `remembered`, whose answer is the
/// result.
#[workflow]
async fn forgets_a_future(ctx: Ctx) -> Result<Value> {
    let mut call = ctx.activity::<Value>("forgotten", &());
    if let Some(answer) = (&mut call).now_or_never() {
        return answer;
    }
    std::mem::forget(call);
    ctx.activity("remembered", &()).await
}

/// Writes that many log lines, and as many lines to stdout.
#[workflow]
async fn logs_a_lot(_ctx: Ctx, lines: u64) -> Result<u64> {
    for line in 0..lines {
        info!(line, "one more line");
        println!("one more line: {line}");
    }
    Ok(lines)
}

/// `returns_nonsense`: its result is no JSON. The macro does not allow that, so it is registered by hand.
mod nonsense {
    use everturn_sdk::__private::{Run, Workflow, inventory};
    use everturn_sdk::Ctx;
    use everturn_sdk::futures::FutureExt;

    fn start(_ctx: Ctx, _input: String) -> Run {
        async { Ok("{this is no JSON".to_owned()) }.boxed_local()
    }

    inventory::submit! {
        Workflow::new("returns_nonsense", "Returns what is no JSON.", start)
    }
}
