//! What a start does when its id is in use. Clients say so in three ways, and listeners have different defaults.

use everturn_history::OrchestrationStatus;
use everturn_runtime::ExistingInstance;
use everturn_store::Status;

use crate::Dialect;
use crate::protocol::{CreateOrchestrationAction, OrchestrationIdReusePolicy};

/// What a start does with the instance that has its id and stands like this.
///
/// - Dapr's clients take the place of one that has ended, unless they ask for an id of its own.
/// - Microsoft's list the statuses of those whose place they take, and take no other.
/// - Older ones of Dapr list statuses too, with what is to be done then; with any other, the id counts as used.
pub(super) fn reuse(
    dialect: Dialect,
    is_unique: bool,
    policy: Option<&OrchestrationIdReusePolicy>,
    existing: Status,
) -> ExistingInstance {
    let policy = policy.filter(|policy| !policy.operation_status.is_empty());
    let Some(policy) = policy.filter(|_| !is_unique) else {
        let replaces_ended = dialect != Dialect::Microsoft && !is_unique;
        return if replaces_ended { ExistingInstance::ReplaceEnded } else { ExistingInstance::Fail };
    };
    // Microsoft's clients see one that is stalled as running.
    let seen = match existing {
        Status::Stalled if dialect == Dialect::Microsoft => OrchestrationStatus::Running,
        existing => existing.to_protocol(),
    };
    let is_listed = policy.operation_status.contains(&seen.into());
    let action = match policy.action {
        Some(_) => policy.action(),
        // What is not sent is the first of the values there, and the only one here.
        None if dialect == Dialect::Microsoft => CreateOrchestrationAction::Terminate,
        None => CreateOrchestrationAction::Error,
    };
    match action {
        _ if !is_listed => ExistingInstance::Fail,
        CreateOrchestrationAction::Error => ExistingInstance::Fail,
        CreateOrchestrationAction::Ignore => ExistingInstance::Use,
        CreateOrchestrationAction::Terminate if existing.is_ended() => ExistingInstance::ReplaceEnded,
        CreateOrchestrationAction::Terminate => ExistingInstance::Replace,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(
        statuses: &[OrchestrationStatus],
        action: Option<CreateOrchestrationAction>,
    ) -> OrchestrationIdReusePolicy {
        OrchestrationIdReusePolicy {
            operation_status: statuses.iter().map(|status| (*status).into()).collect(),
            action: action.map(Into::into),
        }
    }

    #[test]
    fn without_a_policy_the_listener_decides() {
        let without = |dialect, is_unique| reuse(dialect, is_unique, None, Status::Completed);
        assert_eq!(without(Dialect::Dapr, false), ExistingInstance::ReplaceEnded);
        assert_eq!(without(Dialect::Dapr, true), ExistingInstance::Fail);
        assert_eq!(without(Dialect::Microsoft, false), ExistingInstance::Fail);
        let empty = policy(&[], None);
        assert_eq!(reuse(Dialect::Dapr, false, Some(&empty), Status::Failed), ExistingInstance::ReplaceEnded);
    }

    #[test]
    fn microsofts_clients_list_what_they_replace() {
        let listed = policy(&[OrchestrationStatus::Completed, OrchestrationStatus::Running], None);
        let with = |existing| reuse(Dialect::Microsoft, false, Some(&listed), existing);
        assert_eq!(with(Status::Completed), ExistingInstance::ReplaceEnded);
        assert_eq!(with(Status::Running), ExistingInstance::Replace);
        assert_eq!(with(Status::Stalled), ExistingInstance::Replace);
        assert_eq!(with(Status::Failed), ExistingInstance::Fail);
    }

    #[test]
    fn older_clients_of_dapr_say_what_is_to_be_done() {
        use CreateOrchestrationAction::{Error, Ignore, Terminate};
        let running = &[OrchestrationStatus::Running];
        let with = |action, existing| reuse(Dialect::Dapr, false, Some(&policy(running, action)), existing);
        assert_eq!(with(Some(Ignore), Status::Running), ExistingInstance::Use);
        assert_eq!(with(Some(Terminate), Status::Running), ExistingInstance::Replace);
        assert_eq!(with(Some(Error), Status::Running), ExistingInstance::Fail);
        assert_eq!(with(None, Status::Running), ExistingInstance::Fail);
        assert_eq!(with(Some(Ignore), Status::Completed), ExistingInstance::Fail);
    }
}
