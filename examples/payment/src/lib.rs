//! Takes the money for a purchase, and takes everything back when that does not work out. The workflow is here; what it
//! does to the world is in `activities`.

mod activities;

use std::time::Duration;

use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

/// How long the customer has to name another card.
const GRACE_PERIOD: Duration = Duration::from_secs(3 * 24 * 3600);
/// How many cards are tried at most, the first one included.
const MAX_CARDS: usize = 3;
/// How long the bank has for an answer.
const BANK_ANSWERS: Duration = Duration::from_secs(30);

/// What is bought.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Purchase {
    /// The number of the order.
    pub order: String,
    /// Who pays.
    pub customer: String,
    /// What for.
    pub item: String,
    /// How much, in cents.
    pub amount: u64,
    /// The card that is tried first.
    pub card: String,
}

/// What `charge` asks of the bank.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Charge {
    /// The number of the order.
    pub order: String,
    /// The card to charge.
    pub card: String,
    /// How much, in cents.
    pub amount: u64,
}

/// What the customer has in the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Receipt {
    /// The number under which the item is set aside.
    pub reservation: String,
    /// The number of the payment at the bank.
    pub payment: String,
    /// The number of the payment in the books.
    pub booking: String,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The item is being set aside.
    #[default]
    Reserving,
    /// The bank is asked.
    Charging,
    /// The bank said no, and the customer is asked for another card.
    WaitingForCard,
    /// The payment is written into the books.
    Booking,
    /// A step failed, and those before it are being taken back.
    TakingBack,
    /// All is done.
    Paid,
    /// All is as it was before.
    TakenBack,
}

#[derive(Default)]
struct Payment {
    stage: Stage,
    /// A card that the customer named and that was not tried yet.
    next_card: Option<String>,
}

/// Reserves what is bought, charges the customer and books the payment; takes all of it back when a step fails.
#[workflow]
impl Payment {
    #[run]
    async fn run(ctx: Ctx<Self>, purchase: Purchase) -> Result<Receipt> {
        let outcome = Saga::run(async |saga| {
            let outcome = pay(ctx, &purchase, saga).await;
            if outcome.is_err() {
                enter(ctx, Stage::TakingBack);
            }
            outcome
        })
        .await;
        enter(ctx, if outcome.is_ok() { Stage::Paid } else { Stage::TakenBack });
        outcome
    }

    /// Names another card. One that comes before it is asked for is kept.
    #[signal]
    fn use_card(&mut self, card: String) {
        self.next_card = Some(card);
    }

    /// How far it is.
    #[query]
    fn stage(&self) -> Stage {
        self.stage
    }
}

/// The steps, each with what takes it back.
async fn pay(ctx: Ctx<Payment>, purchase: &Purchase, saga: &mut Saga<'_>) -> Result<Receipt> {
    let reserve = ctx.activity::<String>("reserve", purchase).retry(a_few_times());
    let release = |reservation: &String| ctx.activity("release", reservation).retry(until_it_works());
    let reservation = saga.step(reserve, release).await?;

    // The bank's answer may get lost on its way. So the refund is there before the charge, and gives back what was taken
    // for this order, also if that is nothing.
    saga.compensate_with(ctx.activity("refund", &purchase.order).retry(until_it_works()));
    let payment = charge(ctx, purchase).await?;

    enter(ctx, Stage::Booking);
    let booking = ctx.activity("book", &(&purchase.order, &payment)).retry(a_few_times()).await?;
    Ok(Receipt { reservation, payment, booking })
}

/// Charges the first card that the bank accepts. Gives the number of the payment.
async fn charge(ctx: Ctx<Payment>, purchase: &Purchase) -> Result<String> {
    let Purchase { order, amount, .. } = purchase.clone();
    let mut charge = Charge { order, amount, card: purchase.card.clone() };
    let mut cards = 1;
    loop {
        enter(ctx, Stage::Charging);
        // A bank that is down is worth another try. A bank that says no says so again.
        let policy = a_few_times().not_on("CardDeclined");
        match ctx.activity("charge", &charge).start_to_close(BANK_ANSWERS).retry(policy).await {
            Err(declined) if declined.is("CardDeclined") && cards < MAX_CARDS => {
                charge.card = another_card(ctx, &purchase.customer, declined).await?;
                cards += 1;
            }
            answer => return answer,
        }
    }
}

/// Asks the customer for another card. Without an answer in time, the last one stays declined.
async fn another_card(ctx: Ctx<Payment>, customer: &str, declined: Error) -> Result<String> {
    enter(ctx, Stage::WaitingForCard);
    ctx.activity::<()>("ask_for_card", customer).retry(a_few_times()).await?;
    ctx.wait_until(|payment| payment.next_card.is_some()).timeout(GRACE_PERIOD).await;
    ctx.change(|payment| payment.next_card.take()).ok_or(declined)
}

fn enter(ctx: Ctx<Payment>, stage: Stage) {
    ctx.change(|payment| payment.stage = stage);
}

/// For steps: when they keep failing, it is better to take back what was done than to let the customer wait.
fn a_few_times() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(5)
}

/// For what takes a step back: there is nothing else left to do, so it is tried until it works.
fn until_it_works() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(3600))
}
