//! The same for many things, a few of them at a time.

use std::convert::Infallible;
use std::pin::pin;

use futures::StreamExt;
use futures::stream::FuturesUnordered;

/// Does something for each item, for at most so many at a time, and gives the results in the order of the items. The next one
/// begins as soon as any of them has ended. A limit of 0 counts as 1.
///
/// ```no_run
/// use everturn_sdk::prelude::*;
///
/// /// Delivers all orders, ten at a time; the result says which arrived.
/// #[workflow]
/// async fn deliver_all(ctx: Ctx, orders: Vec<u64>) -> Result<Vec<bool>> {
///     let deliveries = fan_out(10, orders, |order| ctx.child::<()>("deliver", &order)).await;
///     Ok(deliveries.iter().map(Result::is_ok).collect())
/// }
/// ```
pub async fn fan_out<I, F>(limit: usize, items: I, mut start: impl FnMut(I::Item) -> F) -> Vec<F::Output>
where
    I: IntoIterator,
    F: Future,
{
    let all = try_fan_out(limit, items, |item| {
        let future = start(item);
        async move { Ok::<_, Infallible>(future.await) }
    });
    match all.await {
        Ok(results) => results,
        Err(never) => match never {},
    }
}

/// As [`fan_out`], up to the first failure: the others are then dropped, which cancels them, and no more begin.
///
/// # Errors
/// The first failure, in time.
///
/// ```no_run
/// use everturn_sdk::prelude::*;
///
/// #[workflow]
/// async fn total(ctx: Ctx, accounts: Vec<String>) -> Result<u64> {
///     let balances = try_fan_out(10, accounts, |account| ctx.activity::<u64>("balance", &account)).await?;
///     Ok(balances.iter().sum())
/// }
/// ```
pub async fn try_fan_out<I, F, T, E>(limit: usize, items: I, mut start: impl FnMut(I::Item) -> F) -> Result<Vec<T>, E>
where
    I: IntoIterator,
    F: Future<Output = Result<T, E>>,
{
    let limit = limit.max(1);
    let mut waiting = items.into_iter();
    let mut results: Vec<Option<T>> = Vec::new();
    let mut open = pin!(FuturesUnordered::new());
    loop {
        while open.len() < limit {
            let Some(item) = waiting.next() else { break };
            let (place, future) = (results.len(), start(item));
            results.push(None);
            open.push(async move { (place, future.await) });
        }
        match open.next().await {
            Some((place, outcome)) => results[place] = Some(outcome?),
            // Each place was filled when its future ended, and all have ended.
            None => return Ok(results.into_iter().flatten().collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;

    use futures::FutureExt;

    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whatever_the_limit() {
        for limit in [0, 1, 3, 100] {
            let results = fan_out(limit, 0..10, |number| ready(number * 2)).now_or_never().unwrap();
            assert_eq!(results, (0..10).map(|number| number * 2).collect::<Vec<_>>(), "{limit}");
        }
        assert_eq!(fan_out(3, [0; 0], ready).now_or_never().unwrap(), [0; 0]);
    }

    #[test]
    fn nothing_begins_after_a_failure() {
        let begun = Cell::new(0);
        let outcome = try_fan_out(1, 0..10, |number| {
            begun.set(begun.get() + 1);
            ready(if number == 3 { Err("three") } else { Ok(number) })
        });
        assert_eq!(outcome.now_or_never().unwrap(), Err("three"));
        assert_eq!(begun.get(), 4);
    }
}
