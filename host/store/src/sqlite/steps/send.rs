//! Messages and answers from outside of a turn.

use everturn_history::InstanceId;

use super::super::failure::Failure;
use super::super::writer::Writing;
use super::{messages, tasks};
use crate::{Address, Answer, Committed, NewMessage, StoreError};

pub(in super::super) fn send(writing: &mut Writing<'_>, message: &NewMessage) -> Result<Committed, Failure> {
    let mut committed = Committed::default();
    match messages::receiver(writing, &message.to)? {
        None => Err(StoreError::NotFound { id: address_id(&message.to) }.into()),
        Some(receiver) if receiver.status.is_ended() => {
            Err(StoreError::Ended { id: receiver.id, status: receiver.status }.into())
        }
        Some(receiver) => {
            messages::deliver(writing, &receiver, message, None, &mut committed)?;
            Ok(committed)
        }
    }
}

pub(in super::super) fn answer(writing: &mut Writing<'_>, answer: &Answer) -> Result<Committed, Failure> {
    let mut committed = Committed::default();
    tasks::finish(writing, answer.task, None)?;
    messages::send_or_drop(writing, None, &answer.message, None, &mut committed)?;
    Ok(committed)
}

/// A name for who is not there. A number has no id any more.
fn address_id(address: &Address) -> InstanceId {
    match address {
        Address::Id { id, .. } => id.clone(),
        Address::Itself => InstanceId::from("nobody"),
        Address::Key(key) => InstanceId::from(format!("number {}", key.0)),
        Address::ParentOf(child) => InstanceId::from(format!("parent of number {}", child.0)),
    }
}
