//! `wasi:filesystem`: standard libraries link it, workflows do not have it. Whatever a component imports of it is a
//! function that stops the guest; so the first look for a directory is where a guest that opens a file ends.

use wasmtime::Result;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, ResourceType};

use crate::fault::GuestFault;
use crate::state::State;

const PACKAGE: &str = "wasi:filesystem/";

/// The resources of the package: never made, for there is no directory to begin with. The others that its interfaces
/// mention are those of `wasi:io`, already linked there.
const RESOURCES: [&str; 2] = ["descriptor", "directory-entry-stream"];

struct File;

pub(super) fn forbid(linker: &mut Linker<State>, component: &Component) -> Result<()> {
    let engine = linker.engine().clone();
    for (interface, item) in component.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if !interface.starts_with(PACKAGE) {
            continue;
        }
        let mut linked = linker.instance(interface)?;
        for (name, item) in instance.exports(&engine) {
            match item.ty {
                ComponentItem::ComponentFunc(_) => {
                    let function = format!("{interface} {name}");
                    linked.func_new(name, move |_, _, _, _| Err(forbidden(&function).into()))?;
                }
                ComponentItem::Resource(_) if RESOURCES.contains(&name) => {
                    linked.resource(name, ResourceType::host::<File>(), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn forbidden(function: &str) -> GuestFault {
    GuestFault::Forbidden {
        interface: function.to_owned(),
        instead: "workflows have no filesystem; read and write files in an activity",
    }
}
