//! The WIT package as Rust types and traits. Generated; what the functions do is in `durable`, `context` and `messages`.

wasmtime::component::bindgen!({
    path: "../../wit/workflow",
    world: "workflow",
    // `async func`s are concurrent by their type; the plain ones stay plain. All of them may stop the guest.
    imports: { default: trappable },
    exports: { default: async },
});

/// What a component may import beside that. Not every component does, and none has to export queries, so there is no type
/// for the whole of the world `interactive-workflow`.
pub(crate) mod interactive {
    wasmtime::component::bindgen!({
        path: "../../wit/workflow",
        inline: "package everturn:host; world interaction { import everturn:workflow/messages@0.1.0; }",
        world: "everturn:host/interaction",
        with: { "everturn:workflow/types@0.1.0": crate::bindings::everturn::workflow::types },
        imports: { default: trappable },
    });
}
