//! Messages of any size.

use everturn_sdk::prelude::*;

/// Nothing to change.
#[derive(Default)]
struct Sizes;

/// Waits for event `end`; what it says has as many bytes as it is asked for.
#[workflow(name = "says_as_much_as_it_is_asked_for")]
impl Sizes {
    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<()> {
        ctx.wait_for_event("end").await
    }

    /// With the quotes around it.
    #[query]
    fn text(&self, bytes: usize) -> String {
        "x".repeat(bytes - 2)
    }

    #[query]
    fn failure(&self, bytes: usize) -> Result<u32> {
        Err(failure(bytes))
    }

    #[update]
    fn fails(&mut self, bytes: usize) -> Result<u32> {
        Err(failure(bytes))
    }

    #[update]
    fn rejected(&mut self, _bytes: usize) {}

    #[validate(rejected)]
    fn rejects(&self, bytes: &usize) -> Result<()> {
        Err(failure(*bytes))
    }
}

/// A failure whose bytes are all in its details and in its cause.
fn failure(bytes: usize) -> Error {
    let half = bytes / 2;
    Error::new("", "").details("x".repeat(half)).caused_by(Error::new("", "y".repeat(bytes - half)))
}
