//! The crash test: a host with hundreds of running instances is killed hard, again and again, at random moments. At the
//! end, nothing that it had acknowledged may be missing, and nothing may have happened twice. `examples` does the same to
//! hosts that run examples.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

mod client;
mod examples;
mod host;
mod ledger;
mod resets;
mod versions;
mod world;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use client::Client;
use everturn_tests::guests::CRASH;
use host::Host;
use ledger::Ledger;
use world::World;

/// How often the host is killed.
const KILLS: usize = 20;
/// How many instances there are at least.
const INSTANCES: usize = 300;
/// How many clients there are.
const CLIENTS: usize = 4;

#[test]
fn nothing_is_lost_and_nothing_happens_twice_when_the_host_is_killed() {
    let world = World::start();
    let mut host = Host::new();
    host.start();
    let client = Client::new(host.url());
    client.deploy(CRASH.path(), &world.url());

    let finished = AtomicBool::new(false);
    let started = AtomicUsize::new(0);
    let mut random = Random::new();
    let ledgers: Vec<Ledger> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (client, finished, started) = (Client::new(host.url()), &finished, &started);
                scope.spawn(move || client::use_the_host(&client, number, finished, started))
            })
            .collect();
        let mut kills = 0;
        let _finish = Finish(&finished);
        while kills < KILLS || started.load(SeqCst) < INSTANCES {
            assert!(!clients.iter().any(ScopedJoinHandle::is_finished), "a client gave up: see above");
            thread::sleep(Duration::from_millis(random.up_to(400)));
            host.kill();
            host.start();
            kills += 1;
        }
        finished.store(true, SeqCst);
        println!("kills: {kills}");
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });

    let ledger = ledgers.into_iter().fold(Ledger::default(), Ledger::and);
    let findings = ledger.check(&client, || world.effects());
    println!("{findings}");
    assert!(ledger.starts() >= INSTANCES, "only {} starts", ledger.starts());
    assert_eq!(findings.problems, BTreeSet::new());
    host.stop();
}

/// How long a host may take to stop.
const GRACE: Duration = Duration::from_secs(10);

#[test]
fn a_host_that_is_asked_to_stop_stops_in_time_and_loses_nothing() {
    let world = World::start();
    let mut host = Host::new();
    host.start();
    let client = Client::new(host.url());
    client.deploy(CRASH.path(), &world.url());
    client.start("patient", "patient", &serde_json::Value::Null);
    until("the hour begins", || !world.effects().is_empty());
    let finished = AtomicBool::new(false);
    let started = AtomicUsize::new(0);
    let ledger = thread::scope(|scope| {
        let (user, done, counted) = (Client::new(host.url()), &finished, &started);
        let using = scope.spawn(move || client::use_the_host(&user, 0, done, counted));
        let _finish = Finish(&finished);
        until("twenty have started", || {
            assert!(!using.is_finished(), "the client gave up: see above");
            started.load(SeqCst) >= 20
        });
        let asked = Instant::now();
        host.stop();
        assert!(asked.elapsed() < GRACE, "it took {:?}", asked.elapsed());
        host.start();
        finished.store(true, SeqCst);
        using.join().unwrap()
    });
    until("the hour begins anew", || world.effects().values().max() > Some(&1));
    client.terminate("patient");
    let calls = client.calls("patient");
    let findings =
        ledger.check(&client, || world.effects().into_iter().filter(|(key, _)| !calls.contains(key)).collect());
    println!("{findings}");
    assert_eq!(findings.problems, BTreeSet::new());
}

/// Tells the clients to finish, also when the test has failed: it would wait for them for ever.
struct Finish<'a>(&'a AtomicBool);

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

/// How often to look whether something has happened, before the test fails.
const LOOKS: usize = 12_000;

/// Waits for something that has to happen.
fn until(what: &str, mut has_happened: impl FnMut() -> bool) {
    for _ in 0..LOOKS {
        if has_happened() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("it never happened: {what}");
}

/// Random moments; where they fall is printed, so that a failure can be looked at again.
struct Random(u64);

impl Random {
    fn new() -> Self {
        let mut seed = [0; 8];
        getrandom::fill(&mut seed).unwrap();
        let seed = u64::from_le_bytes(seed) | 1;
        println!("seed: {seed}");
        Self(seed)
    }

    fn up_to(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
