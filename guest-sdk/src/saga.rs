//! Steps that are taken back when a later one fails.

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::error::{Error, Result};

/// Steps that are taken back in reverse order when a later one fails.
///
/// Nothing of it is stored but the calls themselves: after a crash the workflow is replayed to the same step or the same
/// compensation, and goes on from there. How often a compensation is tried is said by its own retry policy. Give it a
/// patient one: a compensation that fails for good is reported with the failure, and the others are run all the same.
///
/// Trap: only an error takes steps back. A saga that is dropped before it ended, because it ran in a
/// [`Scope`](crate::Scope) that was cancelled, in a [`timeout`](crate::timeout()) or in a `select!` that something else won,
/// takes nothing back; the log says so. Put what calls it off inside, around the step: its error then ends the saga as any
/// other does.
///
/// ```no_run
/// # use {everturn_sdk::prelude::*, std::time::Duration};
/// # async fn example(ctx: Ctx, scope: Scope) -> Result<()> {
/// Saga::run(async |saga| {
///     saga.step(ctx.activity::<()>("reserve", &7), |()| ctx.activity("release", &7)).await?;
///     let charge = timeout(ctx, Duration::from_secs(60), ctx.activity("charge", &7));
///     scope.run(charge).await??
/// })
/// .await
/// # }
/// ```
///
/// All of it together:
///
/// ```
/// use std::time::Duration;
/// use everturn_sdk::prelude::*;
///
/// #[workflow]
/// async fn book_trip(ctx: Ctx, trip: String) -> Result<(u64, u64)> {
///     let patient = RetryPolicy::exponential(Duration::from_secs(1)).max_interval(Duration::from_secs(600));
///     Saga::run(async |saga| {
///         let flight: u64 = saga
///             .step(ctx.activity("book_flight", &trip), |flight| {
///                 ctx.activity("cancel_flight", flight).retry(patient.clone())
///             })
///             .await?;
///         let hotel: u64 = saga
///             .step(ctx.activity("book_hotel", &trip), |hotel| {
///                 ctx.activity("cancel_hotel", hotel).retry(patient.clone())
///             })
///             .await?;
///         ctx.activity::<()>("charge", &(flight, hotel)).await?;
///         Ok((flight, hotel))
///     })
///     .await
/// }
/// ```
pub struct Saga<'a> {
    /// What is not yet taken back, the last step last; nothing once the saga has ended.
    compensations: Vec<LocalBoxFuture<'a, Result<()>>>,
}

impl<'a> Saga<'a> {
    /// Runs the steps, and takes back those that were done when they fail.
    ///
    /// Continue-as-new is no failure: the steps are then done, and their compensations forgotten.
    ///
    /// # Errors
    /// That of the steps. Compensations that failed too are among its causes.
    ///
    /// ```no_run
    /// # use everturn_sdk::prelude::*;
    /// # async fn example(ctx: Ctx) -> Result<()> {
    /// Saga::run(async |saga| {
    ///     saga.step(ctx.activity::<()>("reserve", &7), |()| ctx.activity("release", &7)).await?;
    ///     ctx.activity("charge", &7).await
    /// })
    /// .await
    /// # }
    /// ```
    pub async fn run<T>(steps: impl AsyncFnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let mut saga = Self { compensations: Vec::new() };
        match steps(&mut saga).await {
            Err(error) if !error.is_continue_as_new() => Err(saga.compensate(error).await),
            other => {
                saga.compensations.clear();
                other
            }
        }
    }

    /// Takes a step. When it is done, what takes it back is added: made from the answer, and begun only when it is needed.
    ///
    /// # Errors
    /// That of the step, which is then not taken back. One that may have had its effect although it failed is taken back
    /// by what was added with [`compensate_with`](Self::compensate_with) before.
    ///
    /// ```no_run
    /// # use everturn_sdk::prelude::*;
    /// # async fn example(ctx: Ctx, saga: &mut Saga<'_>) -> Result<u64> {
    /// saga.step(ctx.activity("book", &7), move |booking: &u64| ctx.activity("cancel", booking)).await
    /// # }
    /// ```
    pub async fn step<T, F>(
        &mut self,
        action: impl Future<Output = Result<T>>,
        compensation: impl FnOnce(&T) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<()>> + 'a,
    {
        let answer = action.await?;
        self.compensate_with(compensation(&answer));
        Ok(answer)
    }

    /// Adds what is to be done when a later step fails.
    ///
    /// ```no_run
    /// # use everturn_sdk::prelude::*;
    /// # async fn example(ctx: Ctx, saga: &mut Saga<'_>) -> Result<()> {
    /// // The answer of the bank may get lost, so the refund is there before the charge.
    /// saga.compensate_with(ctx.activity("refund_if_charged", &7));
    /// ctx.activity("charge", &7).await
    /// # }
    /// ```
    pub fn compensate_with(&mut self, compensation: impl Future<Output = Result<()>> + 'a) {
        self.compensations.push(compensation.boxed_local());
    }

    /// Takes back what was done, the last first; with what went wrong, which it gives back.
    async fn compensate(mut self, mut error: Error) -> Error {
        while let Some(compensation) = self.compensations.last_mut() {
            let outcome = compensation.await;
            self.compensations.pop();
            if let Err(failed) = outcome {
                crate::error!(%failed, "a compensation failed");
                error = error.caused_by(failed);
            }
        }
        error
    }
}

impl Drop for Saga<'_> {
    fn drop(&mut self) {
        let left = self.compensations.len();
        // Where there is no host, a panic unwinds, and there is no log to write to.
        if left > 0 && !std::thread::panicking() {
            crate::warn!(
                left,
                "a saga was dropped before it ended, and its compensations with it: its steps stay done"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::ready;

    use super::*;

    #[test]
    fn steps_are_taken_back_in_reverse_order_and_only_when_it_fails() {
        for (fails, expected) in [(true, vec!["one", "two", "not two", "not one"]), (false, vec!["one", "two"])] {
            let done = RefCell::new(Vec::new());
            let note = |what: &'static str| {
                let done = &done;
                async move {
                    done.borrow_mut().push(what);
                    Ok(())
                }
            };
            let outcome = Saga::run(async |saga| {
                saga.step(note("one"), |()| note("not one")).await?;
                saga.step(note("two"), |()| note("not two")).await?;
                if fails { Err(Error::new("Third", "the third step failed")) } else { Ok(3) }
            });
            assert_eq!(outcome.now_or_never().unwrap().is_err(), fails);
            assert_eq!(done.take(), expected);
        }
    }

    #[test]
    fn a_step_that_failed_is_not_taken_back() {
        let outcome = Saga::run(async |saga| {
            let failed = ready(Err::<(), _>(Error::new("First", "no")));
            saga.step(failed, |()| async { unreachable!("there is nothing to take back") }).await
        });
        assert!(outcome.now_or_never().unwrap().unwrap_err().is("First"));
    }
}
