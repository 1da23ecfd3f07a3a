//! What is measured: a list of names and functions, and a file for each.

mod latency;
mod parked;
mod replay;
mod throughput;
mod timers;

use std::path::PathBuf;

use futures::future::{FutureExt, LocalBoxFuture};
use serde_json::Value;

use crate::arguments::Size;

/// Measures something in this directory.
pub(crate) type Workload = fn(PathBuf, Size, &mut Vec<Value>) -> LocalBoxFuture<'_, anyhow::Result<()>>;

/// All workloads, in the order in which they run. The one about memory is first: what others leave would be counted.
pub(crate) const WORKLOADS: [(&str, Workload); 5] = [
    ("parked", |directory, size, figures| parked::run(directory, size, figures).boxed_local()),
    ("throughput", |directory, size, figures| throughput::run(directory, size, figures).boxed_local()),
    ("latency", |directory, size, figures| latency::run(directory, size, figures).boxed_local()),
    ("timers", |directory, size, figures| timers::run(directory, size, figures).boxed_local()),
    ("replay", |directory, size, figures| replay::run(directory, size, figures).boxed_local()),
];
