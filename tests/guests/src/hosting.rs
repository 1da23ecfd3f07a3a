//! Workflows for tests of the host: each leaves to its input what the host has to deal with.

use std::time::{Duration, SystemTime};

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The time limits of a call, in milliseconds. What is absent is not set.
#[derive(Clone, Serialize, Deserialize)]
struct CallLimits {
    start_to_close: Option<u64>,
    schedule_to_close: Option<u64>,
    heartbeat: Option<u64>,
    /// Whether to wait for event `end` after the answer.
    #[serde(default)]
    stays: bool,
}

/// Calls activity `A` with these limits; the result is its answer, or the type of its error.
#[workflow]
async fn activity_with_limits(ctx: Ctx, limits: CallLimits) -> Result<Value> {
    let mut call = ctx.activity("A", &());
    if let Some(limit) = limits.start_to_close {
        call = call.start_to_close(Duration::from_millis(limit));
    }
    if let Some(limit) = limits.schedule_to_close {
        call = call.schedule_to_close(Duration::from_millis(limit));
    }
    if let Some(limit) = limits.heartbeat {
        call = call.heartbeat(Duration::from_millis(limit));
    }
    let answer = call.await.unwrap_or_else(|error| error.failure().error_type.clone().into());
    if limits.stays {
        ctx.wait_for_event::<()>("end").await?;
    }
    Ok(answer)
}

/// A child to call.
#[derive(Clone, Serialize, Deserialize)]
struct ChildToCall {
    workflow: String,
    input: Value,
    instance_id: String,
    /// Whether it is terminated when its parent ends.
    terminate: bool,
}

/// Calls a child until event `leave` comes; the result is the child's, the type of its error, or `left`.
#[workflow]
async fn calls_one_child(ctx: Ctx, child: ChildToCall) -> Result<Value> {
    let policy = if child.terminate { ParentClosePolicy::Terminate } else { ParentClosePolicy::Abandon };
    let mut call = ctx.child(child.workflow, &child.input).instance_id(child.instance_id).on_parent_close(policy);
    select! {
        answer = call => Ok(answer.unwrap_or_else(|error| error.failure().error_type.clone().into())),
        left = ctx.wait_for_event::<()>("leave") => left.map(|()| "left".into()),
    }
}

/// A workflow to start that is no child.
#[derive(Clone, Serialize, Deserialize)]
struct WorkflowToStart {
    workflow: String,
    input: Value,
    instance_id: String,
    start_at: Option<SystemTime>,
}

/// Starts a workflow that is no child, and is done.
#[workflow]
async fn starts_one_detached(ctx: Ctx, start: WorkflowToStart) -> Result<()> {
    let mut detached = ctx.start_detached(start.workflow, &start.input).instance_id(start.instance_id);
    if let Some(time) = start.start_at {
        detached = detached.start_at(time);
    }
    detached.start().map(drop)
}

/// Waits for event `go`, calls activity `echo` with what it carried, and panics with the answer.
#[workflow]
#[expect(clippy::panic, reason = "that is its fault")]
async fn panics_when_told(ctx: Ctx) -> Result<()> {
    let message: Value = ctx.wait_for_event("go").await?;
    let answer: String = ctx.activity("echo", &message).await?;
    panic!("{answer}")
}
