//! Checks an address for ever. The workflow is here; `health` tells an outage from a hiccup, and what is done to the world
//! is in `activities`.

mod activities;
mod health;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use everturn_sdk::error_types::{HTTP_INVALID_REQUEST, HTTP_NOT_GRANTED};
use everturn_sdk::prelude::*;
use serde::{Deserialize, Serialize};

use health::{Change, Health};

/// How many events a history may have before the workflow begins anew: replaying so many takes no time worth mentioning.
const MAX_HISTORY: u64 = 200;
/// How often it checks, unless the input says otherwise.
const DEFAULT_INTERVAL_SECONDS: u64 = 60;
/// How long a check may take.
const CHECK_TAKES: Duration = Duration::from_secs(10);

/// What is watched, and all that is known of it. This is the state of the workflow and its input too: what one generation
/// ends with is what the next one begins with. Who starts it gives the address, and the interval if it matters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Monitor {
    url: String,
    #[serde(default = "default_interval")]
    interval_seconds: u64,
    #[serde(default)]
    is_paused: bool,
    #[serde(default)]
    is_stopped: bool,
    #[serde(default)]
    last_check: Option<SystemTime>,
    #[serde(default)]
    health: Health,
    #[serde(default)]
    totals: Totals,
}

fn default_interval() -> u64 {
    DEFAULT_INTERVAL_SECONDS
}

/// What there was, since the very beginning.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// How many checks.
    pub checks: u64,
    /// How many of them failed.
    pub failures: u64,
    /// How many outages.
    pub outages: u64,
}

/// How it stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// Whether there is an outage.
    pub is_down: bool,
    /// Whether it checks nothing until it is told to go on.
    pub is_paused: bool,
    /// How often it checks.
    pub interval_seconds: u64,
    /// What there was.
    pub totals: Totals,
}

/// What is told to people.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alert {
    /// An outage has begun.
    Down {
        /// What is down.
        url: String,
        /// What the last check said.
        reason: String,
    },
    /// An outage is over.
    Up {
        /// What is up again.
        url: String,
        /// How long it was down.
        down_for_seconds: u64,
    },
}

/// What is to be done next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Plan {
    Stop,
    Pause,
    CheckAt(SystemTime),
}

/// Checks an address at an interval, and tells people when it goes down and when it is up again.
#[workflow]
impl Monitor {
    #[init]
    fn new(before: &Monitor) -> Self {
        before.clone()
    }

    #[run]
    async fn run(ctx: Ctx<Self>, _before: Monitor) -> Result<Totals> {
        while !is_full(ctx) {
            let plan = ctx.read(Monitor::plan);
            // Signals count too: whoever sends many must not make the history long.
            let is_over = ctx.wait_until(|monitor| monitor.plan() != plan || is_full(ctx));
            match plan {
                Plan::Stop => return Ok(ctx.read(|monitor| monitor.totals)),
                Plan::Pause => is_over.await,
                Plan::CheckAt(due) => {
                    if !is_over.deadline(due).await {
                        check(ctx).await?;
                    }
                }
            }
        }
        // Signals that came are in the state by now, and those that have not been handled come along.
        Err(ctx.continue_as_new(&ctx.read(Monitor::clone)))
    }

    /// Checks at another interval from now on. The next check is due so long after the last one.
    #[signal]
    fn set_interval(&mut self, seconds: u64) {
        match seconds {
            // The sender of a signal cannot be told, so what makes no sense is only noted.
            0 => warn!("an interval has at least a second"),
            seconds => self.interval_seconds = seconds,
        }
    }

    /// Checks nothing until it is told to go on.
    #[signal]
    fn pause(&mut self) {
        self.is_paused = true;
    }

    /// Goes on after a pause.
    #[signal]
    fn resume(&mut self) {
        self.is_paused = false;
    }

    /// Ends it; the totals are its result. A check that is under way comes to its end.
    #[signal]
    fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// How it stands.
    #[query]
    fn status(&self) -> Status {
        Status {
            is_down: self.health.is_down(),
            is_paused: self.is_paused,
            interval_seconds: self.interval_seconds,
            totals: self.totals,
        }
    }

    fn plan(&self) -> Plan {
        let after = |last| last + Duration::from_secs(self.interval_seconds);
        match (self.is_stopped, self.is_paused) {
            (true, _) => Plan::Stop,
            (false, true) => Plan::Pause,
            (false, false) => Plan::CheckAt(self.last_check.map_or(UNIX_EPOCH, after)),
        }
    }
}

fn is_full(ctx: Ctx<Monitor>) -> bool {
    ctx.history_length() >= MAX_HISTORY
}

/// Checks once, and tells people if that changes things.
async fn check(ctx: Ctx<Monitor>) -> Result<()> {
    let url = ctx.read(|monitor| monitor.url.clone());
    ctx.change(|monitor| monitor.last_check = Some(ctx.now()));
    // Without a retry policy: the next check is the next attempt.
    let failure = match ctx.activity::<()>("check", &url).start_to_close(CHECK_TAKES).await {
        Ok(()) => None,
        // This is no outage: nobody let the activity go there, or there is no such place.
        Err(error) if error.is(HTTP_NOT_GRANTED) || error.is(HTTP_INVALID_REQUEST) => return Err(error),
        Err(error) => Some(error.to_string()),
    };
    let change = ctx.change(|monitor| {
        monitor.totals.checks += 1;
        monitor.totals.failures += u64::from(failure.is_some());
        let change = monitor.health.observe(failure.is_none(), ctx.now());
        monitor.totals.outages += u64::from(change == Some(Change::Down));
        change
    });
    let alert = match change {
        None => return Ok(()),
        Some(Change::Down) => Alert::Down { url, reason: failure.unwrap_or_default() },
        Some(Change::Up { down_for }) => Alert::Up { url, down_for_seconds: down_for.as_secs() },
    };
    let policy = RetryPolicy::exponential(Duration::from_secs(1)).max_attempts(5);
    if let Err(error) = ctx.activity::<()>("alert", &alert).retry(policy).await {
        // Whoever cannot be told of an outage is served best by one who goes on looking.
        error!(%error, "nobody heard the alert");
    }
    Ok(())
}
