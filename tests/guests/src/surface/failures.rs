//! Failures: those a workflow ends with, and those of its callees as it sees them.

use std::error::Error as StdError;
use std::fmt;

use everturn_sdk::prelude::*;
use everturn_sdk::{Failure, MAX_CAUSES};
use serde_json::{Value, json};

/// An error as libraries define them: with a source.
#[derive(Debug)]
struct ShipmentLost {
    source: BadAddress,
}

/// The source, which has a source itself.
#[derive(Debug)]
struct BadAddress {
    source: std::num::ParseIntError,
}

impl fmt::Display for ShipmentLost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the shipment is lost")
    }
}

impl fmt::Display for BadAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the house has no number")
    }
}

impl StdError for ShipmentLost {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.source)
    }
}

impl StdError for BadAddress {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.source)
    }
}

fn ship(house: &str) -> std::result::Result<u32, ShipmentLost> {
    house.parse().map_err(|source| ShipmentLost { source: BadAddress { source } })
}

/// Fails with an error of the standard kind, by way of `?`.
#[workflow]
async fn fails_by_question_mark(_ctx: Ctx, house: String) -> Result<u32> {
    Ok(ship(&house)?)
}

/// Fails with an error of the standard kind that is its own error type.
#[workflow]
async fn fails_with_its_own_type(_ctx: Ctx, house: String) -> Result<u32, ShipmentLost> {
    ship(&house)
}

/// Fails with all that an error can carry.
#[workflow]
async fn fails_in_full(_ctx: Ctx) -> Result<()> {
    let bank = Error::new("BankSaidNo", "code 51").details("{\"code\": 51}").caused_by(fmt::Error);
    Err(Error::new("CardDeclined", "the card was declined").details("card 1234").not_retriable().caused_by(bank))
}

/// Fails with more causes than are kept.
#[workflow]
async fn fails_with_many_causes(_ctx: Ctx) -> Result<()> {
    let mut error = Error::new("Cause", "the first");
    for number in 0..=MAX_CAUSES {
        error = Error::new("Cause", number.to_string()).caused_by(error);
    }
    Err(error)
}

/// Calls activity `A` and lets its failure pass.
#[workflow]
async fn passes_on_an_activitys_failure(ctx: Ctx) -> Result<Value> {
    let answer: Value = ctx.activity("A", &()).await?;
    Ok(json!([answer]))
}

/// Calls child `C` and lets its failure pass.
#[workflow]
async fn passes_on_a_childs_failure(ctx: Ctx) -> Result<Value> {
    let answer: Value = ctx.child("C", &()).await?;
    Ok(json!([answer]))
}

/// Calls activity `A`, which fails, and tells what it saw.
#[workflow]
async fn tells_of_a_failure(ctx: Ctx) -> Result<Value> {
    match ctx.activity::<Value>("A", &()).await {
        Ok(_) => Err(Error::new("Succeeded", "activity `A` was to fail")),
        Err(error) => Ok(told(error.failure(), error.is("CardDeclined"), error.is_continue_as_new())),
    }
}

fn told(failure: &Failure, is_card_declined: bool, is_restart: bool) -> Value {
    let causes: Vec<_> =
        failure.causes.iter().map(|cause| json!([cause.error_type, cause.message, cause.details])).collect();
    json!({
        "error_type": failure.error_type,
        "message": failure.message,
        "details": failure.details,
        "causes": causes,
        "retriable": failure.retriable,
        "shown": failure.to_string(),
        "is_card_declined": is_card_declined,
        "is_restart": is_restart,
    })
}
