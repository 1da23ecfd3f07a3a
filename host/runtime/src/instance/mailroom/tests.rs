//! What drivers are given, and when they are wanted.

use std::pin::pin;

use everturn_history::{Timestamp, UpdateAcceptedEvent, event, text};
use everturn_store::{TaskKey, Time, Token};
use futures::FutureExt;

use super::*;

const KEY: InstanceKey = InstanceKey(7);

fn message(id: i64) -> Message {
    let event = event::event_raised(Timestamp::default(), &id.to_string(), "null");
    Message { id: MessageId(id), instance: KEY, event, visible_at: Time::FIRST }
}

fn answer() -> Delivery {
    let task = FinishedTask { key: TaskKey(1), token: Token([0; 16]) };
    let event = event::event_raised(Timestamp::default(), "answer", "null");
    Delivery { event, source: Source::Worker { task, heard: oneshot::channel().0 } }
}

fn names(work: &Work) -> Vec<String> {
    let name = |delivery: &Delivery| match &delivery.event.event_type {
        Some(EventType::EventRaised(raised)) => raised.name.clone(),
        _ => String::new(),
    };
    work.deliveries.iter().map(name).collect()
}

#[test]
fn the_first_message_asks_for_a_driver_and_the_others_find_one() {
    let room = Mailroom::new(10);
    assert!(room.deliver(message(1)));
    assert!(!room.deliver(message(2)));
    assert_eq!(names(&room.take(KEY, 10).unwrap()), ["1", "2"]);
    assert!(!room.deliver(message(3)), "the driver is at work");
    assert_eq!(names(&room.take(KEY, 10).unwrap()), ["3"]);
    assert!(room.take(KEY, 10).is_none());
    assert_eq!(room.busy(), 0);
    assert!(room.wake(KEY), "the driver was dismissed");
}

#[test]
fn what_does_not_fit_is_read_from_disk() {
    let room = Mailroom::new(2);
    let _ = room.deliver(message(1));
    let _ = room.deliver(message(2));
    let _ = room.deliver(message(3));
    let _ = room.answer(KEY, answer());
    let work = room.take(KEY, 10).unwrap();
    assert!(work.look);
    assert_eq!(names(&work), ["answer"], "an answer is not on disk");
}

#[test]
fn a_message_that_was_read_is_not_delivered_again() {
    let room = Mailroom::new(10);
    assert!(room.wake(KEY));
    assert!(room.take(KEY, 10).unwrap().look);
    room.were_read(KEY, [MessageId(1)].into_iter());
    assert!(!room.deliver(message(1)));
    assert!(!room.deliver(message(2)));
    assert_eq!(names(&room.take(KEY, 10).unwrap()), ["2"]);
}

#[test]
fn what_was_read_for_an_instance_at_rest_is_not_read_again_and_not_delivered_twice() {
    let room = Mailroom::new(10);
    assert!(room.bring(KEY, vec![message(1), message(2)]));
    assert!(!room.deliver(message(2)), "it was on its way");
    let work = room.take(KEY, 10).unwrap();
    assert_eq!((names(&work), work.look), (vec!["1".to_owned(), "2".to_owned()], false));
    assert!(!room.bring(KEY, vec![message(1), message(2)]));
    assert!(!room.has_work(KEY), "its driver has had them");
    assert!(!room.bring(KEY, vec![message(2), message(3)]));
    assert!(room.has_work(KEY));
    let work = room.take(KEY, 10).unwrap();
    assert_eq!((names(&work), work.look), (vec![], true), "its driver may have taken it already");
}

#[test]
fn who_enters_with_messages_has_them_as_work_unless_there_is_a_driver() {
    let room = Mailroom::new(10);
    let work = room.enter_with(KEY, vec![message(1), message(2)]).unwrap();
    assert_eq!((names(&work), work.look), (vec!["1".to_owned(), "2".to_owned()], false));
    assert!(!room.deliver(message(2)), "it was on its way");
    assert!(room.enter_with(KEY, vec![message(1), message(2)]).is_none());
    assert!(!room.has_work(KEY), "its driver has them");
    assert!(room.enter_with(KEY, vec![message(3)]).is_none());
    assert!(room.has_work(KEY));
    let work = room.take(KEY, 10).unwrap();
    assert_eq!((names(&work), work.look), (vec![], true), "the driver looks what there is");
    assert!(room.take(KEY, 10).is_none());
}

#[test]
fn who_waits_for_an_instance_to_catch_up_waits_for_what_is_there_and_no_longer() {
    let room = Mailroom::new(10);
    assert_eq!(room.caught_up(KEY).now_or_never(), Some(()), "there is nothing");
    let _ = room.deliver(message(1));
    let mut before = pin!(room.caught_up(KEY));
    assert_eq!(before.as_mut().now_or_never(), None);
    room.take(KEY, 10).unwrap();
    let _ = room.deliver(message(2));
    let mut during = pin!(room.caught_up(KEY));
    assert_eq!((before.as_mut().now_or_never(), during.as_mut().now_or_never()), (None, None));
    room.take(KEY, 10).unwrap();
    assert_eq!((before.now_or_never(), during.as_mut().now_or_never()), (Some(()), None));
    let _ = room.deliver(message(3));
    room.take(KEY, 10).unwrap();
    assert_eq!(during.now_or_never(), Some(()), "the third is of no interest");
    let mut last = pin!(room.caught_up(KEY));
    assert_eq!(last.as_mut().now_or_never(), None);
    assert!(room.take(KEY, 10).is_none());
    assert_eq!(last.now_or_never(), Some(()), "it is at rest");
}

fn update(input: &str) -> Delivery {
    let update = UpdateAcceptedEvent { id: "u".to_owned(), name: "set".to_owned(), input: Some(text(input)) };
    let event = event::event(Timestamp::default(), EventType::UpdateAccepted(update));
    Delivery { event, source: Source::Update { id: "u".to_owned() } }
}

#[test]
fn an_update_is_alone_and_takes_nothing_with_it() {
    let room = Mailroom::new(10);
    assert!(room.update(KEY, update("1")).unwrap());
    let _ = room.answer(KEY, answer());
    let _ = room.want_turn(KEY);
    let first = room.take(KEY, 10).unwrap();
    assert_eq!((first.deliveries.len(), first.wants_turn), (1, false));
    let second = room.take(KEY, 10).unwrap();
    assert_eq!((names(&second), second.wants_turn), (vec!["answer".to_owned()], true));
}

#[test]
fn only_so_many_updates_wait() {
    let room = Mailroom::new(10);
    for _ in 0..QUEUED_UPDATES {
        room.update(KEY, update("1")).unwrap();
    }
    room.update(KEY, update("1")).unwrap_err();
    room.update(InstanceKey(8), update(&"x".repeat(INBOX_BYTES / 2))).unwrap();
    room.update(InstanceKey(8), update(&"x".repeat(INBOX_BYTES / 2))).unwrap_err();
    room.update(InstanceKey(8), update("1")).unwrap();
}

#[test]
fn work_that_was_not_done_comes_again() {
    let room = Mailroom::new(10);
    let _ = room.answer(KEY, answer());
    let _ = room.deliver(message(1));
    let work = room.take(KEY, 10).unwrap();
    room.put_back(KEY, work);
    let again = room.take(KEY, 10).unwrap();
    assert!(again.look);
    assert_eq!(names(&again), ["answer"]);
}
