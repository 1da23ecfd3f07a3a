//! Given a guest that takes as much as it can get of one thing, when it passes the limit, then it is stopped or refused,
//! and up to the limit it is not.

use everturn_guest::{ComponentError, Engine, GuestFault, Limits, LiveGuest};

use crate::guest::{Guest, engine, fault, run, store};

const PAGE: usize = 64 * 1024;

fn with(limits: Limits) -> Engine {
    Engine::new(limits).unwrap()
}

/// Stops the guest if the condition does not hold.
fn require(condition: &str) -> String {
    format!("(if (i32.eqz {condition}) (then unreachable))")
}

#[test]
fn memory_is_limited() {
    let engine = with(Limits { memory: 3 * PAGE, ..Limits::default() });
    assert!(run(&engine, "(drop (memory.grow (i32.const 2)))").is_ok());
    let expected = GuestFault::MemoryLimit { wanted: 4 * PAGE, limit: 3 * PAGE };
    assert_eq!(fault(&engine, "(drop (memory.grow (i32.const 3)))"), expected);
}

#[test]
fn growth_beyond_a_memorys_own_maximum_fails_for_the_guest_and_takes_nothing_from_the_rest() {
    let engine = with(Limits { memory: 3 * PAGE, ..Limits::default() });
    let refused = require("(i32.eq (memory.grow $small (i32.const 2)) (i32.const -1))");
    let granted = require("(i32.eq (memory.grow $small (i32.const 1)) (i32.const 1))");
    let run = refused.repeat(3) + &granted;
    let guest = Guest { module: "(memory $small 1 2)", run: &run, ..Guest::default() };
    assert!(guest.run(&engine).unwrap().execution().is_finished());
}

#[test]
fn growth_beyond_a_tables_own_maximum_fails_for_the_guest_and_takes_nothing_from_the_rest() {
    let engine = with(Limits { table_elements: 2, ..Limits::default() });
    let grow = |by: u32, result: i32| {
        let grown = format!("(table.grow $small (ref.null func) (i32.const {by}))");
        require(&format!("(i32.eq {grown} (i32.const {result}))"))
    };
    let run = grow(2, -1).repeat(3) + &grow(1, 1);
    let guest = Guest { module: "(table $small 1 2 funcref)", run: &run, ..Guest::default() };
    assert!(guest.run(&engine).unwrap().execution().is_finished());
}

#[test]
fn memories_and_tables_are_few() {
    let engine = with(Limits { memories: 3, tables: 2, ..Limits::default() });
    let load = |module: &str| Guest { module, ..Guest::default() }.load(&engine).err();
    assert_eq!(load(&"(memory 0)".repeat(2)), None);
    assert_eq!(load(&"(memory 0)".repeat(3)), Some(ComponentError::TooMany { what: "memories", count: 4, limit: 3 }));
    assert_eq!(load(&"(table 0 funcref)".repeat(2)), None);
    assert_eq!(
        load(&"(table 0 funcref)".repeat(3)),
        Some(ComponentError::TooMany { what: "tables", count: 3, limit: 2 })
    );
}

#[test]
fn by_default_there_are_eight_memories() {
    let module = "(memory 0)".repeat(8);
    let error = Guest { module: &module, ..Guest::default() }.load(&engine()).err();
    assert_eq!(error, Some(ComponentError::TooMany { what: "memories", count: 9, limit: 8 }));
}

/// What the limits do not cover, or what need not be the same everywhere.
#[test]
fn features_without_use_are_off() {
    let engine = engine();
    let table = [
        "(memory i64 0)",
        "(table i64 0 funcref)",
        "(memory 1 1 shared)",
        "(memory 0 (pagesize 1))",
        "(type (struct))",
        "(tag)",
        "(type $f (func)) (type (cont $f))",
        "(func (result i64 i64) (i64.mul_wide_u (i64.const 1) (i64.const 1)))",
    ];
    for module in table {
        let error = Guest { module, ..Guest::default() }.load(&engine).err();
        assert!(matches!(error, Some(ComponentError::Invalid { .. })), "{module}: {error:?}");
    }
}

/// What compilers of the guest languages emit.
#[test]
fn features_that_languages_need_are_on() {
    let engine = engine();
    let table = [
        "(func (drop (i8x16.splat (i32.const 1))))",
        "(func (memory.fill (i32.const 2048) (i32.const 0) (i32.const 1)))",
        "(func (result i32 i32) (i32.const 1) (i32.const 2))",
        "(table 1 funcref) (func (table.set 0 (i32.const 0) (ref.null func)))",
        "(func $again (return_call $again))",
        "(memory 0)",
        "(func (drop (i32.trunc_sat_f32_s (f32.const 1))) (drop (i32.extend8_s (i32.const 1))))",
    ];
    for module in table {
        let error = Guest { module, ..Guest::default() }.load(&engine).err();
        assert_eq!(error, None, "{module}");
    }
}

/// A failure with 2,000 causes, whose texts are all the same 7,000 bytes of memory: 28 MB once copied.
#[test]
fn texts_that_share_memory_do_not_multiply_in_the_host() {
    let causes = "(local $cause i32)
        (local.set $cause (i32.const 2048))
        (loop $next
            (i32.store offset=0 (local.get $cause) (i32.const 58048))
            (i32.store offset=4 (local.get $cause) (i32.const 7000))
            (i32.store offset=8 (local.get $cause) (i32.const 58048))
            (i32.store offset=12 (local.get $cause) (i32.const 7000))
            (local.set $cause (i32.add (local.get $cause) (i32.const 28)))
            (br_if $next (i32.lt_u (local.get $cause) (i32.const 58048))))"
        .to_owned();
    let failure = causes + &store(512, 1) + &store(512 + 32, 2048) + &store(512 + 36, 2000);
    let stopped = fault(&with(Limits { host_call_bytes: 8 << 20, ..Limits::default() }), &failure);
    assert!(matches!(stopped, GuestFault::Host { .. }), "{stopped:?}");
    let copied = fault(&engine(), &failure);
    assert!(matches!(copied, GuestFault::PayloadTooLarge { size: 28_000_000, .. }), "{copied:?}");
}

/// Makes that many sets to wait on, which the host keeps.
fn hoards_handles(engine: &Engine, handles: usize) -> Result<LiveGuest, GuestFault> {
    let run = format!(
        "(local $left i32)
        (local.set $left (i32.const {handles}))
        (loop $next
            (drop (call $new))
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (br_if $next (local.get $left)))"
    );
    Guest {
        host_functions: "(core func $new (canon waitable-set.new))",
        arguments: r#"(with "host" (instance (export "new" (func $new))))"#,
        module: r#"(import "host" "new" (func $new (result i32)))"#,
        run: &run,
        ..Guest::default()
    }
    .run(engine)
}

#[test]
fn handles_that_the_host_keeps_are_limited() {
    let open_calls = Limits::default().open_calls;
    assert!(hoards_handles(&engine(), 2 * open_calls).is_ok());
    let fault = hoards_handles(&engine(), 2 * open_calls + 1_001).err();
    assert!(matches!(fault, Some(GuestFault::Host { .. })), "{fault:?}");
}

/// Calls an activity with the arguments that lie in memory from 2048 on, where all is zero: no name, no input, no
/// options.
fn calls_an_activity(engine: &Engine, prepare: &str) -> Result<LiveGuest, GuestFault> {
    let run = format!("{prepare} (call $activity (i32.const 2048) (i32.const 3072))");
    Guest {
        host_functions: r#"
            (import "everturn:workflow/durable@0.1.0" (instance $durable
              (alias outer 1 $cause (type $outer-cause))
              (alias outer 1 $failure (type $outer-failure))
              (export "failure" (type $failure (eq $outer-failure)))
              (type $retry (record
                (field "max-attempts" u32) (field "first-interval" u64) (field "coefficient" f64)
                (field "max-interval" (option u64)) (field "timeout" (option u64))
                (field "non-retriable" (list string))))
              (export "retry-policy" (type $retry-policy (eq $retry)))
              (type $options (record
                (field "retry" (option $retry-policy))
                (field "start-to-close" (option u64)) (field "schedule-to-close" (option u64))
                (field "heartbeat" (option u64))
                (field "target-app-id" (option string)) (field "version" (option string))))
              (export "activity-options" (type $activity-options (eq $options)))
              (export "call-activity" (func async
                (param "name" string) (param "input" string) (param "options" $activity-options)
                (result (result string (error $failure)))))))
            (alias export $durable "call-activity" (func $call-activity))
            (core func $activity (canon lower (func $call-activity) (memory $memory) (realloc $realloc)))"#,
        arguments: r#"(with "host" (instance (export "activity" (func $activity))))"#,
        module: r#"(import "host" "activity" (func $activity (param i32 i32)))"#,
        run: &run,
        ..Guest::default()
    }
    .run(engine)
}

/// Where the arguments of `call-activity` lie: what tells whether each is there, and its length.
const NAME_LENGTH: u32 = 2048 + 4;
const INPUT_LENGTH: u32 = 2048 + 12;
const RETRY: u32 = 2048 + 16;
const NON_RETRIABLE: u32 = 2048 + 80;
const NON_RETRIABLE_LENGTH: u32 = 2048 + 84;
const TARGET_APP_ID: u32 = 2048 + 136;
const TARGET_APP_ID_LENGTH: u32 = 2048 + 144;
const VERSION: u32 = 2048 + 148;
const VERSION_LENGTH: u32 = 2048 + 156;

fn too_many(what: &'static str, limit: usize) -> GuestFault {
    GuestFault::TooMany { what, limit, instead: "ask for less at once, or split the work into child workflows" }
}

#[test]
fn names_of_non_retriable_errors_are_few() {
    let names = |count| store(RETRY, 1) + &store(NON_RETRIABLE, 4096) + &store(NON_RETRIABLE_LENGTH, count);
    assert!(calls_an_activity(&engine(), &names(64)).is_ok());
    let expected = too_many("names of non-retriable errors in a retry policy", 64);
    assert_eq!(calls_an_activity(&engine(), &names(65)).err(), Some(expected));
}

#[test]
fn every_text_of_a_call_counts() {
    let table = [
        store(NAME_LENGTH, 101),
        store(INPUT_LENGTH, 101),
        store(RETRY, 1) + &store(NON_RETRIABLE, 4096) + &store(NON_RETRIABLE_LENGTH, 1) + &store(4096 + 4, 101),
        store(TARGET_APP_ID, 1) + &store(TARGET_APP_ID_LENGTH, 101),
        store(VERSION, 1) + &store(VERSION_LENGTH, 101),
    ];
    let stretch = with(Limits { call_bytes: 100, ..Limits::default() });
    let open = with(Limits { open_call_bytes: 100, ..Limits::default() });
    for prepare in table {
        assert!(calls_an_activity(&engine(), &prepare).is_ok(), "{prepare}");
        let expected = too_many("bytes in calls without waiting in between", 100);
        assert_eq!(calls_an_activity(&stretch, &prepare).err(), Some(expected), "{prepare}");
        let expected = too_many("bytes in calls that it waits for at the same time", 100);
        assert_eq!(calls_an_activity(&open, &prepare).err(), Some(expected), "{prepare}");
    }
}
