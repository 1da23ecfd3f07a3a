//! What a workflow can ask of its host. Each durable call has a module of its own; this is their door.

use std::fmt;
use std::marker::PhantomData;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::activity::ActivityCall;
use crate::bindings::everturn::workflow::{context, durable};
use crate::child::ChildCall;
use crate::detached::DetachedStart;
use crate::error::{Error, Result};
use crate::event::{EventWait, TimedEventWait};
use crate::info::Info;
use crate::payload;
use crate::read_only;
use crate::restart::{ContinueOptions, Restart};
use crate::time::{nanoseconds, to_instant, to_system_time};
use crate::timer::Sleep;

/// The most bytes that the host gives in one call.
const RANDOM_BYTES_PER_CALL: usize = 64 * 1024;

/// What a workflow can ask of its host.
///
/// It is a handle without contents: copy it into every future that needs it. There is one host and one instance in a
/// guest, so every copy means the same. `S` is the type of the workflow's state, for one that has a state; see
/// [`#[workflow]`](macro@crate::workflow).
///
/// The calls that wait ([`sleep`](Self::sleep), [`wait_for_event`](Self::wait_for_event),
/// [`activity`](Self::activity), [`child`](Self::child)) are lazy as all Rust futures: the host hears of one when it is
/// first polled, and that is when it takes its place in history. Dropping one cancels it.
///
/// ```no_run
/// use std::time::Duration;
/// use everturn_sdk::{Ctx, Result};
///
/// async fn remind(ctx: Ctx, address: String) -> Result<()> {
///     ctx.sleep(Duration::from_secs(24 * 3600)).await;
///     ctx.activity("send_mail", &address).await
/// }
/// ```
pub struct Ctx<S = ()> {
    state: PhantomData<fn() -> S>,
}

// By hand, since none of them asks anything of `S`.
impl<S> Clone for Ctx<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Ctx<S> {}

impl<S> fmt::Debug for Ctx<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Ctx")
    }
}

impl<S> Ctx<S> {
    pub(crate) fn new() -> Self {
        Self { state: PhantomData }
    }

    /// Waits this long. Never shorter; the workflow may be down, moved or replayed meanwhile.
    ///
    /// ```no_run
    /// # use {everturn_sdk::Ctx, std::time::Duration};
    /// # async fn example(ctx: Ctx) {
    /// ctx.sleep(Duration::from_secs(60)).await;
    /// # }
    /// ```
    pub fn sleep(&self, duration: Duration) -> Sleep {
        read_only::refuse("sleep");
        Sleep::new(durable::Moment::After(nanoseconds(duration)))
    }

    /// Waits until a time. A time in the past is over at once.
    ///
    /// ```no_run
    /// # use {everturn_sdk::Ctx, std::time::{Duration, SystemTime}};
    /// # async fn example(ctx: Ctx, deadline: SystemTime) {
    /// ctx.sleep_until(deadline - Duration::from_secs(60)).await;
    /// # }
    /// ```
    pub fn sleep_until(&self, time: SystemTime) -> Sleep {
        read_only::refuse("sleep");
        Sleep::new(durable::Moment::At(to_instant(time)))
    }

    /// Waits for an event that somebody raises to this instance, without limit; set one with [`EventWait::timeout`].
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// let approved = ctx.wait_for_event::<bool>("decision").await?;
    /// # let _ = approved; Ok(())
    /// # }
    /// ```
    pub fn wait_for_event<T: DeserializeOwned + 'static>(&self, name: impl Into<String>) -> EventWait<T> {
        let name = name.into();
        read_only::refuse(format_args!("wait for event `{name}`"));
        EventWait::new(name)
    }

    /// Takes an event that is already there. It does not wait, and leaves nothing in history.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// while let Some(item) = ctx.try_take_event::<String>("item").await? {
    ///     ctx.activity::<()>("add", &item).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn try_take_event<T: DeserializeOwned + 'static>(&self, name: impl Into<String>) -> TimedEventWait<T> {
        self.wait_for_event(name).timeout(Duration::ZERO)
    }

    /// Runs an activity: code outside the workflow that may do anything, and runs at least once.
    ///
    /// With `()` as its type the answer is not looked at, whatever it is.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, order: u64) -> Result<()> {
    /// let receipt = ctx.activity::<String>("charge", &order).await?;
    /// # let _ = receipt; Ok(())
    /// # }
    /// ```
    pub fn activity<T: DeserializeOwned + 'static>(
        &self,
        name: impl Into<String>,
        input: &(impl Serialize + ?Sized),
    ) -> ActivityCall<T> {
        let name = name.into();
        read_only::refuse(format_args!("call activity `{name}`"));
        let input = payload::encode_input(input, format_args!("activity `{name}`"));
        ActivityCall::new(name, input)
    }

    /// Runs another workflow as a child.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, order: u64) -> Result<()> {
    /// let tracking_number = ctx.child::<String>("deliver", &order).await?;
    /// # let _ = tracking_number; Ok(())
    /// # }
    /// ```
    pub fn child<T: DeserializeOwned + 'static>(
        &self,
        workflow: impl Into<String>,
        input: &(impl Serialize + ?Sized),
    ) -> ChildCall<T> {
        let workflow = workflow.into();
        read_only::refuse(format_args!("call child `{workflow}`"));
        let input = payload::encode_input(input, format_args!("child `{workflow}`"));
        ChildCall::new(workflow, input)
    }

    /// Starts a workflow that is no child of this one: finish with [`DetachedStart::start`].
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, order: u64) -> Result<()> {
    /// let instance_id = ctx.start_detached("survey", &order).start()?;
    /// # let _ = instance_id; Ok(())
    /// # }
    /// ```
    pub fn start_detached(&self, workflow: impl Into<String>, input: &(impl Serialize + ?Sized)) -> DetachedStart {
        let workflow = workflow.into();
        read_only::refuse(format_args!("start workflow `{workflow}`"));
        let input = payload::encode_input(input, format_args!("workflow `{workflow}`"));
        DetachedStart::new(workflow, input)
    }

    /// Raises an event to another instance, once this turn is on disk. An instance that does not exist hears nothing.
    ///
    /// # Errors
    /// When the data cannot be written as JSON.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<()> {
    /// ctx.raise_event("order-7", "payment", &true)
    /// # }
    /// ```
    pub fn raise_event(&self, instance_id: &str, name: &str, data: &(impl Serialize + ?Sized)) -> Result<()> {
        read_only::refuse(format_args!("raise event `{name}`"));
        let data = payload::encode_event(data, name)?;
        context::raise_event(instance_id, name, &data);
        Ok(())
    }

    /// Replaces the status that clients see beside the instance's state.
    ///
    /// # Errors
    /// When the status cannot be written as JSON.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<()> {
    /// ctx.set_custom_status("waiting for the approver")
    /// # }
    /// ```
    pub fn set_custom_status(&self, status: &(impl Serialize + ?Sized)) -> Result<()> {
        read_only::refuse("set the status");
        context::set_custom_status(&payload::encode_status(status)?);
        Ok(())
    }

    /// The way to restart this workflow with a new input and an empty history: return it as the workflow's error.
    /// Events that nobody has waited for come along.
    ///
    /// Nothing happens before it reaches the end of the workflow, and calls that are still open are then cancelled.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// async fn daily(ctx: Ctx, day: u64) -> Result<()> {
    ///     ctx.activity::<()>("report", &day).await?;
    ///     Err(ctx.continue_as_new(&(day + 1)))
    /// }
    /// ```
    #[must_use = "a workflow continues as new only when this is returned as its error"]
    pub fn continue_as_new(&self, input: &(impl Serialize + ?Sized)) -> Error {
        self.continue_as_new_with(input, ContinueOptions::new())
    }

    /// As [`continue_as_new`](Self::continue_as_new), with options.
    ///
    /// ```no_run
    /// # use everturn_sdk::{ContinueOptions, Ctx, Result};
    /// async fn daily(ctx: Ctx, day: u64) -> Result<()> {
    ///     ctx.activity::<()>("report", &day).await?;
    ///     Err(ctx.continue_as_new_with(&(day + 1), ContinueOptions::new().drop_unread_events()))
    /// }
    /// ```
    #[must_use = "a workflow continues as new only when this is returned as its error"]
    pub fn continue_as_new_with(&self, input: &(impl Serialize + ?Sized), options: ContinueOptions) -> Error {
        read_only::refuse("continue as new");
        match payload::encode_input(input, "the next generation") {
            Ok(input) => Error::from_restart(Restart::new(input, options)),
            Err(error) => error,
        }
    }

    /// Whether the code behind a patch is to run: yes for an instance that comes here for the first time now, no for
    /// one that had passed here before the patch existed. A yes is recorded with the turn.
    ///
    /// The first answer for an id holds for the rest of the generation, wherever the id is asked for again. So give each
    /// change an id of its own. In a loop, an instance that had a round without the patch goes on without it: to take it
    /// from the next round on, make the round part of the id (`check-{round}`), or continue as new, since a new generation
    /// decides anew.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, order: u64) -> Result<()> {
    /// if ctx.patched("check-stock-first") {
    ///     ctx.activity::<()>("check_stock", &order).await?;
    /// }
    /// ctx.activity("charge", &order).await
    /// # }
    /// ```
    #[must_use]
    pub fn patched(&self, id: &str) -> bool {
        read_only::refuse(format_args!("ask for patch `{id}`"));
        context::patched(id)
    }

    /// Says that the code behind a patch is the only one left: every instance that began before the patch has ended, and
    /// the old way is gone. Keeps the patch in history, for a component of the version before that is brought back.
    ///
    /// A patch comes and goes in three deployments: [`patched`](Self::patched) with both ways; this with the new way only,
    /// when no instance is left that took the old one; and neither, when nobody will bring back the version with both ways.
    /// Each fits instances of the one before it, but for those that took the old way, and of the one after it. `patched`
    /// does not fit those that took the new way with neither: nothing says that they did.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, order: u64) -> Result<()> {
    /// ctx.deprecate_patch("check-stock-first");
    /// ctx.activity::<()>("check_stock", &order).await?;
    /// ctx.activity("charge", &order).await
    /// # }
    /// ```
    pub fn deprecate_patch(&self, id: &str) {
        let _ = self.patched(id);
    }

    /// The time of the current turn. It stands still within a turn, and is the same on every replay.
    ///
    /// ```no_run
    /// # use {everturn_sdk::Ctx, std::time::{Duration, SystemTime}};
    /// # fn example(ctx: Ctx) -> SystemTime {
    /// ctx.now() + Duration::from_secs(3600)
    /// # }
    /// ```
    #[must_use]
    pub fn now(&self) -> SystemTime {
        to_system_time(context::now())
    }

    /// A UUID (version 4) that is the same on every replay. It is no secret.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// let idempotency_key = ctx.uuid();
    /// ctx.activity("charge", &idempotency_key).await
    /// # }
    /// ```
    #[must_use]
    pub fn uuid(&self) -> String {
        read_only::refuse("draw a UUID");
        context::uuid()
    }

    /// Random bytes that are the same on every replay. Who knows the instance id can compute them: get secrets from an
    /// activity.
    ///
    /// ```no_run
    /// # use everturn_sdk::Ctx;
    /// # fn example(ctx: Ctx) -> bool {
    /// let heads = ctx.random_bytes(1)[0] % 2 == 0;
    /// # heads
    /// # }
    /// ```
    #[must_use]
    pub fn random_bytes(&self, length: usize) -> Vec<u8> {
        read_only::refuse("draw random bytes");
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            let wanted = (length - bytes.len()).min(RANDOM_BYTES_PER_CALL);
            bytes.extend(context::random_bytes(wanted as u32));
        }
        bytes
    }

    /// Which run this is.
    ///
    /// ```no_run
    /// # use everturn_sdk::Ctx;
    /// # fn example(ctx: Ctx) -> String {
    /// ctx.info().instance_id
    /// # }
    /// ```
    #[must_use]
    pub fn info(&self) -> Info {
        context::info().into()
    }

    /// How many events of history have been handled so far: a measure for when to continue as new.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # async fn example(ctx: Ctx, total: u64) -> Result<()> {
    /// if ctx.history_length() > 10_000 {
    ///     return Err(ctx.continue_as_new(&total));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn history_length(&self) -> u64 {
        context::history_length()
    }

    /// Whether what happens now has happened before. For output to people only: a workflow that decides by it does not
    /// replay. Log lines and prints are silent while replaying anyway.
    ///
    /// ```no_run
    /// # use everturn_sdk::Ctx;
    /// # fn example(ctx: Ctx) {
    /// if !ctx.is_replaying() {
    ///     println!("for the first time");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn is_replaying(&self) -> bool {
        context::is_replaying()
    }
}
