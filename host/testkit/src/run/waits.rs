//! What a run waits for, in words, when nothing comes any more.

use super::Run;
use crate::Status;
use crate::complaint::listed;
use crate::world::Instance;

impl Run {
    /// A line for each instance that waits, and one for each thing that it waits for.
    pub(super) fn waits(&self) -> Vec<String> {
        let open = self.world.instances.values().filter(|instance| !instance.status.is_ended());
        open.flat_map(|instance| self.waits_of(instance)).collect()
    }

    fn waits_of(&self, instance: &Instance) -> Vec<String> {
        let Instance { id, workflow, .. } = instance;
        let suspended = if instance.status == Status::Suspended { " is suspended, and" } else { "" };
        let mut lines = vec![format!("  `{workflow}` (instance `{id}`){suspended} waits for:")];
        lines.extend(instance.pending.iter().map(|pending| format!("    {}", pending.words())));
        if let Some(described) = self.world.settings.component.workflow(workflow) {
            let handled = [("signal", &described.signals), ("update", &described.updates)];
            for (what, names) in handled.into_iter().filter(|(_, names)| !names.is_empty()) {
                lines.push(
                    format!("    a {what} that it handles: {}", listed(names)).replace(" a update", " an update"),
                );
            }
        }
        if lines.len() == 1 {
            lines.push("    nothing that is in its history".to_owned());
        }
        lines
    }
}
