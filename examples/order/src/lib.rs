//! An order from payment to delivery. The workflows are here; what they do to the world is in `shop`.

mod shop;

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// How long the glue of a parcel dries.
const GLUE_DRIES: Duration = Duration::from_secs(4);

/// What somebody wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Who pays.
    pub customer: String,
    /// What for.
    pub items: Vec<String>,
    /// How much, in cents.
    pub amount: u64,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    /// The number of the payment.
    pub payment: String,
    /// The number of the parcel.
    pub label: String,
    /// Who took it.
    pub courier: String,
}

/// Charges the customer, packs a parcel, waits for the courier and sends a receipt.
#[workflow]
async fn order(ctx: Ctx, order: Order) -> Result<Delivery> {
    ctx.set_custom_status("charging")?;
    // The bank is down now and then.
    let patient = RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(10);
    let payment: String = ctx.activity("charge", &order).retry(patient.clone()).await?;

    ctx.set_custom_status("packing")?;
    let label: String = ctx.child("parcel", &order.items).await?;

    ctx.set_custom_status("waiting for the courier")?;
    let courier: String = ctx.wait_for_event("collected").await?;

    ctx.set_custom_status("collected")?;
    ctx.activity::<()>("send_receipt", &order.customer).retry(patient).await?;
    info!(payment, label, courier, "delivered");
    Ok(Delivery { payment, label, courier })
}

/// Packs what was ordered and gives the parcel its number.
#[workflow]
async fn parcel(ctx: Ctx, items: Vec<String>) -> Result<String> {
    for item in &items {
        ctx.activity::<()>("reserve", item).await?;
    }
    ctx.sleep(GLUE_DRIES).await;
    ctx.activity("print_label", &items).await
}
