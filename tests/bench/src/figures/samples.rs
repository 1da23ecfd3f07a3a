//! Many times of the same thing, and their percentiles.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The percentiles of some samples, in seconds. A percentile is a sample: the smallest that so many percent do not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spread {
    pub(crate) p50: f64,
    pub(crate) p90: f64,
    pub(crate) p99: f64,
    pub(crate) max: f64,
    /// How many there were.
    pub(crate) samples: usize,
}

impl Spread {
    /// Of samples in any order. All are 0 if there are none.
    pub(crate) fn of(mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        let at = |percent| percentile(&samples, percent).map_or(0.0, |time| time.as_secs_f64());
        Self { p50: at(50), p90: at(90), p99: at(99), max: at(100), samples: samples.len() }
    }
}

/// The smallest of sorted samples that this many percent of them do not exceed.
pub(super) fn percentile<T: Copy>(sorted: &[T], percent: usize) -> Option<T> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied()
}
