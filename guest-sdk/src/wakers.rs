//! Those who wait for something inside the guest to change.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::task::Waker;

/// Those who wait for the next change. It is a handle: clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wakers {
    shared: Rc<Shared>,
}

/// The place of one who waits. Who drops it waits no more.
#[derive(Debug)]
pub(crate) struct Place {
    number: u64,
    among: Wakers,
}

#[derive(Debug, Default)]
struct Shared {
    places: Cell<u64>,
    /// By place. They are woken in the order in which places were taken: what follows from it is the same in every replay.
    wakers: RefCell<BTreeMap<u64, Waker>>,
}

impl Wakers {
    /// Takes the next place.
    pub(crate) fn place(&self) -> Place {
        let number = self.shared.places.get();
        self.shared.places.set(number + 1);
        Place { number, among: self.clone() }
    }

    /// Wakes them all, each once: who still waits then comes back. False: there was nobody.
    pub(crate) fn wake_all(&self) -> bool {
        // Taken out first: to wake somebody may run code that waits again.
        let wakers = self.shared.wakers.take();
        let any = !wakers.is_empty();
        wakers.into_values().for_each(Waker::wake);
        any
    }

    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.shared.wakers.borrow().len()
    }
}

impl Place {
    /// Waits for the next change.
    pub(crate) fn wait(&self, waker: &Waker) {
        self.among.shared.wakers.borrow_mut().entry(self.number).or_insert_with(|| waker.clone()).clone_from(waker);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let waker = self.among.shared.wakers.borrow_mut().remove(&self.number);
        // Not while the others are borrowed: to drop it may run code that comes here too.
        drop(waker);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::task::Wake;

    use super::*;

    /// Notes its name when it is woken.
    struct Named(&'static str, Arc<Mutex<Vec<&'static str>>>);

    impl Wake for Named {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    #[test]
    fn all_are_woken_once_in_the_order_of_their_places() {
        let woken = Arc::default();
        let waker = |name| Waker::from(Arc::new(Named(name, Arc::clone(&woken))));
        let wakers = Wakers::default();
        let (first, second, third) = (wakers.place(), wakers.place(), wakers.place());

        third.wait(&waker("third"));
        first.wait(&waker("first, who is somewhere else by now"));
        first.wait(&waker("first"));
        second.wait(&waker("second"));
        assert!(wakers.wake_all());
        assert!(!wakers.wake_all());
        assert_eq!(*woken.lock().unwrap(), ["first", "second", "third"]);
    }

    #[test]
    fn who_has_left_is_not_woken_and_takes_no_room() {
        let wakers = Wakers::default();
        let stays = wakers.place();
        stays.wait(Waker::noop());
        for _ in 0..3 {
            wakers.place().wait(Waker::noop());
        }
        assert_eq!(wakers.count(), 1);
        drop(stays);
        assert!(!wakers.wake_all());
    }
}
