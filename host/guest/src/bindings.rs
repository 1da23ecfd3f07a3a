//! The WIT package as Rust types and traits. Generated; what the functions do is in `durable` and `context`.

wasmtime::component::bindgen!({
    path: "../../wit/workflow",
    world: "workflow",
    // `async func`s are concurrent by their type; the plain ones stay plain. All of them may stop the guest.
    imports: { default: trappable },
    exports: { default: async },
});
