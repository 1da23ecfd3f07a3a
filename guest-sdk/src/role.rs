//! What this guest was made for. A guest runs one workflow or one activity in its life, and both log, each in its own way.

use std::cell::Cell;

/// What a guest runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Workflow,
    Activity,
}

thread_local! {
    static ROLE: Cell<Role> = const { Cell::new(Role::Workflow) };
}

pub(crate) fn set(role: Role) {
    ROLE.set(role);
}

pub(crate) fn current() -> Role {
    ROLE.get()
}
