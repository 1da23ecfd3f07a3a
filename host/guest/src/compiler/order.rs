//! What a child is told: numbers, as arguments. The component itself comes on its stdin.

use std::time::Duration;

use super::THREADS;
use crate::limits::Limits;

/// What a child may take, and what the engine is like that it compiles for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Bytes of address space.
    pub(super) memory: u64,
    /// Seconds of all its threads together.
    pub(super) seconds: u64,
    /// As in [`Limits`].
    pub(super) stack: usize,
    /// As in [`Limits`].
    pub(super) fiber_stack: usize,
}

impl Order {
    pub(super) fn new(limits: &Limits) -> Self {
        // The parent looks at the clock on the wall. This ends a child that has lost its parent.
        let time = limits.compile_time.saturating_mul(u32::try_from(THREADS).unwrap_or(u32::MAX));
        Self {
            memory: u64::try_from(limits.compile_memory).unwrap_or(u64::MAX),
            seconds: time.saturating_add(Duration::from_secs(1)).as_secs(),
            stack: limits.stack,
            fiber_stack: limits.fiber_stack,
        }
    }

    pub(super) fn arguments(&self) -> [String; 4] {
        let Self { memory, seconds, stack, fiber_stack } = self;
        [memory.to_string(), seconds.to_string(), stack.to_string(), fiber_stack.to_string()]
    }

    pub(super) fn read(arguments: &[String]) -> Option<Self> {
        let [memory, seconds, stack, fiber_stack] = arguments else { return None };
        Some(Self {
            memory: memory.parse().ok()?,
            seconds: seconds.parse().ok()?,
            stack: stack.parse().ok()?,
            fiber_stack: fiber_stack.parse().ok()?,
        })
    }

    /// The limits of the engine to compile for. Those that compiled code does not depend on are the usual ones.
    pub(super) fn limits(&self) -> Limits {
        Limits { stack: self.stack, fiber_stack: self.fiber_stack, ..Limits::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let limits = Limits { compile_time: Duration::from_millis(1), stack: 7, ..Limits::default() };
        let order = Order::new(&limits);
        assert_eq!((order.memory, order.seconds, order.stack), (2 << 30, 1, 7));
        assert_eq!(Order::read(&order.arguments()), Some(order));
    }

    #[test]
    fn anything_else_is_none() {
        let cases: [&[&str]; 4] = [&[], &["1", "2", "3"], &["1", "2", "3", "4", "5"], &["1", "2", "3", "-4"]];
        for case in cases {
            let arguments: Vec<_> = case.iter().map(ToString::to_string).collect();
            assert_eq!(Order::read(&arguments), None, "{case:?}");
        }
    }
}
