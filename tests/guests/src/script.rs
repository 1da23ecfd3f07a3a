//! The language of the workflow `script`: what a test can tell it to do, and what it says it saw. Tests make these
//! values and write them as JSON; nothing here runs anything.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The input of the workflow `script`: what to do, one after the other.
pub type Script = Vec<Step>;

/// The result of the workflow `script`: what each step saw, in their order.
pub type Log = Vec<Seen>;

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Calls an activity. A failure is logged, not passed on.
    Activity(Callee),
    /// Calls a child. A failure is logged, not passed on.
    Child(Callee),
    /// Waits this long.
    Timer {
        /// How long.
        milliseconds: u64,
    },
    /// Waits for an event.
    Wait {
        /// Its name.
        event: String,
        /// How long.
        limit: Limit,
    },
    /// Does several things at once and waits for all.
    Join(Vec<Step>),
    /// Does two things at once, waits for the first, and drops the other.
    Select(Box<Step>, Box<Step>),
    /// Raises an event to another instance.
    RaiseEvent {
        /// Whom.
        instance_id: String,
        /// Its name.
        event: String,
        /// What it carries.
        data: Value,
    },
    /// Starts a workflow that is no child.
    StartDetached {
        /// Its name.
        workflow: String,
        /// What it is given.
        input: Value,
    },
    /// Sets the custom status.
    CustomStatus(Value),
    /// Does these things if the patch is on.
    Patched {
        /// The patch.
        id: String,
        /// What it adds.
        steps: Script,
    },
    /// Draws a UUID.
    Uuid,
    /// Draws random bytes.
    Random {
        /// How many.
        length: usize,
    },
    /// Reads the time.
    Now,
    /// Starts again with another script. Nothing after it is done.
    ContinueAsNew {
        /// What to do then.
        steps: Script,
        /// Whether unread events come along.
        keep_unread_events: bool,
    },
    /// Fails. Nothing after it is done.
    Fail {
        /// The kind of error.
        error_type: String,
    },
}

/// An activity or a child to call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Callee {
    /// Its name.
    pub name: String,
    /// What it is given.
    pub input: Value,
    /// When it is tried again; never without it.
    pub retry: Option<Retry>,
}

/// When to try again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retry {
    /// How many attempts at most.
    pub max_attempts: u32,
    /// The delay before the second one.
    pub first_interval_milliseconds: u64,
    /// What each delay is multiplied by.
    pub coefficient: f64,
}

/// How long to wait for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Without limit.
    Never,
    /// Not at all: only take what is there.
    Zero,
    /// This long.
    Milliseconds(u64),
}

/// What one step saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// An activity answered.
    Activity(Outcome),
    /// A child answered.
    Child(Outcome),
    /// A timer fired.
    Timer,
    /// An event carried this; `None`: it did not come in time.
    Event(Option<Value>),
    /// All of several steps are done.
    Joined(Log),
    /// One of two steps was first.
    Selected {
        /// 0 or 1.
        winner: usize,
        /// What it saw.
        seen: Box<Seen>,
    },
    /// An event was raised.
    Raised,
    /// A workflow was started under this instance id.
    Detached(String),
    /// The custom status was set.
    Status,
    /// A patch is on, and this is what its steps saw; `None`: it is off.
    Patched(Option<Log>),
    /// A UUID.
    Uuid(String),
    /// Random bytes.
    Random(Vec<u8>),
    /// The time, in nanoseconds since 1970.
    Now(u64),
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With this answer.
    Completed(Value),
    /// With a failure.
    Failed {
        /// The kind of error.
        error_type: String,
        /// The error in words.
        message: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_survives_json() {
        let script: Script = vec![
            Step::Timer { milliseconds: 5 },
            Step::Select(
                Box::new(Step::Wait { event: "go".to_owned(), limit: Limit::Milliseconds(7) }),
                Box::new(Step::Join(vec![Step::Uuid, Step::Random { length: 3 }])),
            ),
            Step::ContinueAsNew { steps: vec![Step::Now], keep_unread_events: true },
        ];

        let json = serde_json::to_string(&script).unwrap();

        assert_eq!(serde_json::from_str::<Script>(&json).unwrap(), script);
    }
}
