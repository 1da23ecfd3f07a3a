//! What components import and workflows do not have. `wasi:filesystem` is there because standard libraries link it; the
//! rest because activities in the same component use it.

use wasmtime::component::{Component, Linker};
use wasmtime::{Error, Result};

use crate::fault::GuestFault;
use crate::forbid::forbid;
use crate::state::State;

const FILESYSTEM: &str = "workflows have no filesystem; read and write files in an activity";
pub(crate) const NETWORK: &str = "workflows have no network: call an activity that talks to the network";
const ACTIVITY: &str = "that is for activities: a workflow has a context of its own (`Ctx`)";

/// Links all of it to functions that stop the guest; so the first look for a directory is where a guest that opens a
/// file ends.
pub(super) fn add_to_linker(linker: &mut Linker<State>, component: &Component) -> Result<()> {
    forbid(linker, component, "wasi:filesystem/", |function| forbidden(function, FILESYSTEM))?;
    forbid(linker, component, "wasi:http/", |function| forbidden(function, NETWORK))?;
    // Nothing but types: those of the times in `wasi:http`.
    forbid(linker, component, "wasi:clocks/types@", |function| forbidden(function, NETWORK))?;
    forbid(linker, component, "everturn:activity/", |function| forbidden(function, ACTIVITY))
}

fn forbidden(interface: String, instead: &'static str) -> Error {
    GuestFault::Forbidden { interface, instead }.into()
}
