//! What the workflows do to the world. These only log what they would do, and fail for a few names that are there to be
//! tried: put calls of your own bank, warehouse and carrier in their place.

use everturn_sdk::prelude::*;

use crate::Payment;

/// Has the bank set money aside. Gives the number of the authorisation. The bank declines `declined-card`, and needs three
/// attempts for `flaky-card`.
#[activity]
async fn authorise(ctx: ActivityCtx, payment: Payment) -> Result<String> {
    match payment.card.as_str() {
        "declined-card" => return Err(Error::new("CardDeclined", "the bank declined the card")),
        "flaky-card" if ctx.info().attempt < 3 => {
            return Err(Error::new("BankUnavailable", "the bank does not answer"));
        }
        _ => {}
    }
    info!(order = payment.order, amount = payment.amount, "authorised");
    Ok(format!("authorisation-{}", payment.order))
}

/// Gives up an authorisation.
#[activity]
async fn let_go(_ctx: ActivityCtx, authorisation: String) -> Result<()> {
    info!(authorisation, "let go");
    Ok(())
}

/// Takes the money that was set aside. Gives the number of the charge.
#[activity]
async fn charge(_ctx: ActivityCtx, authorisation: String) -> Result<String> {
    info!(authorisation, "charged");
    Ok(format!("charge-of-{authorisation}"))
}

/// Gives the money back.
#[activity]
async fn refund(_ctx: ActivityCtx, charge: String) -> Result<()> {
    info!(charge, "refunded");
    Ok(())
}

/// Writes the charge into the books, which refuse orders that begin with `odd-`.
#[activity]
async fn book(_ctx: ActivityCtx, (order, charge): (String, String)) -> Result<()> {
    if order.starts_with("odd-") {
        return Err(Error::new("BookingRefused", format!("there is no account for order {order}")).not_retriable());
    }
    info!(order, charge, "booked");
    Ok(())
}

/// Puts an item into the parcel. There are no unicorns.
#[activity]
async fn pack(_ctx: ActivityCtx, (order, item): (String, String)) -> Result<()> {
    if item == "unicorn" {
        return Err(Error::new("OutOfStock", "there are no unicorns").not_retriable());
    }
    info!(order, item, "packed");
    Ok(())
}

/// Puts all that was packed for an order back on the shelves.
#[activity]
async fn unpack(_ctx: ActivityCtx, order: String) -> Result<()> {
    info!(order, "unpacked");
    Ok(())
}

/// Asks the carrier to fetch the parcel. Gives its tracking number.
#[activity]
async fn book_carrier(_ctx: ActivityCtx, order: String) -> Result<String> {
    info!(order, "asked for the carrier");
    Ok(format!("parcel-{order}"))
}

/// Tells the carrier not to come for an order, if it was asked to.
#[activity]
async fn cancel_carrier(_ctx: ActivityCtx, order: String) -> Result<()> {
    info!(order, "told the carrier not to come");
    Ok(())
}

/// Tells the customer the tracking number of the parcel.
#[activity]
async fn send_tracking_number(_ctx: ActivityCtx, (customer, tracking): (String, String)) -> Result<()> {
    info!(customer, tracking, "sent the tracking number");
    Ok(())
}

/// Says sorry.
#[activity]
async fn send_voucher(_ctx: ActivityCtx, customer: String) -> Result<()> {
    info!(customer, "sent a voucher");
    Ok(())
}
