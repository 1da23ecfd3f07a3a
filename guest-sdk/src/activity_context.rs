//! What an activity can ask of its host. Calling an activity from a workflow is in `activity`.

use serde::Serialize;

use crate::bindings::everturn::activity::context;
use crate::error::Result;
use crate::payload;

/// What an activity can ask of its host.
///
/// It is a handle without contents: copy it wherever it is needed.
///
/// An activity is code as any other: it has clocks, random numbers, the environment it was granted, and
/// [`http`](crate::http). It may run more than once (see [`ActivityInfo`]), and it is stopped when it times out.
///
/// ```
/// use everturn_sdk::prelude::*;
///
/// #[activity]
/// async fn resize(ctx: ActivityCtx, images: Vec<String>) -> Result<usize> {
///     for (done, image) in images.iter().enumerate() {
///         if !ctx.heartbeat_with(&done)? {
///             return Err(Error::new("Cancelled", "nobody waits for the images any more"));
///         }
///         info!(image, "resized");
///     }
///     Ok(images.len())
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ActivityCtx {
    _private: (),
}

/// Which call this is. Given by [`ActivityCtx::info`].
///
/// An attempt runs at least once: when its host or worker is lost, it is dispatched again. What must happen once is made
/// so with `task_execution_id`, for example as the idempotency key of a payment.
///
/// ```no_run
/// use everturn_sdk::ActivityCtx;
///
/// fn idempotency_key(ctx: ActivityCtx) -> String {
///     ctx.info().task_execution_id
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActivityInfo {
    /// The name under which it was called.
    pub name: String,
    /// The instance whose workflow called it.
    pub instance_id: String,
    /// The name of that workflow.
    pub workflow: String,
    /// The sequence id of the call in its generation; each attempt has one of its own.
    pub task_id: i32,
    /// The generation of the instance that called it.
    pub generation: u32,
    /// Names the logical call: the same for all its attempts and dispatches, and for no other call.
    pub task_execution_id: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How often this attempt has been handed to a worker, from 1.
    pub dispatch: u32,
}

impl ActivityInfo {
    /// The activity's id: `{instance}::{task id}::{generation}`.
    ///
    /// ```no_run
    /// # use everturn_sdk::ActivityCtx;
    /// # fn example(ctx: ActivityCtx) -> String {
    /// ctx.info().id()
    /// # }
    /// ```
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}::{}::{}", self.instance_id, self.task_id, self.generation)
    }
}

impl ActivityCtx {
    pub(crate) fn new() -> Self {
        Self { _private: () }
    }

    /// Which call this is.
    ///
    /// ```no_run
    /// # use everturn_sdk::ActivityCtx;
    /// # fn example(ctx: ActivityCtx) {
    /// if ctx.info().attempt > 1 {
    ///     println!("once more");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn info(&self) -> ActivityInfo {
        let info = context::info();
        ActivityInfo {
            name: info.name,
            instance_id: info.instance_id,
            workflow: info.workflow,
            task_id: info.task_id,
            generation: info.generation,
            task_execution_id: info.task_execution_id,
            attempt: info.attempt,
            dispatch: info.dispatch,
        }
    }

    /// Says that the activity is alive; needed at least as often as the caller's
    /// [`heartbeat`](crate::ActivityCall::heartbeat) option says. False: nobody wants the answer any more, because it
    /// timed out, was cancelled or the instance ended; clean up and return.
    ///
    /// ```no_run
    /// # use everturn_sdk::ActivityCtx;
    /// # fn example(ctx: ActivityCtx, pages: &[String]) {
    /// for page in pages {
    ///     if !ctx.heartbeat() {
    ///         break;
    ///     }
    ///     println!("{page}");
    /// }
    /// # }
    /// ```
    #[must_use = "when it is false, nobody wants the answer any more"]
    pub fn heartbeat(&self) -> bool {
        context::heartbeat(None)
    }

    /// As [`heartbeat`](Self::heartbeat), and says how far it is.
    ///
    /// # Errors
    /// When the details cannot be written as JSON.
    ///
    /// ```no_run
    /// # use everturn_sdk::{ActivityCtx, Result};
    /// # fn example(ctx: ActivityCtx) -> Result<bool> {
    /// ctx.heartbeat_with("half of it")
    /// # }
    /// ```
    pub fn heartbeat_with(&self, details: &(impl Serialize + ?Sized)) -> Result<bool> {
        Ok(context::heartbeat(Some(&payload::encode_heartbeat(details)?)))
    }

    /// A secret that the component was granted under this name. Keep it out of results, errors and log lines: those are
    /// stored and shown.
    ///
    /// ```no_run
    /// # use everturn_sdk::{ActivityCtx, Error, Result};
    /// # fn example(ctx: ActivityCtx) -> Result<String> {
    /// ctx.secret("BANK_TOKEN").ok_or_else(|| Error::new("NoToken", "BANK_TOKEN was not granted").not_retriable())
    /// # }
    /// ```
    #[must_use]
    pub fn secret(&self, name: &str) -> Option<String> {
        context::secret(name)
    }
}
