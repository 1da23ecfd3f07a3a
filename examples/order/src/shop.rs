//! The activities: what the workflows do to the world, which here is a shop that is reached over HTTP.

use everturn_sdk::http;
use everturn_sdk::prelude::*;
use serde::Serialize;

use crate::Order;

/// Takes the money. Gives the number of the payment.
#[activity]
async fn charge(ctx: ActivityCtx, order: Order) -> Result<String> {
    ask(ctx, "charge", &order).await
}

/// Sets an item aside.
#[activity]
async fn reserve(ctx: ActivityCtx, item: String) -> Result<()> {
    ask(ctx, "reserve", &item).await.map(drop)
}

/// Prints the label of a parcel. Gives its number.
#[activity]
async fn print_label(ctx: ActivityCtx, items: Vec<String>) -> Result<String> {
    ask(ctx, "print_label", &items).await
}

/// Writes to the customer.
#[activity]
async fn send_receipt(ctx: ActivityCtx, customer: String) -> Result<()> {
    ask(ctx, "send_receipt", &customer).await.map(drop)
}

/// Asks the shop to do something once, however often it is asked: the key is the same for all attempts of a call.
async fn ask(ctx: ActivityCtx, what: &str, about: &(impl Serialize + ?Sized)) -> Result<String> {
    let Ok(shop) = std::env::var("SHOP_URL") else {
        return Err(Error::new("NoShop", "SHOP_URL is not set: deploy with --env SHOP_URL=...").not_retriable());
    };
    http::post(format!("{shop}/{what}"))
        .header("idempotency-key", ctx.info().task_execution_id)
        .json(about)?
        .await?
        .error_for_status()?
        .text()
}
