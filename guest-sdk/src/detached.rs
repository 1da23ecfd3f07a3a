//! Starting a workflow that is no child of this one.

use std::time::SystemTime;

use crate::bindings::everturn::workflow::context;
use crate::error::Result;
use crate::time::to_instant;

/// A workflow about to be started. Made by [`Ctx::start_detached`](crate::Ctx::start_detached).
///
/// ```no_run
/// use everturn_sdk::{Ctx, Result};
///
/// async fn order(ctx: Ctx, order: u64) -> Result<String> {
///     let survey = ctx.start_detached("survey", &order).instance_id(format!("survey-{order}")).start()?;
///     Ok(survey)
/// }
/// ```
#[must_use = "a workflow is not started before `start` is called"]
pub struct DetachedStart {
    workflow: String,
    input: Result<String>,
    options: context::DetachedOptions,
}

impl DetachedStart {
    pub(crate) fn new(workflow: String, input: Result<String>) -> Self {
        let options =
            context::DetachedOptions { instance_id: None, target_app_id: None, version: None, start_at: None };
        Self { workflow, input, options }
    }

    /// Its instance id. Without it: derived from this instance's.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<String> {
    /// ctx.start_detached("survey", &7).instance_id("survey-7").start()
    /// # }
    /// ```
    pub fn instance_id(mut self, id: impl Into<String>) -> Self {
        self.options.instance_id = Some(id.into());
        self
    }

    /// The application that runs it. Without it: this one.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<String> {
    /// ctx.start_detached("survey", &7).target_app_id("marketing").start()
    /// # }
    /// ```
    pub fn target_app_id(mut self, app_id: impl Into<String>) -> Self {
        self.options.target_app_id = Some(app_id.into());
        self
    }

    /// The version to start. Without it: the active one.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<String> {
    /// ctx.start_detached("survey", &7).version("2").start()
    /// # }
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.version = Some(version.into());
        self
    }

    /// When it starts. Without it, or with a time in the past: at once.
    ///
    /// ```no_run
    /// # use {everturn_sdk::{Ctx, Result}, std::time::Duration};
    /// # fn example(ctx: Ctx) -> Result<String> {
    /// ctx.start_detached("survey", &7).start_at(ctx.now() + Duration::from_secs(3600)).start()
    /// # }
    /// ```
    pub fn start_at(mut self, time: SystemTime) -> Self {
        self.options.start_at = Some(to_instant(time));
        self
    }

    /// Starts it as soon as this turn is on disk, and gives its instance id.
    ///
    /// # Errors
    /// When its input cannot be written as JSON.
    ///
    /// ```no_run
    /// # use everturn_sdk::{Ctx, Result};
    /// # fn example(ctx: Ctx) -> Result<String> {
    /// ctx.start_detached("survey", &7).start()
    /// # }
    /// ```
    pub fn start(self) -> Result<String> {
        Ok(context::start_detached(&self.workflow, &self.input?, &self.options))
    }
}
