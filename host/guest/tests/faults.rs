//! Given a component written by hand, when its guest breaks a rule that no compiler lets a guest break, or any other,
//! then the host tells which one, and goes on.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in a helper fails its test")]

use std::time::Duration;

use everturn_guest::{Component, ComponentError, Engine, GuestFault, Limits, LiveGuest, RunError};
use everturn_history::{Timestamp, event};
use everturn_replay::Source;

const NOW: Timestamp = Timestamp { seconds: 1_700_000_000, nanos: 0 };

/// Of guests that are expected to use up their time.
const SHORT: Duration = Duration::from_millis(20);

fn engine() -> Engine {
    Engine::new(Limits::default()).unwrap()
}

fn impatient_engine() -> Engine {
    Engine::new(Limits { run_time: SHORT, ..Limits::default() }).unwrap()
}

/// A component whose functions begin with these instructions.
fn component(engine: &Engine, describe: &str, run: &str) -> Result<Component, ComponentError> {
    let text = include_str!("workflow.wat").replace(";; DESCRIBE", describe).replace(";; RUN", run);
    engine.load(&wat::parse_str(text).unwrap())
}

fn run(engine: &Engine, instructions: &str) -> Result<LiveGuest, GuestFault> {
    let mut guest = LiveGuest::new(&component(engine, "", instructions).unwrap());
    guest.push(event::turn_started(NOW, Vec::new()), Source::New);
    guest.push(event::execution_started(NOW, &"an-instance".into(), "w", "null"), Source::New);
    match guest.run() {
        Ok(()) => Ok(guest),
        Err(RunError::Guest(fault)) => Err(fault),
        Err(RunError::Replay(error)) => panic!("{error}"),
    }
}

fn fault(engine: &Engine, instructions: &str) -> GuestFault {
    run(engine, instructions).err().unwrap()
}

/// Writes a number into the result of `run`.
fn store(offset: u32, value: u32) -> String {
    format!("(i32.store offset={offset} (i32.const 512) (i32.const {value}))")
}

#[test]
fn a_guest_that_breaks_no_rule_completes() {
    let guest = run(&engine(), "").unwrap();
    assert!(guest.execution().is_finished());
}

#[test]
fn nonsense_in_the_result_is_told_as_such() {
    let engine = engine();
    let no_such_case = store(0, 7);
    let text_beyond_memory = store(4, 65_000) + &store(8, 65_000);
    let text_that_is_no_utf8 = store(128, 0xff) + &store(4, 512 + 128) + &store(8, 1);
    for instructions in [no_such_case, text_beyond_memory, text_that_is_no_utf8] {
        let fault = fault(&engine, &instructions);
        assert!(matches!(fault, GuestFault::InvalidResult { .. }), "{instructions}: {fault:?}");
    }
}

/// A failure with 2,000 causes, whose texts are all the same 28 KiB of memory: more than 100 MB once copied.
#[test]
fn texts_that_share_memory_do_not_multiply_in_the_host() {
    let causes = "(local $cause i32)
        (local.set $cause (i32.const 2048))
        (loop $next
            (i32.store offset=4 (local.get $cause) (i32.const 0x7060))
            (i32.store offset=12 (local.get $cause) (i32.const 0x7060))
            (local.set $cause (i32.add (local.get $cause) (i32.const 28)))
            (br_if $next (i32.lt_u (local.get $cause) (i32.const 58048))))"
        .to_owned();
    let fault = fault(&engine(), &(causes + &store(0, 1) + &store(32, 2048) + &store(36, 2000)));
    assert!(matches!(fault, GuestFault::InvalidResult { .. }), "{fault:?}");
}

#[test]
fn a_result_that_is_too_large_is_refused() {
    let engine = Engine::new(Limits { payload_size: 100, ..Limits::default() }).unwrap();
    let expected = GuestFault::PayloadTooLarge { what: "workflow's result", size: 101, limit: 100 };
    assert_eq!(fault(&engine, &store(8, 101)), expected);
    assert!(run(&engine, &store(8, 100)).is_ok());
}

#[test]
fn a_guest_without_end_is_cut_off() {
    let fault = fault(&impatient_engine(), "(loop $again (br $again))");
    assert_eq!(fault, GuestFault::TimedOut { limit: SHORT });
}

#[test]
fn recursion_without_end_is_cut_off() {
    let deeper = "(drop (call $run (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0)))";
    assert!(matches!(fault(&engine(), deeper), GuestFault::StackOverflow { .. }));
}

#[test]
fn memory_is_limited() {
    let page = 64 * 1024;
    let engine = Engine::new(Limits { memory: 3 * page, ..Limits::default() }).unwrap();
    assert!(run(&engine, "(drop (memory.grow (i32.const 2)))").is_ok());
    let expected = GuestFault::MemoryLimit { wanted: 4 * page, limit: 3 * page };
    assert_eq!(fault(&engine, "(drop (memory.grow (i32.const 3)))"), expected);
}

#[test]
fn traps_are_told_by_name() {
    let engine = engine();
    for instructions in ["(unreachable)", "(drop (i32.div_u (i32.const 1) (i32.const 0)))"] {
        let fault = fault(&engine, instructions);
        assert!(matches!(fault, GuestFault::Trapped { .. }), "{instructions}: {fault:?}");
    }
}

#[test]
fn after_a_fault_the_same_guest_only_repeats_it_and_others_go_on() {
    let engine = engine();
    let mut guest = LiveGuest::new(&component(&engine, "", "(unreachable)").unwrap());
    guest.push(event::turn_started(NOW, Vec::new()), Source::New);
    guest.push(event::execution_started(NOW, &"an-instance".into(), "w", "null"), Source::New);
    let first = guest.run().unwrap_err().to_string();
    assert_eq!(guest.run().unwrap_err().to_string(), first);
    assert!(run(&engine, "").is_ok());
}

#[test]
fn describing_is_under_the_same_limits() {
    let endless = component(&impatient_engine(), "(loop $again (br $again))", "").err();
    assert_eq!(endless, Some(ComponentError::Describe(GuestFault::TimedOut { limit: SHORT })));
    let trap = component(&engine(), "(unreachable)", "").err();
    assert!(matches!(trap, Some(ComponentError::Describe(GuestFault::Trapped { .. }))), "{trap:?}");
}

#[test]
fn what_is_described_is_checked() {
    let engine = engine();
    assert_eq!(component(&engine, "", "").unwrap().workflows()[0].name, "w");
    let none = component(&engine, "(i32.store (i32.const 20) (i32.const 0))", "").err();
    assert_eq!(none, Some(ComponentError::NoWorkflows));
    let nameless = component(&engine, "(i32.store (i32.const 68) (i32.const 0))", "").err();
    assert_eq!(nameless, Some(ComponentError::InvalidName { what: "workflow", length: 0, limit: 256 }));
}

#[test]
fn imports_of_another_shape_do_not_fit() {
    let text = include_str!("workflow.wat").replace(
        "(component\n",
        r#"(component (import "everturn:workflow/context@0.1.0" (instance (export "uuid" (func (result u32)))))
        "#,
    );
    let error = engine().load(&wat::parse_str(text).unwrap()).err();
    assert!(matches!(error, Some(ComponentError::Unfit { .. })), "{error:?}");
}

#[test]
fn guests_move_between_threads() {
    fn sendable<T: Send>() {}
    fn sharable<T: Send + Sync>() {}
    sendable::<LiveGuest>();
    sharable::<Engine>();
    sharable::<Component>();
}
