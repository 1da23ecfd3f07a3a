//! What the workflows do to the world. These only log what they would do, and fail for a few names that are there to be
//! tried: put calls of your own books and mail server in their place.

use everturn_sdk::prelude::*;

use crate::Invoice;

/// Adds up what a customer owes for a month, in cents. Nobody knows the customer `stranger`, and for `slowpoke` it takes
/// three attempts.
#[activity]
async fn add_up(ctx: ActivityCtx, invoice: Invoice) -> Result<u64> {
    match invoice.customer.as_str() {
        "stranger" => Err(Error::new("UnknownCustomer", "the books have no such customer").not_retriable()),
        "slowpoke" if ctx.info().attempt < 3 => Err(Error::new("BooksBusy", "the books are in use")),
        customer => Ok(100 * customer.len() as u64),
    }
}

/// Sends an invoice. Gives its number.
#[activity]
async fn send_invoice(_ctx: ActivityCtx, (invoice, cents): (Invoice, u64)) -> Result<String> {
    let number = format!("{}/{}", invoice.month, invoice.customer);
    info!(number, cents, "sent an invoice");
    Ok(number)
}
