//! Room for guests that is made once and used again. Mapping and unmapping the memory of each guest costs more than all
//! else that a short workflow does: the kernel tells every core that pages are gone, and fills each of them anew.

use wasmtime::{Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::limits::Limits;

/// Bytes of a guest's memory that stay with its place when it goes. They are reset, not given back.
const MEMORY_KEPT: usize = 128 * 1024;
/// The same for each of its tables.
const TABLE_KEPT: usize = 16 * 1024;
/// Tables of a guest that has what most have: its own, and those of its adapters. One with more takes those of others.
const TABLES: usize = 4;
/// How many times the elements that a table may have fit into its place.
const TABLE_ROOM: usize = 100;
/// Bytes of what the engine itself keeps of an instance. Its component is limited, and with it this.
const INSTANCE_SIZE: usize = 64 * 1024 * 1024;

/// A pool with room for so many guests that have one memory each. Guests with more of them take the room of others.
///
/// It takes 4 GiB of address space for each, which costs nothing until it is used.
pub(crate) fn pool(limits: &Limits, guests: usize) -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(count(guests))
        .total_core_instances(count(guests.saturating_mul(limits.instances)))
        .total_memories(count(guests))
        .total_tables(count(guests.saturating_mul(TABLES)))
        .total_stacks(count(guests))
        .max_memories_per_module(count(limits.memories))
        .max_tables_per_module(count(limits.tables))
        // What a guest may have is counted where it grows, with a message that says so. So here is room for more.
        .max_memory_size(1 << 32)
        .table_elements(limits.table_elements.saturating_mul(TABLE_ROOM))
        .max_core_instance_size(INSTANCE_SIZE)
        .max_component_instance_size(INSTANCE_SIZE)
        .linear_memory_keep_resident(MEMORY_KEPT)
        .table_keep_resident(TABLE_KEPT)
        // Where the kernel tells which pages were written, only those are reset.
        .pagemap_scan(Enabled::Auto);
    InstanceAllocationStrategy::Pooling(pool)
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
