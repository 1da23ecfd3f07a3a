//! Waiting until it is quiet.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use crate::context::Ctx;
use crate::read_only;

/// Collects what comes until nothing has come for a while: one answer to a burst of signals. It is a handle: clones are the
/// same.
///
/// A burst costs a timer for each quiet period that it lasts, not one for each item.
///
/// ```
/// use std::time::Duration;
/// use everturn_sdk::prelude::*;
///
/// struct Reindex {
///     changes: Debounce<String>,
/// }
///
/// #[workflow]
/// impl Reindex {
///     #[init]
///     fn new() -> Self {
///         Self { changes: Debounce::new(Duration::from_secs(5)).at_most(Duration::from_secs(60)) }
///     }
///
///     #[run]
///     async fn run(ctx: Ctx<Self>) -> Result<()> {
///         let changes = ctx.read(|state| state.changes.clone());
///         loop {
///             let files = changes.next(ctx).await;
///             ctx.activity::<()>("reindex", &files).await?;
///         }
///     }
///
///     #[signal]
///     fn changed(&mut self, ctx: &Ctx<Self>, file: String) {
///         self.changes.push(ctx, file);
///     }
/// }
/// ```
#[derive(Debug)]
pub struct Debounce<T> {
    shared: Rc<Shared<T>>,
}

#[derive(Debug)]
struct Shared<T> {
    quiet: Duration,
    at_most: Cell<Option<Duration>>,
    items: RefCell<Vec<T>>,
    /// When the first and the last of the items came.
    span: Cell<Option<(SystemTime, SystemTime)>>,
}

impl<T> Clone for Debounce<T> {
    fn clone(&self) -> Self {
        Self { shared: Rc::clone(&self.shared) }
    }
}

impl<T> Debounce<T> {
    /// It is quiet when nothing has come for this long.
    ///
    /// ```
    /// # use {everturn_sdk::Debounce, std::time::Duration};
    /// let changes = Debounce::<String>::new(Duration::from_secs(5));
    /// # let _ = changes;
    /// ```
    #[must_use]
    pub fn new(quiet: Duration) -> Self {
        let shared = Shared { quiet, at_most: Cell::new(None), items: RefCell::default(), span: Cell::new(None) };
        Self { shared: Rc::new(shared) }
    }

    /// No item waits longer than this, however restless it is.
    ///
    /// ```
    /// # use {everturn_sdk::Debounce, std::time::Duration};
    /// let changes = Debounce::<String>::new(Duration::from_secs(5)).at_most(Duration::from_secs(60));
    /// # let _ = changes;
    /// ```
    #[must_use]
    pub fn at_most(self, longest: Duration) -> Self {
        self.shared.at_most.set(Some(longest));
        self
    }

    /// Adds an item, and begins the wait for quiet anew.
    ///
    /// ```no_run
    /// # fn example(ctx: everturn_sdk::Ctx, changes: everturn_sdk::Debounce<u32>) {
    /// changes.push(&ctx, 7);
    /// # }
    /// ```
    pub fn push<S>(&self, ctx: &Ctx<S>, item: T) {
        read_only::refuse("add to a debounce");
        let now = ctx.now();
        let first = self.shared.span.get().map_or(now, |(first, _)| first);
        self.shared.span.set(Some((first, now)));
        self.shared.items.borrow_mut().push(item);
    }

    /// Waits for an item and then for quiet, and gives all that came, in its order. There is always one at least: when
    /// several wait, one of them gets the burst, and the others wait for the next.
    ///
    /// What is there is kept when this is dropped before it ends.
    ///
    /// ```no_run
    /// # async fn example(ctx: everturn_sdk::Ctx, changes: everturn_sdk::Debounce<u32>) -> Vec<u32> {
    /// changes.next(ctx).await
    /// # }
    /// ```
    pub async fn next<S>(&self, ctx: Ctx<S>) -> Vec<T> {
        let ctx = ctx.plain();
        loop {
            ctx.wait_until(|()| self.shared.span.get().is_some()).await;
            while let Some(until) = self.quiet_at() {
                if until <= ctx.now() {
                    self.shared.span.set(None);
                    return self.shared.items.take();
                }
                ctx.sleep_until(until).named("debounce").await;
            }
            // Somebody else took the burst meanwhile.
        }
    }

    /// When it is quiet, if nothing more comes.
    fn quiet_at(&self) -> Option<SystemTime> {
        let (first, last) = self.shared.span.get()?;
        let quiet = last + self.shared.quiet;
        Some(self.shared.at_most.get().map_or(quiet, |longest| quiet.min(first + longest)))
    }
}
