//! Runs a workflow written as an async function on the core, as the host runs a compiled guest.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use everturn_history::HistoryEvent;
use everturn_replay::{
    ActivityOptions, ChildOptions, Execution, Failure, Moment, ReplayError, Resolution, RetryPolicy, Source, Step,
    Task, Turn,
};
use futures::future::LocalBoxFuture;

use crate::Player;

pub type Outcome = Result<String, Failure>;
type Code = Rc<dyn Fn(Ctx) -> LocalBoxFuture<'static, Outcome>>;

/// What a workflow under test calls.
#[derive(Clone)]
pub struct Ctx {
    execution: Rc<RefCell<Execution>>,
    /// Of everybody who waits: all are woken at every step, and look for themselves.
    wakers: Rc<RefCell<Vec<Waker>>>,
}

impl Ctx {
    pub fn with<T>(&self, use_it: impl FnOnce(&mut Execution) -> T) -> T {
        use_it(&mut self.execution.borrow_mut())
    }

    /// What waits for a task that `ask` makes.
    pub fn awaited(&self, ask: impl FnOnce(&mut Execution) -> Task) -> Awaited {
        Awaited { task: self.with(ask), ctx: self.clone() }
    }

    pub async fn sleep(&self, seconds: u64) {
        self.awaited(|execution| execution.create_timer(Moment::After(Duration::from_secs(seconds)), None)).await;
    }

    pub async fn wait(&self, name: &str, timeout: Option<Duration>) -> Option<String> {
        match self.awaited(|execution| execution.wait_for_event(name, timeout)).await {
            Resolution::Event(event) => event,
            other => panic!("a wait was answered by {other:?}"),
        }
    }

    pub async fn activity(&self, name: &str, retry: Option<RetryPolicy>) -> Outcome {
        let options = ActivityOptions { retry, ..ActivityOptions::default() };
        completed(self.awaited(|execution| execution.call_activity(name.into(), "null".into(), options)).await)
    }

    pub async fn child(&self, name: &str, options: ChildOptions) -> Outcome {
        completed(self.awaited(|execution| execution.call_child(name.into(), "null".into(), options)).await)
    }
}

fn completed(resolution: Resolution) -> Outcome {
    match resolution {
        Resolution::Completed(outcome) => outcome,
        other => panic!("a call was answered by {other:?}"),
    }
}

/// Waits for a task; dropping it cancels the task.
pub struct Awaited {
    ctx: Ctx,
    task: Task,
}

impl Future for Awaited {
    type Output = Resolution;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Resolution> {
        match self.ctx.with(|execution| execution.take(self.task)) {
            Some(resolution) => Poll::Ready(resolution),
            None => {
                self.ctx.wakers.borrow_mut().push(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        self.ctx.with(|execution| execution.cancel(self.task));
    }
}

/// A workflow and its execution.
pub struct Guest {
    pub ctx: Ctx,
    code: Code,
    running: Option<LocalBoxFuture<'static, Outcome>>,
}

impl Guest {
    pub fn new<F: Future<Output = Outcome> + 'static>(code: impl Fn(Ctx) -> F + 'static) -> Self {
        Self::of(Rc::new(move |ctx| Box::pin(code(ctx))))
    }

    fn of(code: Code) -> Self {
        let ctx = Ctx { execution: Rc::new(RefCell::new(Execution::new())), wakers: Rc::default() };
        Self { ctx, code, running: None }
    }

    /// The same workflow before its first turn.
    pub fn afresh(&self) -> Self {
        Self::of(self.code.clone())
    }

    fn poll(&mut self) {
        let Some(running) = &mut self.running else { return };
        self.ctx.wakers.take().into_iter().for_each(Waker::wake);
        if let Poll::Ready(outcome) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            self.ctx.with(|execution| execution.complete(outcome));
            self.running = None;
        }
    }
}

impl Player for Guest {
    type Error = ReplayError;

    fn push(&mut self, event: HistoryEvent, source: Source) {
        self.ctx.with(|execution| execution.push(event, source));
    }

    fn run(&mut self) -> Result<(), ReplayError> {
        loop {
            let step = self.ctx.with(Execution::next_step)?;
            match step {
                Step::Start => self.running = Some((self.code)(self.ctx.clone())),
                Step::Resolved(_) => {}
                Step::Idle => return Ok(()),
                Step::Finished => {
                    self.running = None;
                    return Ok(());
                }
            }
            self.poll();
        }
    }

    fn end_turn(&mut self) -> Turn {
        self.ctx.with(Execution::end_turn)
    }
}
