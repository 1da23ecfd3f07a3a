//! What an activity's memories and tables take, all together.

use std::sync::Arc;

use wasmtime::ResourceLimiter;

use crate::limits::ActivityLimits;
use crate::run::Stopped;

pub(crate) struct Usage {
    limits: Arc<ActivityLimits>,
    memory: usize,
    table_elements: usize,
}

impl Usage {
    pub(crate) fn new(limits: Arc<ActivityLimits>) -> Self {
        Self { limits, memory: 0, table_elements: 0 }
    }
}

/// What is too much stops the guest: one that is told "no" aborts in words of its own, and the limit is not among them.
impl ResourceLimiter for Usage {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let (wanted, limit) = (grown(self.memory, current, desired), self.limits.memory);
        if wanted > limit {
            return Err(Stopped::TooMuch { what: "bytes of memory", wanted, limit }.into());
        }
        self.memory = wanted;
        Ok(true)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let (wanted, limit) = (grown(self.table_elements, current, desired), self.limits.table_elements);
        if wanted > limit {
            return Err(Stopped::TooMuch { what: "table elements", wanted, limit }.into());
        }
        self.table_elements = wanted;
        Ok(true)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_counted_together() {
        let limits = ActivityLimits { memory: 1000, table_elements: 1000, ..ActivityLimits::default() };
        let mut usage = Usage::new(Arc::new(limits));
        assert!(usage.memory_growing(0, 600, None).unwrap());
        assert!(usage.memory_growing(0, 400, None).unwrap());
        let stopped = usage.memory_growing(400, 401, None).unwrap_err().downcast::<Stopped>().unwrap();
        assert_eq!(stopped, Stopped::TooMuch { what: "bytes of memory", wanted: 1001, limit: 1000 });
        assert!(usage.table_growing(0, 1000, None).unwrap());
        assert!(usage.table_growing(0, 1, None).is_err());
    }
}
