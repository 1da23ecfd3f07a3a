//! Workflows with state: signals, updates and queries, at once and patiently.

use everturn_sdk::prelude::*;
use serde_json::Value;

/// Texts that others send.
#[derive(Default)]
struct Notes {
    texts: Vec<String>,
    is_done: bool,
}

/// Calls activity `A` with the notes at the beginning, then waits until it is `done`, and returns them with the notes at
/// the time of the answer.
#[workflow(name = "takes_notes")]
impl Notes {
    #[init]
    fn new(first: &Option<String>) -> Self {
        Self { texts: first.iter().cloned().collect(), is_done: false }
    }

    #[run]
    async fn run(ctx: Ctx<Self>, _first: Option<String>) -> Result<(usize, Vec<String>)> {
        let before = ctx.read(|notes| notes.texts.clone());
        ctx.activity::<Value>("A", &before).await?;
        let count = ctx.read(|notes| notes.texts.len());
        ctx.wait_until(|notes| notes.is_done).await;
        ctx.wait_for_handlers().await;
        Ok((count, ctx.read(|notes| notes.texts.clone())))
    }

    #[signal]
    fn note(&mut self, text: String) {
        self.texts.push(text);
    }

    #[signal(name = "Done")]
    fn done(&mut self) {
        self.is_done = true;
    }

    #[signal]
    async fn fetch(ctx: Ctx<Self>, name: String) -> Result<()> {
        ctx.change(|notes| notes.texts.push(format!("asking {name}")));
        let text: String = ctx.activity("fetch", &name).await?;
        ctx.change(|notes| notes.texts.push(text));
        Ok(())
    }

    #[signal]
    fn fail(&mut self, reason: String) -> Result<()> {
        Err(Error::new("Sabotaged", reason))
    }

    #[signal]
    fn begin_again(&mut self, ctx: &Ctx<Self>) -> Result<()> {
        Err(ctx.continue_as_new(&"again"))
    }

    #[update]
    fn add(&mut self, text: String) -> usize {
        self.texts.push(text);
        self.texts.len()
    }

    #[validate(add)]
    fn may_add(&self, _ctx: &Ctx<Self>, text: &str) -> Result<()> {
        match text.is_empty() {
            true => Err(Error::new("Empty", "a note has a text").not_retriable()),
            false => Ok(()),
        }
    }

    #[update]
    async fn fetch_now(ctx: Ctx<Self>, name: String) -> Result<usize> {
        let text: String = ctx.activity("fetch", &name).await?;
        Ok(ctx.change(|notes| {
            notes.texts.push(text);
            notes.texts.len()
        }))
    }

    #[update]
    fn clear(&mut self) -> Result<()> {
        let count = self.texts.len();
        self.texts.clear();
        Err(Error::new("Cleared", format!("{count} notes are gone")))
    }

    #[query]
    fn texts(&self) -> Vec<String> {
        self.texts.clone()
    }

    #[query]
    fn text(&self, place: usize) -> Result<String> {
        self.texts.get(place).cloned().ok_or_else(|| Error::new("NoSuchNote", "there are fewer"))
    }

    #[query]
    fn calls_an_activity(&self, ctx: &Ctx<Self>) -> bool {
        drop(ctx.activity::<()>("charge", &()));
        true
    }

    #[query]
    fn changes_the_state(&self, ctx: &Ctx<Self>) -> usize {
        ctx.change(|notes| notes.texts.len())
    }
}

/// Nothing to change.
#[derive(Default)]
struct Validates;

/// Waits for event `end`; its validator does more than look.
#[workflow(name = "validates_wrongly")]
impl Validates {
    #[run]
    async fn run(ctx: Ctx<Self>) -> Result<()> {
        ctx.wait_for_event("end").await
    }

    #[update]
    fn change(&mut self) {}

    #[validate(change)]
    fn may_change(&self, ctx: &Ctx<Self>) -> Result<()> {
        ctx.raise_event("other", "hello", &())
    }
}
