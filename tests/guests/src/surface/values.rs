//! Typed values on their way in and out, those that fit and those that do not.

use std::collections::BTreeMap;

use everturn_sdk::error_types;
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize)]
struct Order {
    id: u64,
    #[serde(default)]
    lines: Vec<String>,
    status: Status,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    Closed { by: String },
}

/// Closes an order.
#[workflow]
async fn closes_an_order(_ctx: Ctx, order: Order) -> Result<Order> {
    Ok(Order { status: Status::Closed { by: "me".to_owned() }, ..order })
}

/// Takes a number or nothing, and returns a tuple of it and its double.
#[workflow]
async fn doubles(_ctx: Ctx, number: Option<u32>) -> Result<(Option<u32>, Option<u32>)> {
    Ok((number, number.map(|number| 2 * number)))
}

/// Looks neither at its input nor at what activity `A` answers, and returns nothing.
#[workflow]
async fn wants_nothing(ctx: Ctx, (): ()) -> Result<()> {
    ctx.activity("A", &()).await
}

/// Has no input.
#[workflow]
async fn has_no_input(_ctx: Ctx) -> Result<&'static str> {
    Ok("done")
}

/// Expects numbers of an activity, a child and an event, one after the other, and goes on where they are not; the
/// result is the error types.
#[workflow]
async fn expects_numbers(ctx: Ctx) -> Result<Vec<String>> {
    let answers =
        [ctx.activity::<u32>("A", &()).await, ctx.child("C", &()).await, ctx.wait_for_event::<u32>("E").await];
    let misfit = |answer: Result<u32>| answer.err().map(|error| (error.error_type.clone(), error.retriable));
    let misfits = answers.into_iter().filter_map(misfit);
    Ok(misfits.map(|(error_type, retriable)| format!("{error_type}, retriable: {retriable}")).collect())
}

/// Expects a number of activity `A`, and falls back to 0 where the answer is none.
#[workflow]
async fn falls_back(ctx: Ctx) -> Result<u32> {
    match ctx.activity("A", &()).await {
        Err(error) if error.is(error_types::INVALID_OUTPUT) => Ok(0),
        other => other,
    }
}

/// Where to put a value that cannot be written as JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    Activity,
    Child,
    Detached,
    Event,
    Status,
    Restart,
    Result,
}

/// Puts a value that cannot be written as JSON in this place.
#[workflow]
async fn puts_the_unwritable(ctx: Ctx, place: Place) -> Result<BTreeMap<(u8, u8), u8>> {
    // Only strings can be keys in JSON.
    let unwritable = BTreeMap::from([((1, 2), 3)]);
    match place {
        Place::Activity => ctx.activity::<Value>("A", &unwritable).await.map(drop)?,
        Place::Child => ctx.child::<Value>("C", &unwritable).await.map(drop)?,
        Place::Detached => ctx.start_detached("D", &unwritable).start().map(drop)?,
        Place::Event => ctx.raise_event("other", "e", &unwritable)?,
        Place::Status => ctx.set_custom_status(&unwritable)?,
        Place::Restart => return Err(ctx.continue_as_new(&unwritable)),
        Place::Result => {}
    }
    Ok(unwritable)
}
