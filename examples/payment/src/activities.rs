//! What the workflow does to the world. These only log what they would do, and fail for a few names that are there to be
//! tried: put calls of your own warehouse, bank and books in their place.

use everturn_sdk::prelude::*;

use crate::{Charge, Purchase};

/// Sets the item aside. Gives the number of the reservation. There are no unicorns.
#[activity]
async fn reserve(_ctx: ActivityCtx, purchase: Purchase) -> Result<String> {
    if purchase.item == "unicorn" {
        return Err(Error::new("OutOfStock", "there are no unicorns").not_retriable());
    }
    info!(order = purchase.order, item = purchase.item, "reserved");
    Ok(format!("reservation-{}", purchase.order))
}

/// Puts the item back.
#[activity]
async fn release(_ctx: ActivityCtx, reservation: String) -> Result<()> {
    info!(reservation, "released");
    Ok(())
}

/// Takes the money. Gives the number of the payment. The bank declines `declined-card`, and needs three attempts for
/// `flaky-card`.
#[activity]
async fn charge(ctx: ActivityCtx, charge: Charge) -> Result<String> {
    let call = ctx.info();
    match charge.card.as_str() {
        "declined-card" => return Err(Error::new("CardDeclined", "the bank declined the card")),
        "flaky-card" if call.attempt < 3 => return Err(Error::new("BankUnavailable", "the bank does not answer")),
        _ => {}
    }
    // The same for all attempts of this call: a bank that is given it charges once, however often it is asked.
    let idempotency_key = call.task_execution_id;
    info!(order = charge.order, amount = charge.amount, idempotency_key, "charged");
    Ok(format!("payment-{}", charge.order))
}

/// Gives back what was taken for an order, if anything was.
#[activity]
async fn refund(_ctx: ActivityCtx, order: String) -> Result<()> {
    info!(order, "refunded");
    Ok(())
}

/// Writes the payment into the books. Gives its number there. The books refuse orders that begin with `odd-`.
#[activity]
async fn book(_ctx: ActivityCtx, (order, payment): (String, String)) -> Result<String> {
    if order.starts_with("odd-") {
        return Err(Error::new("BookingRefused", format!("there is no account for order {order}")).not_retriable());
    }
    info!(order, payment, "booked");
    Ok(format!("booking-{order}"))
}

/// Writes to the customer.
#[activity]
async fn ask_for_card(_ctx: ActivityCtx, customer: String) -> Result<()> {
    info!(customer, "asked for another card");
    Ok(())
}
