//! What a guest's memories and tables take, counted before they grow. Other things that a guest makes its host keep are
//! counted where they come in.

use std::sync::Arc;

use wasmtime::ResourceLimiter;

use crate::fault::GuestFault;
use crate::limits::Limits;
use crate::state::too_many;

/// All memories and tables of one guest together.
pub(crate) struct Usage {
    limits: Arc<Limits>,
    memory: usize,
    table_elements: usize,
}

impl Usage {
    pub(crate) fn new(limits: Arc<Limits>) -> Self {
        Self { limits, memory: 0, table_elements: 0 }
    }
}

/// A growth beyond the guest's own maximum gives it -1, as WebAssembly says. One that the host allows and then cannot
/// give must not: a replay on a machine with more room would take the other way.
impl ResourceLimiter for Usage {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let (wanted, limit) = (grown(self.memory, current, desired), self.limits.memory);
        if wanted > limit {
            return Err(GuestFault::MemoryLimit { wanted, limit }.into());
        }
        self.memory = wanted;
        Ok(true)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(not_given(&error).into())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let (wanted, limit) = (grown(self.table_elements, current, desired), self.limits.table_elements);
        if wanted > limit {
            return Err(too_many("table elements", limit).into());
        }
        self.table_elements = wanted;
        Ok(true)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        Err(not_given(&error).into())
    }

    fn instances(&self) -> usize {
        self.limits.instances
    }

    fn tables(&self) -> usize {
        self.limits.tables
    }

    fn memories(&self) -> usize {
        self.limits.memories
    }
}

/// A guest may have several memories and tables; each growth is reported by itself.
fn grown(total: usize, current: usize, desired: usize) -> usize {
    total.saturating_add(desired.saturating_sub(current))
}

/// What is beyond a maximum was refused before. Types whose own limits could be met here (64-bit ones, other page
/// sizes) are switched off in the engine, so what is left is the machine.
fn not_given(error: &wasmtime::Error) -> GuestFault {
    GuestFault::Host { detail: format!("no more memory for the workflow: {error:#}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: usize = 1000;

    fn usage() -> Usage {
        Usage::new(Arc::new(Limits { memory: LIMIT, table_elements: LIMIT, ..Limits::default() }))
    }

    fn fault<T>(result: wasmtime::Result<T>) -> Option<GuestFault> {
        result.err()?.downcast().ok()
    }

    #[test]
    fn memories_are_counted_together() {
        let mut usage = usage();
        assert!(usage.memory_growing(0, 600, None).unwrap());
        assert!(usage.memory_growing(0, 400, None).unwrap());
        let expected = GuestFault::MemoryLimit { wanted: 1001, limit: LIMIT };
        assert_eq!(fault(usage.memory_growing(400, 401, None)), Some(expected));
    }

    #[test]
    fn a_size_without_bounds_does_not_turn_the_count_over() {
        let mut usage = usage();
        assert!(usage.memory_growing(0, 600, None).unwrap());
        let expected = GuestFault::MemoryLimit { wanted: usize::MAX, limit: LIMIT };
        assert_eq!(fault(usage.memory_growing(0, usize::MAX, None)), Some(expected));
        assert!(usage.table_growing(0, 600, None).unwrap());
        assert_eq!(fault(usage.table_growing(0, usize::MAX, None)), Some(too_many("table elements", LIMIT)));
    }

    #[test]
    fn what_the_guest_itself_does_not_allow_is_refused_and_not_counted() {
        let mut usage = usage();
        for _ in 0..3 {
            assert!(!usage.memory_growing(0, 900, Some(800)).unwrap());
            assert!(!usage.table_growing(0, 900, Some(800)).unwrap());
        }
        assert!(usage.memory_growing(0, 800, Some(800)).unwrap());
        assert!(usage.table_growing(0, 800, Some(800)).unwrap());
    }

    #[test]
    fn what_the_machine_does_not_give_is_the_hosts_fault() {
        let failed = || wasmtime::Error::from(std::io::Error::from(std::io::ErrorKind::OutOfMemory));
        for result in [usage().memory_grow_failed(failed()), usage().table_grow_failed(failed())] {
            assert!(matches!(fault(result), Some(GuestFault::Host { .. })));
        }
    }
}
