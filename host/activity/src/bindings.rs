//! The WIT package as Rust types and traits. Generated; what the functions do is in `context`.

wasmtime::component::bindgen!({
    path: ["../../wit/workflow", "../../wit/activity"],
    world: "everturn:activity/activity",
    // All of them may stop the guest.
    imports: { default: trappable },
    exports: { default: async },
});
