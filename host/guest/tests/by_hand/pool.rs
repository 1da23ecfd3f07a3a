//! Given an engine with room for so many guests, when they come and go, then each finds its place as if nobody had been
//! there, and one too many is told so.

use everturn_guest::{Compiler, Engine, GuestFault, Limits, LiveGuest, RunError};

use crate::guest::{Guest, start, store};

const PAGE: u32 = 64 * 1024;

fn with_room_for(guests: usize) -> Engine {
    Engine::pooled(Limits::default(), Compiler::InProcess, guests).unwrap()
}

/// Runs a guest that keeps its place when its workflow has ended.
fn keeping(engine: &Engine, guest: &Guest<'_>) -> Result<LiveGuest, RunError> {
    let mut live = LiveGuest::to_be_asked(&guest.load(engine).unwrap());
    start(&mut live, "w");
    live.run().map(|()| live)
}

#[test]
fn one_guest_too_many_is_told_and_has_room_when_another_has_gone() {
    let engine = with_room_for(2);
    let guest = Guest::default();
    let first = keeping(&engine, &guest).unwrap();
    let component = guest.load(&engine).unwrap();
    let second = keeping(&engine, &guest).unwrap();
    let mut third = LiveGuest::to_be_asked(&component);
    start(&mut third, "w");
    let refused = third.run().unwrap_err();
    assert!(matches!(&refused, RunError::Guest(GuestFault::NoRoom { .. })), "{refused}");
    let RunError::Guest(fault) = refused else { unreachable!() };
    assert!(!fault.is_deterministic(), "another host has more room");

    drop(first);
    let mut again = LiveGuest::to_be_asked(&component);
    start(&mut again, "w");
    again.run().unwrap();
    assert!(second.execution().is_finished() && again.execution().is_finished());
}

/// It stops where memory, globals or tables are not as they were made, and leaves traces in all of them, also in memory that
/// it asked for later and far behind what is kept with its place.
#[test]
fn a_guest_finds_nothing_of_who_was_there_before() {
    let far = 40 * PAGE;
    let untouched = format!(
        "(if (i32.or (i32.or (i32.load (i32.const 4096)) (global.get $trace)) (i32.ne (memory.size) (i32.const 1)))
           (then unreachable))
         (if (i32.eqz (ref.is_null (table.get $traces (i32.const 0)))) (then unreachable))
         (drop (memory.grow (i32.const 50)))
         (if (i32.or (i32.load (i32.const {PAGE})) (i32.load (i32.const {far}))) (then unreachable))"
    );
    let traces = store(4096, 7) + &store(PAGE, 7) + &store(far, 7);
    let run = format!(
        "{untouched} {traces} (global.set $trace (i32.const 7)) (table.set $traces (i32.const 0) (ref.func $run))"
    );
    let module = "(global $trace (mut i32) (i32.const 0)) (table $traces 1 funcref) (elem declare func $run)";
    let guest = Guest { module, run: &run, ..Guest::default() };
    let engine = with_room_for(1);
    for _ in 0..20 {
        assert!(keeping(&engine, &guest).unwrap().execution().is_finished());
    }
}

#[test]
fn where_there_is_no_address_space_each_guest_has_its_own_room() {
    let engine = with_room_for(usize::MAX);
    assert!(keeping(&engine, &Guest::default()).unwrap().execution().is_finished());
}

/// The pool has limits too, which say it in other words.
#[test]
fn what_a_guest_may_have_is_told_as_without_a_pool() {
    let engines = [with_room_for(2), Engine::new(Limits::default()).unwrap()];
    for module in ["(table 200000 funcref)", "(memory 2000)"] {
        let guest = Guest { module, ..Guest::default() };
        let [pooled, alone] = engines.each_ref().map(|engine| guest.load(engine).err());
        assert!(alone.is_some(), "{module}");
        assert_eq!(pooled, alone, "{module}");
    }
}
