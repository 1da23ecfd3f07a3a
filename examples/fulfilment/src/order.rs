//! What is ordered, how far it is and what becomes of it: what the workflow is given, and what it shows.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// What somebody wants.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The number of the order.
    pub order: String,
    /// Who pays and gets it.
    pub customer: String,
    /// What is packed.
    pub items: Vec<String>,
    /// How much it costs, in cents.
    pub amount: u64,
    /// The card to charge.
    pub card: String,
    /// When it is promised to be there, as long as nobody moves that.
    pub deliver_by: DateTime<Utc>,
}

/// How far an order is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The child takes the money.
    #[default]
    Paying,
    /// The items go into a parcel.
    Packing,
    /// The parcel waits for the carrier.
    WaitingForCarrier,
    /// The carrier has it.
    OnItsWay,
    /// The deadline is over, and the parcel is somewhere.
    Late,
    /// Something failed or was called off, and what was done is being taken back.
    TakingBack,
    /// It is over.
    Ended,
}

/// Where the parcel is, as the carrier says. In the order in which one thing outdoes another: what was lost may turn up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parcel {
    /// Still in the warehouse.
    #[default]
    Here,
    /// With the carrier.
    PickedUp,
    /// The carrier cannot find it.
    Lost,
    /// With the customer.
    Delivered,
}

/// A request to deliver later.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Postponement {
    /// When it is to be there now.
    pub until: DateTime<Utc>,
    /// Who asks for it.
    pub by: String,
}

/// How an order stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// How far it is.
    pub stage: Stage,
    /// How many items are packed.
    pub packed: usize,
    /// The carrier's number of the parcel.
    pub tracking: Option<String>,
    /// Where the parcel is.
    pub parcel: Parcel,
    /// When it is promised to be there.
    pub deliver_by: DateTime<Utc>,
    /// How often that was moved.
    pub postponed: usize,
}

/// What became of an order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The customer has it.
    Delivered {
        /// Whether it was there before the deadline.
        in_time: bool,
    },
    /// The customer called it off, and has the money back.
    Cancelled,
    /// Nobody knows where it is, and the customer has the money back.
    Lost,
}
