//! How a child limits itself, before it looks at a component. Where the system has no such limits, the parent's clock is
//! the only one.

use std::io;

use super::order::Order;

#[cfg(unix)]
pub(super) fn set(order: &Order) -> io::Result<()> {
    use rustix::process::Resource;
    limit(Resource::Core, 0)?;
    limit(Resource::Cpu, order.seconds)?;
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // On Apple's systems a process begins with more address space than any limit that would help.
    #[cfg(not(target_vendor = "apple"))]
    limit(Resource::As, order.memory)?;
    Ok(())
}

/// Somebody may have set a lower limit, which cannot be raised.
#[cfg(unix)]
fn limit(resource: rustix::process::Resource, value: u64) -> io::Result<()> {
    use rustix::process::{Rlimit, getrlimit, setrlimit};
    let value = Some(getrlimit(resource).maximum.map_or(value, |most| most.min(value)));
    Ok(setrlimit(resource, Rlimit { current: value, maximum: value })?)
}

#[cfg(not(unix))]
pub(super) fn set(_order: &Order) -> io::Result<()> {
    Ok(())
}
