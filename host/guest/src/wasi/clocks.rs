//! `wasi:clocks`: both clocks tell the time of the turn, and nobody can wait on them.

use everturn_history::Timestamp;
use wasmtime::component::{ComponentType, Lift, Linker, Lower, Resource};
use wasmtime::{Result, StoreContextMut};

use crate::fault::GuestFault;
use crate::state::State;
use crate::wasi::io::Pollable;

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

#[derive(ComponentType, Lift, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    let mut wall = linker.instance("wasi:clocks/wall-clock@0.2.0")?;
    wall.func_wrap("now", |store, (): ()| Ok((now(&store),)))?;
    wall.func_wrap("resolution", |_, (): ()| Ok((Datetime { seconds: 0, nanoseconds: 1 },)))?;

    let mut monotonic = linker.instance("wasi:clocks/monotonic-clock@0.2.0")?;
    monotonic.func_wrap("now", |store, (): ()| Ok((nanoseconds(&now(&store)),)))?;
    monotonic.func_wrap("resolution", |_, (): ()| Ok((1_u64,)))?;
    for name in ["subscribe-instant", "subscribe-duration"] {
        monotonic.func_wrap(name, |_, (_,): (u64,)| -> Result<(Resource<Pollable>,)> {
            Err(GuestFault::SleptThread.into())
        })?;
    }
    Ok(())
}

/// The turn's time; the epoch outside a run, and for times before it.
fn now(store: &StoreContextMut<'_, State>) -> Datetime {
    let now = store.data().ask(|execution| execution.now()).unwrap_or(Timestamp { seconds: 0, nanos: 0 });
    match (u64::try_from(now.seconds), u32::try_from(now.nanos)) {
        (Ok(seconds), Ok(nanoseconds)) => Datetime { seconds, nanoseconds },
        _ => Datetime { seconds: 0, nanoseconds: 0 },
    }
}

/// Nanoseconds since the epoch: they go past 64 bits in the year 2554, and stand still then.
fn nanoseconds(time: &Datetime) -> u64 {
    time.seconds.saturating_mul(NANOSECONDS_PER_SECOND).saturating_add(u64::from(time.nanoseconds))
}
