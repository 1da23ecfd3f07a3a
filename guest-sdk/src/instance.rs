//! The one instance that lives in this guest: its state and its handlers. They outlive the main function, so that queries
//! are answered as long as the guest is kept.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use crate::handlers::Registry;
use crate::wakers::Wakers;

pub(crate) struct Instance {
    /// A `RefCell` of the state's type.
    state: RefCell<Option<Rc<dyn Any>>>,
    pub(crate) registry: RefCell<Registry>,
    /// Those who wait for a condition. They are woken after everything that the workflow does.
    pub(crate) conditions: Wakers,
    /// Whether something happened inside that others in here may have to see: a condition was met, the state was
    /// changed, a handler is new.
    pub(crate) stirred: Cell<bool>,
    /// How many handlers have begun and wait.
    pub(crate) open_handlers: Cell<usize>,
}

thread_local! {
    static INSTANCE: Instance = Instance {
        state: RefCell::new(None),
        registry: RefCell::default(),
        conditions: Wakers::default(),
        stirred: Cell::new(false),
        open_handlers: Cell::new(0),
    };
}

pub(crate) fn with<T>(code: impl FnOnce(&Instance) -> T) -> T {
    INSTANCE.with(code)
}

/// Forgets whatever was here. A guest has one instance in its life; tests without a host have many in one thread.
pub(crate) fn clear() {
    with(|instance| {
        instance.state.take();
        instance.registry.take();
        instance.conditions.wake_all();
        instance.stirred.set(false);
        instance.open_handlers.set(0);
    });
}

pub(crate) fn put_state<S: 'static>(state: S) {
    with(|instance| instance.state.replace(Some(Rc::new(RefCell::new(state)))));
}

pub(crate) fn read<S: 'static, T>(code: impl FnOnce(&S) -> T) -> T {
    // A context without state goes with every instance.
    if let Some(nothing) = (&() as &dyn Any).downcast_ref::<S>() {
        return code(nothing);
    }
    let state = state();
    match cell::<S>(&*state).try_borrow() {
        Ok(state) => code(&state),
        Err(_) => in_use(),
    }
}

pub(crate) fn change<S: 'static, T>(code: impl FnOnce(&mut S) -> T) -> T {
    with(|instance| instance.stirred.set(true));
    if let Some(nothing) = (&mut () as &mut dyn Any).downcast_mut::<S>() {
        return code(nothing);
    }
    let state = state();
    match cell::<S>(&*state).try_borrow_mut() {
        Ok(mut state) => code(&mut state),
        Err(_) => in_use(),
    }
}

#[expect(clippy::panic, reason = "a mistake in the workflow's code, as with any cell")]
fn state() -> Rc<dyn Any> {
    match with(|instance| instance.state.borrow().clone()) {
        Some(state) => state,
        None => panic!("the workflow has no state before its `#[init]` has returned"),
    }
}

#[expect(clippy::panic, reason = "only a context of another workflow has another type, and there is none in a guest")]
fn cell<S: 'static>(state: &dyn Any) -> &RefCell<S> {
    match state.downcast_ref() {
        Some(cell) => cell,
        None => panic!("the state of this workflow is no `{}`", crate::type_names::short::<S>()),
    }
}

#[expect(clippy::panic, reason = "a mistake in the workflow's code, as with any cell")]
fn in_use() -> ! {
    panic!(
        "the workflow's state is in use: a handler with `&mut self` has it as `self`, and within `ctx.read` and \
         `ctx.change` it is what the closure is given"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_what_was_put_there_until_it_is_cleared() {
        put_state(7_u32);
        change(|number: &mut u32| *number += 1);
        assert_eq!(read(|number: &u32| *number), 8);
        assert_eq!(read(|first: &u32| read(|second: &u32| first + second)), 16);
        read(|&()| ());
    }

    #[test]
    #[should_panic(expected = "the workflow's state is in use")]
    fn the_state_cannot_be_changed_while_it_is_read() {
        put_state(7_u32);
        read(|_: &u32| change(|number: &mut u32| *number += 1));
    }

    #[test]
    #[should_panic(expected = "no state before its `#[init]`")]
    fn there_is_no_state_before_it_is_made() {
        clear();
        read(|_: &u32| ());
    }
}
