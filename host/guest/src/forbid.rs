//! Functions that stand in for what a component imports and may not call: each stops the guest with an error that says
//! why. So a component that holds workflows and activities can be linked for either, though each has imports of its own.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, Linker, ResourceType};
use wasmtime::{Error, Result};

/// Resources of `wasi:io`, under the names that other interfaces give them. They are linked where they belong.
const ELSEWHERE: [&str; 5] = ["error", "input-stream", "io-error", "output-stream", "pollable"];

/// A resource of a forbidden interface: never made, for every function that makes one stops the guest.
struct Never;

/// Links every function that the component imports from interfaces that begin with `prefix`, for example `wasi:http/`,
/// to one that stops the guest with the error that `refuse` makes of interface and function.
///
/// # Errors
/// When the linker has other definitions under these names already.
pub fn forbid<T: Send + 'static>(
    linker: &mut Linker<T>,
    component: &Component,
    prefix: &str,
    refuse: fn(String) -> Error,
) -> Result<()> {
    let engine = linker.engine().clone();
    for (interface, item) in component.component_type().imports(&engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else { continue };
        if !interface.starts_with(prefix) {
            continue;
        }
        let mut linked = linker.instance(interface)?;
        for (name, item) in instance.exports(&engine) {
            let function = format!("{interface} {name}");
            match item.ty {
                ComponentItem::ComponentFunc(kind) if kind.async_() => {
                    linked.func_new_concurrent(name, move |_, _, _, _| {
                        let function = function.clone();
                        Box::pin(async move { Err(refuse(function)) })
                    })?;
                }
                ComponentItem::ComponentFunc(_) => {
                    linked.func_new(name, move |_, _, _, _| Err(refuse(function.clone())))?;
                }
                ComponentItem::Resource(_) if !ELSEWHERE.contains(&name) => {
                    linked.resource(name, ResourceType::host::<Never>(), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}
