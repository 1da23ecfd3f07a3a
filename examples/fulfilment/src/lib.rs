//! An order from payment to delivery. The main workflow is here: `order` is what it is given and shows, `payment` its
//! child, and what they do to the world is in `activities`.

mod activities;
mod order;
mod payment;

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use everturn_sdk::error_types::CANCELLED;
use everturn_sdk::prelude::*;

pub use order::{Order, Outcome, Parcel, Postponement, Stage, Status};
pub use payment::Payment;

/// How many items are packed at the same time. With another number, orders that are being packed would not fit their histories
/// any more: such a change belongs behind `patched`.
const PACKERS: usize = 3;
/// How long the carrier has to fetch a parcel.
const CARRIER_COMES: Duration = Duration::from_secs(5 * 24 * 3600);
/// How much later than first promised a delivery may be at most.
const MAX_POSTPONEMENT: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long a late parcel is waited for before it counts as lost.
const SEARCH: Duration = Duration::from_secs(14 * 24 * 3600);

struct Fulfilment {
    stage: Stage,
    packed: usize,
    tracking: Option<String>,
    parcel: Parcel,
    deadline: UpdatableTimer,
    /// All that the customer may still call off.
    before_shipping: Scope,
}

/// Takes the money for an order, packs it, hands it to the carrier and sees that it arrives.
#[workflow]
impl Fulfilment {
    #[init]
    fn new(order: &Order) -> Self {
        let deadline = SystemTime::from(order.deliver_by);
        Self {
            stage: Stage::Paying,
            packed: 0,
            tracking: None,
            parcel: Parcel::Here,
            deadline: UpdatableTimer::until(deadline).latest(deadline + MAX_POSTPONEMENT),
            before_shipping: Scope::new(),
        }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, order: Order) -> Result<Outcome> {
        let shipped = Saga::run(async |saga| {
            let shipped = ship(ctx, &order, saga).await;
            if shipped.is_err() {
                enter(ctx, Stage::TakingBack);
            }
            shipped
        })
        .await;
        let outcome = match shipped {
            Ok(charge) => deliver(ctx, &order, &charge).await,
            // The customer changed their mind: that is no failure.
            Err(error) if error.is(CANCELLED) => Ok(Outcome::Cancelled),
            Err(error) => Err(error),
        };
        enter(ctx, Stage::Ended);
        outcome
    }

    /// What the carrier says of the parcel. Reports may overtake each other, so the furthest one counts.
    #[signal]
    fn carrier(&mut self, report: Parcel) {
        self.parcel = self.parcel.max(report);
        if self.parcel == Parcel::Delivered {
            self.deadline.stop();
        }
    }

    /// Calls the order off. Gives the stage in which it was.
    #[update]
    fn cancel(&mut self) -> Stage {
        self.before_shipping.cancel();
        self.stage
    }

    #[validate(cancel)]
    fn may_cancel(&self) -> Result<()> {
        match self.parcel {
            Parcel::Here => Ok(()),
            _ => Err(Error::new("AlreadyShipped", "the carrier has the parcel: send it back when it is there")),
        }
    }

    /// Moves the deadline of the delivery. Gives the new one.
    #[update]
    fn postpone(&mut self, ctx: &Ctx<Self>, postponement: Postponement) -> Result<DateTime<Utc>> {
        self.deadline.move_to(ctx, postponement.until.into(), postponement.by)?;
        Ok(self.deadline.deadline().into())
    }

    #[validate(postpone)]
    fn may_postpone(&self, ctx: &Ctx<Self>, postponement: &Postponement) -> Result<()> {
        Ok(self.deadline.may_move_to(ctx, postponement.until.into())?)
    }

    /// How it stands.
    #[query]
    fn status(&self) -> Status {
        Status {
            stage: self.stage,
            packed: self.packed,
            tracking: self.tracking.clone(),
            parcel: self.parcel,
            deliver_by: self.deadline.deadline().into(),
            postponed: self.deadline.moves().len(),
        }
    }
}

/// Takes the money and brings the parcel on its way. Gives the number of the charge.
async fn ship(ctx: Ctx<Fulfilment>, order: &Order, saga: &mut Saga<'_>) -> Result<String> {
    let Order { order: number, card, amount, .. } = order.clone();
    let id = format!("{}-payment", ctx.info().instance_id);
    let pay = ctx.child::<String>("order_payment", &Payment { order: number, card, amount }).instance_id(id);
    // Outside of the scope: who calls an order off must not leave a payment behind that nobody knows of.
    let charge = saga.step(pay, |charge| ctx.activity("refund", charge).retry(until_it_works())).await?;

    let before_shipping = ctx.read(|fulfilment| fulfilment.before_shipping.clone());
    before_shipping.run(pack_and_hand_over(ctx, order, saga)).await??;
    Ok(charge)
}

/// All that can be called off.
async fn pack_and_hand_over(ctx: Ctx<Fulfilment>, order: &Order, saga: &mut Saga<'_>) -> Result<()> {
    enter(ctx, Stage::Packing);
    // One call for all items, however many of them are packed when it is needed.
    saga.compensate_with(ctx.activity("unpack", &order.order).retry(until_it_works()));
    try_fan_out(PACKERS, &order.items, async |item: &String| {
        ctx.activity::<()>("pack", &(&order.order, item)).retry(a_few_times()).await?;
        ctx.change(|fulfilment| fulfilment.packed += 1);
        Ok::<_, Error>(())
    })
    .await?;

    enter(ctx, Stage::WaitingForCarrier);
    // Before it is done: when the order is called off meanwhile, nobody hears the answer, and the carrier may come all the same.
    saga.compensate_with(ctx.activity("cancel_carrier", &order.order).retry(until_it_works()));
    let tracking: String = ctx.activity("book_carrier", &order.order).retry(a_few_times()).await?;
    ctx.change(|fulfilment| fulfilment.tracking = Some(tracking.clone()));

    // This came later: orders that were past this point by then go on without it.
    if ctx.patched("send-tracking-number") {
        let mail = ctx.activity::<()>("send_tracking_number", &(&order.customer, tracking));
        if let Err(error) = mail.retry(a_few_times()).await {
            // No reason to take the order back.
            warn!(%error, "the customer does not know the tracking number");
        }
    }

    if !ctx.wait_until(|fulfilment| fulfilment.parcel >= Parcel::PickedUp).timeout(CARRIER_COMES).await {
        return Err(Error::new("CarrierDidNotCome", "nobody fetched the parcel in time"));
    }
    Ok(())
}

/// Waits for the parcel to arrive, and makes up for it when it does not.
async fn deliver(ctx: Ctx<Fulfilment>, order: &Order, charge: &str) -> Result<Outcome> {
    enter(ctx, Stage::OnItsWay);
    let deadline = ctx.read(|fulfilment| fulfilment.deadline.clone());
    let is_settled = |fulfilment: &Fulfilment| fulfilment.parcel >= Parcel::Lost;
    let in_time = select! {
        () = ctx.wait_until(is_settled) => true,
        () = deadline.wait(ctx) => false,
    };
    if !in_time {
        enter(ctx, Stage::Late);
        ctx.activity::<()>("send_voucher", &order.customer).retry(until_it_works()).await?;
        ctx.wait_until(is_settled).timeout(SEARCH).await;
    }
    if ctx.read(|fulfilment| fulfilment.parcel) == Parcel::Delivered {
        return Ok(Outcome::Delivered { in_time });
    }
    ctx.activity::<()>("refund", charge).retry(until_it_works()).await?;
    Ok(Outcome::Lost)
}

fn enter(ctx: Ctx<Fulfilment>, stage: Stage) {
    ctx.change(|fulfilment| fulfilment.stage = stage);
}

/// For steps: when they keep failing, it is better to take back what was done than to let the customer wait.
fn a_few_times() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(5)
}

/// For what has to be done in the end: it is tried until it works.
fn until_it_works() -> RetryPolicy {
    RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(3600))
}
