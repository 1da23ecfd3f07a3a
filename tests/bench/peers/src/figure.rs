//! One figure, as `everturn-bench` reads it.

use std::time::Duration;

use serde_json::{Value, json};

/// A number of this unit, under the key that ours has.
pub(crate) fn figure(key: &str, name: String, unit: &str, value: f64) -> Value {
    json!({ "key": key, "name": name, "unit": unit, "value": value })
}

/// Times in seconds: the median, and the others beside it.
pub(crate) fn times(key: &str, name: String, mut samples: Vec<Duration>) -> Value {
    samples.sort_unstable();
    let at = |percent: usize| {
        let rank = (samples.len() * percent).div_ceil(100).max(1);
        samples.get(rank - 1).map_or(0.0, Duration::as_secs_f64)
    };
    let mut figure = figure(key, name, "seconds", at(50));
    figure["spread"] = json!({ "p50": at(50), "p90": at(90), "p99": at(99), "max": at(100), "samples": samples.len() });
    figure
}
