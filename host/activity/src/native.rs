//! Native functions as activities, for programs that embed the host.

use std::any::type_name;
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use everturn_replay::Failure;
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::{Call, Heartbeat, Outcome};
use crate::error::Error;
use crate::error_types;
use crate::limits::ActivityLimits;
use crate::run::{failure, fitting, fitting_failure, words};

type Function = Arc<dyn Fn(Context) -> BoxFuture<'static, Outcome> + Send + Sync>;

/// Native functions by name. Cheap to clone.
///
/// ```
/// use everturn_activity::{Activities, Context, Error};
///
/// async fn charge(ctx: Context, cents: u64) -> Result<String, Error> {
///     if cents == 0 {
///         return Err(Error::new("NothingToPay", "the amount is zero").not_retriable());
///     }
///     Ok(format!("charged {cents} with key {}", ctx.call().task_execution_id))
/// }
///
/// let activities = Activities::new().with("charge", charge).with("round", async |_, amount: f64| {
///     Ok::<_, Error>(amount.round())
/// });
/// assert_eq!(activities.names().collect::<Vec<_>>(), ["charge", "round"]);
/// ```
#[derive(Clone)]
pub struct Activities {
    functions: BTreeMap<String, Function>,
    payload_size: usize,
}

/// What a native activity knows of its call, and its way to say that it is alive.
#[derive(Clone)]
pub struct Context {
    call: Arc<Call>,
    heartbeat: Arc<dyn Heartbeat>,
}

impl Context {
    /// Which call this is. Its input has been taken out: the function has it.
    ///
    /// An attempt runs at least once. What must happen once is made so with the `task_execution_id`, which is the same
    /// for all attempts.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// Says that the activity is alive. False: nobody wants the answer any more; clean up and return.
    pub fn heartbeat(&self) -> bool {
        self.heartbeat.beat(None)
    }

    /// As [`heartbeat`](Self::heartbeat), and says how far it is.
    ///
    /// # Errors
    /// When the details cannot be written as JSON.
    pub fn heartbeat_with(&self, details: &(impl Serialize + ?Sized)) -> Result<bool, serde_json::Error> {
        Ok(self.heartbeat.beat(Some(serde_json::to_string(details)?)))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}

impl Default for Activities {
    fn default() -> Self {
        Self { functions: BTreeMap::new(), payload_size: ActivityLimits::default().payload_size }
    }
}

impl Activities {
    /// No activities yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function under a name; one that was there under that name is replaced. Its error may be [`Error`] or any
    /// [`std::error::Error`].
    #[must_use]
    pub fn with<I, O, E, F, R>(mut self, name: impl Into<String>, function: F) -> Self
    where
        I: DeserializeOwned + 'static,
        O: Serialize,
        E: Into<Error>,
        F: Fn(Context, I) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
    {
        let run = move |mut context: Context| -> BoxFuture<'static, Outcome> {
            let name = context.call.activity.clone();
            let input = std::mem::take(&mut Arc::make_mut(&mut context.call).input);
            match serde_json::from_str(&input) {
                Ok(input) => function(context, input).map(move |outcome| finish(&name, outcome)).boxed(),
                Err(error) => ready(Err(invalid_input::<I>(&name, &error))).boxed(),
            }
        };
        self.functions.insert(name.into(), Arc::new(run));
        self
    }

    /// Sets the limit on the bytes of a result, and of a failure with all its causes. Default: 2 MiB.
    #[must_use]
    pub fn limit_payload(mut self, bytes: usize) -> Self {
        self.payload_size = bytes;
        self
    }

    /// The names of the activities, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }

    /// Runs the activity that the call names; None when there is none. It begins when the future is first polled, and
    /// stops when the future is dropped, as every future does: at the point where it waits.
    ///
    /// A panic is a failure of the activity and of nothing else.
    pub fn run(&self, call: Call, heartbeat: Arc<dyn Heartbeat>) -> Option<BoxFuture<'static, Outcome>> {
        let function = Arc::clone(self.functions.get(&call.activity)?);
        let limit = self.payload_size;
        let context = Context { call: Arc::new(call), heartbeat };
        let run = async move {
            // What a function does before it returns its future may panic as well.
            let future = catch_unwind(AssertUnwindSafe(|| function(context)));
            let outcome = match future {
                Ok(future) => AssertUnwindSafe(future).catch_unwind().await,
                Err(panic) => Err(panic),
            };
            match outcome {
                Ok(Ok(result)) => fitting(result, limit),
                Ok(Err(failure)) => Err(fitting_failure(failure, limit)),
                Err(panic) => Err(failure(error_types::PANICKED, words(panic.as_ref()))),
            }
        };
        Some(run.boxed())
    }
}

impl fmt::Debug for Activities {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.names()).finish()
    }
}

fn finish<O: Serialize, E: Into<Error>>(name: &str, outcome: Result<O, E>) -> Outcome {
    let output = outcome.map_err(|error| error.into().into_failure())?;
    serde_json::to_string(&output).map_err(|error| {
        let kind = type_name::<O>();
        let message = format!("the result of activity `{name}`, a `{kind}`, cannot be written as JSON: {error}");
        Failure { retriable: false, ..failure(error_types::INVALID_OUTPUT, message) }
    })
}

fn invalid_input<I>(name: &str, error: &serde_json::Error) -> Failure {
    let kind = type_name::<I>();
    let message = format!("the input of activity `{name}` cannot be read as a `{kind}`: {error}");
    Failure { retriable: false, ..failure(error_types::INVALID_INPUT, message) }
}

/// The failure of a call that names no activity of `place`.
pub(crate) fn unknown<'a>(place: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Failure {
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    let message = format!("{place} has no activity `{name}`; it has {}", names.join(", "));
    Failure { retriable: false, ..failure(error_types::UNKNOWN_ACTIVITY, message) }
}

#[cfg(test)]
mod tests;
