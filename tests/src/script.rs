//! The workflow `script` of the test guests once more, on the core without WebAssembly, and random scripts for both.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::time::Duration;

use everturn_replay::{ActivityOptions, ChildOptions, ContinueOptions, Failure, Moment, Resolution, RetryPolicy};
use everturn_test_guests::script::{Callee, Limit, Retry, Script, Step};
use everturn_test_world::guest::{Ctx, Guest, Outcome};
use everturn_test_world::world::{Choices, EVENT_NAMES};
use futures::FutureExt;
use futures::future::{LocalBoxFuture, select, try_join_all};
use serde_json::json;

/// A guest that plays this script on the core.
pub fn core_guest(script: Script) -> Guest {
    Guest::new(move |ctx| {
        let script = script.clone();
        async move { play_all(&ctx, &script).await }
    })
}

async fn play_all(ctx: &Ctx, script: &[Step]) -> Outcome {
    let mut log = Vec::new();
    for step in script {
        log.push(play(ctx, step).await?);
    }
    Ok(format!("[{}]", log.join(", ")))
}

fn play<'a>(ctx: &'a Ctx, step: &'a Step) -> LocalBoxFuture<'a, Outcome> {
    async move {
        Ok(match step {
            Step::Activity(callee) => shown(&call_activity(ctx, callee).await),
            Step::Child(callee) => shown(&call_child(ctx, callee).await),
            Step::Timer { milliseconds } => {
                let when = Moment::After(Duration::from_millis(*milliseconds));
                shown(&ctx.awaited(|execution| execution.create_timer(when, None)).await)
            }
            Step::Wait { event, limit } => {
                let timeout = match limit {
                    Limit::Never => None,
                    Limit::Zero => Some(Duration::ZERO),
                    Limit::Milliseconds(limit) => Some(Duration::from_millis(*limit)),
                };
                format!("{:?}", ctx.wait(event, timeout).await)
            }
            Step::Join(steps) => try_join_all(steps.iter().map(|step| play(ctx, step))).await?.join(" and "),
            Step::Select(left, right) => select(play(ctx, left), play(ctx, right)).await.factor_first().0?,
            Step::Patched { id, steps } if ctx.with(|execution| execution.patched(id)) => play_all(ctx, steps).await?,
            Step::Patched { .. } => "not patched".to_owned(),
            other => do_now(ctx, other)?,
        })
    }
    .boxed_local()
}

fn do_now(ctx: &Ctx, step: &Step) -> Outcome {
    ctx.with(|execution| {
        match step {
            Step::RaiseEvent { instance_id, event, data } => {
                execution.raise_event(instance_id.as_str().into(), event.clone(), data.to_string());
            }
            Step::StartDetached { workflow, input } => {
                let id = execution.start_detached(workflow.clone(), input.to_string(), Default::default());
                return Ok(id.to_string());
            }
            Step::CustomStatus(status) => execution.set_custom_status(status.to_string()),
            Step::Uuid => return Ok(execution.uuid()),
            Step::Random { length } => {
                let mut bytes = vec![0; *length];
                execution.random_bytes(&mut bytes);
                return Ok(format!("{bytes:?}"));
            }
            Step::Now => return Ok(format!("{:?}", execution.now())),
            Step::ContinueAsNew { steps, keep_unread_events } => {
                let options = ContinueOptions { keep_unread_events: *keep_unread_events, version: None };
                execution.continue_as_new(json!(steps).to_string(), options);
            }
            Step::Fail { error_type } => return Err(failure(error_type)),
            waiting => unreachable!("{waiting:?} waits"),
        }
        Ok("done".to_owned())
    })
}

fn failure(error_type: &str) -> Failure {
    Failure {
        error_type: error_type.to_owned(),
        message: String::new(),
        details: None,
        causes: vec![],
        retriable: true,
    }
}

fn shown(resolution: &Resolution) -> String {
    format!("{resolution:?}")
}

async fn call_activity(ctx: &Ctx, callee: &Callee) -> Resolution {
    let options = ActivityOptions { retry: callee.retry.as_ref().map(policy), ..ActivityOptions::default() };
    ctx.awaited(|execution| execution.call_activity(callee.name.clone(), callee.input.to_string(), options)).await
}

async fn call_child(ctx: &Ctx, callee: &Callee) -> Resolution {
    let options = ChildOptions { retry: callee.retry.as_ref().map(policy), ..ChildOptions::default() };
    ctx.awaited(|execution| execution.call_child(callee.name.clone(), callee.input.to_string(), options)).await
}

fn policy(retry: &Retry) -> RetryPolicy {
    RetryPolicy {
        max_attempts: retry.max_attempts,
        first_interval: Duration::from_millis(retry.first_interval_milliseconds),
        coefficient: retry.coefficient,
        max_interval: None,
        timeout: None,
        non_retriable: vec![],
    }
}

/// A script of a few random steps, the same for the same seed.
pub fn random_script(seed: u64) -> Script {
    let mut choices = Choices(seed);
    let length = 1 + choices.below(6);
    let mut script: Script = (0..length).map(|_| random_step(&mut choices, 2)).collect();
    match choices.below(6) {
        0 => script.push(Step::ContinueAsNew { steps: vec![Step::Now], keep_unread_events: choices.below(2) == 0 }),
        1 => script.push(Step::Fail { error_type: "Scripted".to_owned() }),
        _ => {}
    }
    script
}

fn random_step(choices: &mut Choices, depth: usize) -> Step {
    // Steps that contain steps come last, and only as long as there is depth left.
    let kinds = if depth == 0 { 10 } else { 16 };
    match choices.below(kinds) {
        0 | 1 => Step::Activity(random_callee(choices, "activity")),
        2 => Step::Child(random_callee(choices, "child")),
        3 => Step::Timer { milliseconds: 500 * choices.below(10) as u64 },
        4 | 5 => {
            Step::Wait { event: EVENT_NAMES[choices.below(EVENT_NAMES.len())].to_owned(), limit: random_limit(choices) }
        }
        6 => Step::RaiseEvent { instance_id: "other".to_owned(), event: "hello".to_owned(), data: json!(1) },
        7 => Step::StartDetached { workflow: "park".to_owned(), input: json!(null) },
        8 => Step::CustomStatus(json!(choices.below(100))),
        9 => [Step::Uuid, Step::Random { length: 5 }, Step::Now][choices.below(3)].clone(),
        10 | 11 => {
            let count = 2 + choices.below(3);
            Step::Join((0..count).map(|_| random_step(choices, depth - 1)).collect())
        }
        12 | 13 => {
            let left = random_step(choices, depth - 1);
            Step::Select(Box::new(left), Box::new(random_step(choices, depth - 1)))
        }
        _ => Step::Patched { id: format!("patch-{}", choices.below(3)), steps: vec![random_step(choices, depth - 1)] },
    }
}

fn random_limit(choices: &mut Choices) -> Limit {
    match choices.below(4) {
        0 => Limit::Zero,
        1 | 2 => Limit::Milliseconds(500 * (1 + choices.below(10) as u64)),
        _ => Limit::Never,
    }
}

fn random_callee(choices: &mut Choices, kind: &str) -> Callee {
    let retry = (choices.below(2) == 0).then(|| Retry {
        max_attempts: 1 + u32::try_from(choices.below(3)).unwrap(),
        first_interval_milliseconds: 500,
        coefficient: 2.0,
    });
    Callee { name: format!("{kind}-{}", choices.below(3)), input: json!(choices.below(100)), retry }
}
