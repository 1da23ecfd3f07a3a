//! Handlers that a plain function registers on its context.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use everturn_sdk::prelude::*;
use serde_json::Value;

/// Sleeps 5 s before it listens for `add`, answers `sum`, takes `set` up to 100 and `fetch`; returns the sum when event `end`
/// comes.
#[workflow]
async fn listens_late(ctx: Ctx) -> Result<u32> {
    ctx.sleep(Duration::from_secs(5)).await;
    let sum = Rc::new(Cell::new(0));
    let shared = || Rc::clone(&sum);

    let (added, shown, set, fetched) = (shared(), shared(), shared(), shared());
    ctx.on_signal("add", move |number: u32| added.set(added.get() + number));
    ctx.on_query("sum", move |()| Ok(shown.get()));
    let check = |number: &u32| match number {
        0..=100 => Ok(()),
        _ => Err(Error::new("TooMuch", "up to 100")),
    };
    ctx.on_validated_update("set", check, move |number: u32| Ok(set.replace(number)));
    ctx.on_async_update(
        "fetch",
        |_| Ok(()),
        move |()| {
            let fetched = Rc::clone(&fetched);
            async move {
                fetched.set(ctx.activity("fetch", &()).await?);
                Ok(fetched.get())
            }
        },
    );
    ctx.wait_for_event::<()>("end").await?;
    Ok(sum.get())
}

/// Takes `go` as a signal once, and then as an event; `more` is registered by the handler of `go`.
#[workflow]
async fn registers_from_a_handler(ctx: Ctx) -> Result<Vec<String>> {
    let heard = Rc::new(RefCell::new(Vec::new()));
    let go = Rc::clone(&heard);
    ctx.on_signal("go", move |text: String| {
        go.borrow_mut().push(text);
        let more = Rc::clone(&go);
        ctx.on_signal("more", move |text: String| more.borrow_mut().push(text));
    });
    ctx.wait_until(|()| heard.borrow().len() == 3).await;
    Ok(heard.take())
}

/// Handles `ask` by an activity each, and ends when two have been answered.
#[workflow]
async fn asks_patiently(ctx: Ctx) -> Result<Vec<Value>> {
    let answers = Rc::new(RefCell::new(Vec::new()));
    let taken = Rc::clone(&answers);
    ctx.on_async_signal("ask", move |question: Value| {
        let taken = Rc::clone(&taken);
        async move {
            let answer = ctx.activity("answer", &question).await?;
            taken.borrow_mut().push(answer);
            Ok(())
        }
    });
    ctx.wait_until(|()| answers.borrow().len() == 2).await;
    Ok(answers.take())
}
