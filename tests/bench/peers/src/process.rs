//! What this process takes. On Linux, which tells.

use std::fs;
use std::time::Duration;

use anyhow::Context;

/// The memory that is resident, in bytes.
pub(crate) fn resident() -> anyhow::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("the system does not tell VmRSS")?;
    let kibibytes: f64 = line.split_whitespace().nth(1).context("no figure")?.parse()?;
    Ok(kibibytes * 1024.0)
}

/// The processor time that was used.
pub(crate) fn processor_time() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(") ").next().context("no fields")?.split(' ').collect();
    let ticks = |place: usize| fields.get(place).context("too few fields")?.parse::<u64>().context("no number");
    // The kernel counts in hundredths of a second, whatever its own clock is.
    Ok(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
}
