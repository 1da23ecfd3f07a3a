//! Gets an instance ready for a turn that will come soon: its guest is where the last turn left it, and what the next one
//! takes is in memory. It is done as its driver, so nothing happens to it meanwhile; but no turn is taken.

use std::sync::Arc;

use everturn_store::{Awoken, InstanceKey, Loaded, Status, Time};

use super::driver::start;
use super::parked::{Code, Parked};
use super::stage;
use super::turn::{may_be_more, own_guest};
use crate::host::Host;

/// Gets these ready for what they may see at that time. Who has something else to do, or cannot be got ready, is left alone.
pub(crate) async fn get_ready(host: &Arc<Host>, instances: &[InstanceKey], at: Time) {
    // It is never closed.
    let Ok(_room) = host.in_progress.acquire().await else { return };
    let entered: Vec<_> = instances.iter().copied().filter(|instance| host.mailroom.enter(*instance)).collect();
    let limit = host.options.messages_per_turn;
    let awoken = host.store.wake(entered.clone(), at, limit).await.unwrap_or_default();
    for Awoken { messages, loaded } in awoken {
        if let Some(loaded) = loaded.filter(|_| !may_be_more(&messages, limit))
            && let Some((mut parked, code)) = kept_or_rebuilt(host, loaded).await
        {
            parked.foreseen = messages;
            host.guests.put(parked, code);
        }
    }
    for instance in entered {
        if !host.mailroom.leave(instance) {
            start(host, instance);
        }
    }
}

/// The instance with its guest. None: it has none, or its guest cannot go on, which is for its turn to find out.
async fn kept_or_rebuilt(host: &Arc<Host>, loaded: Loaded) -> Option<(Box<Parked>, Code)> {
    if let Some(kept) = host.guests.take(loaded.instance.key) {
        return Some(kept);
    }
    if loaded.instance.status.is_ended() || loaded.instance.status == Status::Stalled {
        return None;
    }
    let (parked, history) = Parked::new(loaded);
    let guest = own_guest(host, &parked.instance).await.ok()?;
    let stage = stage::enter(&host.turns, &host.clock).await;
    let (guest, replayed) = stage.replay(guest, history).await.ok()?;
    replayed.ok().map(|()| (parked, Code::Guest(guest)))
}
