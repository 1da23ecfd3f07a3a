//! The payment: a child of the order, with a saga of its own.

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{a_few_times, until_it_works};

/// What is paid.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Payment {
    /// The number of the order.
    pub order: String,
    /// The card to charge.
    pub card: String,
    /// How much, in cents.
    pub amount: u64,
}

/// Has the bank set the money aside, takes it, and books it. Gives the number of the charge.
#[workflow]
async fn order_payment(ctx: Ctx, payment: Payment) -> Result<String> {
    Saga::run(async |saga| {
        let authorise = ctx.activity::<String>("authorise", &payment).retry(a_few_times().not_on("CardDeclined"));
        let let_go = |authorisation: &String| ctx.activity("let_go", authorisation).retry(until_it_works());
        let authorisation = saga.step(authorise, let_go).await?;

        let charge = ctx.activity::<String>("charge", &authorisation).retry(a_few_times());
        let refund = |charge: &String| ctx.activity("refund", charge).retry(until_it_works());
        let charge = saga.step(charge, refund).await?;

        ctx.activity::<()>("book", &(payment.order, &charge)).retry(a_few_times()).await?;
        Ok(charge)
    })
    .await
}
