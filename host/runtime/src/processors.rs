//! Threads that begin at the same time, each on a processor of its own. A system that is left to itself may put two of them on
//! one, and takes milliseconds to notice that another one is idle.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::Builder;

/// Runs it on so many threads, one of which begins the others. An error: on none.
pub(crate) fn run_on_each(
    threads: usize,
    name: &'static str,
    work: impl FnOnce() + Clone + Send + 'static,
) -> io::Result<()> {
    spawn(name, move || {
        let (anywhere, gate) = (affinity::mine(), Arc::new(Mutex::new(())));
        // The others wait until this one is where it goes to: it could not leave a processor that another one of them has.
        let closed = gate.lock();
        for other in 1..threads {
            // A new thread begins where the one may run that makes it.
            affinity::go_to(other, anywhere);
            let (work, gate) = (work.clone(), Arc::clone(&gate));
            let spawned = spawn(name, move || {
                drop(gate.lock());
                affinity::go_anywhere(anywhere);
                work();
            });
            if spawned.is_err() {
                // There are no more to be had. Fewer do the same.
                break;
            }
        }
        affinity::go_to(0, anywhere);
        drop(closed);
        affinity::go_anywhere(anywhere);
        work();
    })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// On which processors a thread may run. What the system refuses is left as it is: it is only slower.
#[cfg(target_os = "linux")]
mod affinity {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// Those that this thread may run on.
    pub(super) type Processors = Option<CpuSet>;

    pub(super) fn mine() -> Processors {
        sched_getaffinity(None).ok()
    }

    /// Moves this thread to one of these, counted around.
    pub(super) fn go_to(number: usize, processors: Processors) {
        let Some(all) = processors else { return };
        let count = usize::try_from(all.count()).unwrap_or(usize::MAX).max(1);
        let one = (0..CpuSet::MAX_CPU).filter(|processor| all.is_set(*processor)).nth(number % count);
        if let Some(one) = one {
            let mut only = CpuSet::new();
            only.set(one);
            let _ = sched_setaffinity(None, &only);
        }
    }

    pub(super) fn go_anywhere(processors: Processors) {
        if let Some(all) = processors {
            let _ = sched_setaffinity(None, &all);
        }
    }
}

/// Other systems choose by themselves.
#[cfg(not(target_os = "linux"))]
mod affinity {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Processors;

    pub(super) fn mine() -> Processors {
        Processors
    }

    pub(super) fn go_to(_number: usize, _processors: Processors) {}

    pub(super) fn go_anywhere(_processors: Processors) {}
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn it_runs_on_so_many_threads_and_none_of_them_is_bound_to_its_processor() {
        let (done, told) = mpsc::channel();
        run_on_each(5, "many", move || done.send(affinity::mine()).unwrap()).unwrap();
        let told: Vec<_> = told.iter().collect();
        assert_eq!(told, vec![affinity::mine(); 5]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_goes_where_it_is_to_go_and_so_does_one_that_it_begins() {
        let all = affinity::mine();
        let count = all.as_ref().unwrap().count();
        for number in 0..=count as usize {
            affinity::go_to(number, all);
            let here = affinity::mine().unwrap();
            assert_eq!(here.count(), 1);
            assert!(here.is_set(rustix::thread::sched_getcpu()));
            assert_eq!(std::thread::spawn(affinity::mine).join().unwrap(), Some(here));
        }
        affinity::go_anywhere(all);
        assert_eq!(affinity::mine(), all);
    }
}
