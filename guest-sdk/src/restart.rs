//! How a workflow restarts itself: the way out that `continue_as_new` gives, before the host hears of it.
//! The host is told only when it reaches the end of the workflow, so a workflow that changes its mind has done nothing.

use crate::bindings::everturn::workflow::context;

/// How a workflow continues as new, for [`Ctx::continue_as_new_with`](crate::Ctx::continue_as_new_with).
///
/// ```
/// use everturn_sdk::ContinueOptions;
///
/// let options = ContinueOptions::new().drop_unread_events().version("2");
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "options do nothing until they are passed to `continue_as_new_with`"]
pub struct ContinueOptions {
    drop_unread_events: bool,
    version: Option<String>,
}

impl ContinueOptions {
    /// Keeps unread events and the version: what [`Ctx::continue_as_new`](crate::Ctx::continue_as_new) does.
    ///
    /// ```
    /// # use everturn_sdk::ContinueOptions;
    /// assert_eq!(ContinueOptions::new(), ContinueOptions::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Events that arrived and were not waited for are lost.
    ///
    /// ```
    /// # use everturn_sdk::ContinueOptions;
    /// let options = ContinueOptions::new().drop_unread_events();
    /// # let _ = options;
    /// ```
    pub fn drop_unread_events(mut self) -> Self {
        self.drop_unread_events = true;
        self
    }

    /// The version to go on with, instead of the current one.
    ///
    /// ```
    /// # use everturn_sdk::ContinueOptions;
    /// let options = ContinueOptions::new().version("2");
    /// # let _ = options;
    /// ```
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }
}

/// A restart that has been decided inside the guest.
#[derive(Debug)]
pub(crate) struct Restart {
    input: String,
    options: ContinueOptions,
}

impl Restart {
    pub(crate) fn new(input: String, options: ContinueOptions) -> Self {
        Self { input, options }
    }

    pub(crate) fn tell_host(self) {
        let options = context::ContinueOptions {
            keep_unread_events: !self.options.drop_unread_events,
            version: self.options.version,
        };
        context::continue_as_new(&self.input, &options);
    }
}
