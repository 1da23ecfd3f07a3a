//! An instance that goes on after the end of its history was taken back. What it asks for from then on must not be taken for
//! what it had asked for in the part that is gone: workers and children of that may still be at work.

use everturn_history::WorkflowResetEvent;

use crate::Execution;

impl Execution {
    /// What came after this point was taken back.
    pub(crate) fn go_on_after(&mut self, reset: WorkflowResetEvent) {
        self.reset = Some(reset);
        self.name_calls_apart();
    }

    /// Gives activity calls other ids than the run had before. Those that history has keep theirs.
    pub(crate) fn name_calls_apart(&mut self) {
        if let (Some(start), Some(reset)) = (&self.start, &self.reset) {
            self.task_execution_ids.change_run(start, &reset.execution_id);
        }
    }

    /// What ends the ids of instances that are started from here on. Empty: nothing was taken back.
    pub(crate) fn reset_mark(&self) -> String {
        self.reset.as_ref().map_or_else(String::new, |reset| format!(":reset-{}", reset.turns))
    }
}
