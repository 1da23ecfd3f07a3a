//! The invoices of a month: a child workflow for each customer, a few at a time. What they do to the world is in
//! `activities`.

mod activities;

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// How many invoices are under way at the same time, unless the input says otherwise.
const AT_A_TIME: usize = 5;
/// How many may be under way at the same time, whatever the input says.
const MAX_AT_A_TIME: usize = 100;

/// Who gets an invoice, and for which month.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invoices {
    /// The month, such as 2026-01.
    pub month: String,
    /// The customers.
    pub customers: Vec<String>,
    /// How many invoices may be under way at the same time.
    #[serde(default = "at_a_time")]
    pub at_a_time: usize,
}

fn at_a_time() -> usize {
    AT_A_TIME
}

/// One invoice to write: the input of the child.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Invoice {
    /// The month.
    pub month: String,
    /// Who pays.
    pub customer: String,
}

/// What became of all of them, in the order in which they came to their end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// Invoices that were sent.
    pub sent: Vec<Sent>,
    /// Those that failed. They hold up nobody else.
    pub failed: Vec<Failed>,
    /// Customers who were not begun with when the batch was stopped.
    pub not_begun: Vec<String>,
}

/// An invoice that was sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sent {
    /// Who pays.
    pub customer: String,
    /// The number of the invoice.
    pub number: String,
}

/// An invoice that failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Failed {
    /// Who would have paid.
    pub customer: String,
    /// The kind of the error.
    pub error_type: String,
    /// The error in words.
    pub message: String,
}

/// How far it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// How many there are in all.
    pub total: usize,
    /// How many are under way.
    pub under_way: usize,
    /// How many were sent.
    pub sent: usize,
    /// How many failed.
    pub failed: usize,
}

struct Batch {
    total: usize,
    under_way: usize,
    is_stopped: bool,
    report: Report,
}

/// Writes the invoices of a month, a few at a time, and reports what came of each.
#[workflow]
impl Batch {
    #[init]
    fn new(invoices: &Invoices) -> Self {
        Self { total: invoices.customers.len(), under_way: 0, is_stopped: false, report: Report::default() }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, invoices: Invoices) -> Result<Report> {
        let Invoices { month, customers, at_a_time } = invoices;
        fan_out(at_a_time.min(MAX_AT_A_TIME), customers, |customer| {
            write(ctx, Invoice { month: month.clone(), customer })
        })
        .await;
        Ok(ctx.read(|batch| batch.report.clone()))
    }

    /// Begins no more invoices. Those that are under way come to their end.
    #[signal]
    fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// How far it is, in numbers.
    #[query]
    fn progress(&self) -> Progress {
        let Report { sent, failed, .. } = &self.report;
        Progress { total: self.total, under_way: self.under_way, sent: sent.len(), failed: failed.len() }
    }

    /// What became of those that have come to their end.
    #[query]
    fn report(&self) -> Report {
        self.report.clone()
    }
}

/// Has one invoice written by a child, and reports what came of it.
async fn write(ctx: Ctx<Batch>, invoice: Invoice) {
    let customer = invoice.customer.clone();
    if ctx.read(|batch| batch.is_stopped) {
        ctx.change(|batch| batch.report.not_begun.push(customer));
        return;
    }
    ctx.change(|batch| batch.under_way += 1);
    // With an id that people can guess. A customer who is in the list twice is refused the second time, as the id is taken.
    let id = format!("{}-{customer}", ctx.info().instance_id);
    let outcome = ctx.child("invoice", &invoice).instance_id(id).await;
    ctx.change(|batch| {
        batch.under_way -= 1;
        match outcome {
            Ok(number) => batch.report.sent.push(Sent { customer, number }),
            Err(error) => {
                let (error_type, message) = (error.error_type.clone(), error.message.clone());
                batch.report.failed.push(Failed { customer, error_type, message });
            }
        }
    });
}

/// Adds up what a customer owes, and sends the invoice. Gives its number.
#[workflow]
async fn invoice(ctx: Ctx, invoice: Invoice) -> Result<String> {
    let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(5);
    let cents: u64 = ctx.activity("add_up", &invoice).retry(policy.clone()).await?;
    ctx.activity("send_invoice", &(invoice, cents)).retry(policy).await
}
