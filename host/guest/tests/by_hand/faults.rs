//! Given a component written by hand, when its guest breaks a rule that no compiler lets a guest break, or any other,
//! then the host tells which one, and goes on.

use everturn_guest::{Component, ComponentError, Engine, GuestFault, Limits, LiveGuest, RunError};

use crate::guest::{Guest, SHORT, engine, fault, impatient_engine, run, started_guest, store};

fn component(engine: &Engine, describe: &str, run: &str) -> Result<Component, ComponentError> {
    Guest { describe, run, ..Guest::default() }.load(engine)
}

#[test]
fn a_guest_that_breaks_no_rule_completes() {
    let guest = run(&engine(), "").unwrap();
    assert!(guest.execution().is_finished());
}

#[test]
fn text_that_is_none_is_told_as_such() {
    let no_utf8 = store(512 + 128, 0xff) + &store(512 + 4, 512 + 128) + &store(512 + 8, 1);
    let fault = fault(&engine(), &no_utf8);
    assert!(matches!(fault, GuestFault::InvalidResult { .. }), "{fault:?}");
}

/// The engine tells these in words only, in which it tells of a machine without memory as well.
#[test]
fn nonsense_in_the_result_stops_the_guest_and_decides_nothing_about_its_instance() {
    let engine = engine();
    let no_such_case = store(512, 7);
    let text_beyond_memory = store(512 + 4, 65_000) + &store(512 + 8, 65_000);
    for instructions in [no_such_case, text_beyond_memory] {
        let fault = fault(&engine, &instructions);
        assert!(matches!(fault, GuestFault::Host { .. }) && !fault.is_deterministic(), "{instructions}: {fault:?}");
    }
    assert!(run(&engine, "").is_ok());
}

#[test]
fn a_result_that_is_too_large_is_refused() {
    let engine = Engine::new(Limits { payload_size: 100, ..Limits::default() }).unwrap();
    let expected = GuestFault::PayloadTooLarge { what: "workflow's result", size: 101, limit: 100 };
    assert_eq!(fault(&engine, &store(512 + 8, 101)), expected);
    assert!(run(&engine, &store(512 + 8, 100)).is_ok());
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
    let mut guest = started_guest(&component(&engine, "", "(unreachable)").unwrap(), "w");
    let first = guest.run().unwrap_err().to_string();
    assert_eq!(guest.run().unwrap_err().to_string(), first);
    assert!(run(&engine, "").is_ok());
}

#[test]
fn a_workflow_that_the_component_does_not_have_is_refused_before_any_guest_runs() {
    let component = component(&engine(), "", "(unreachable)").unwrap();
    let mut guest = started_guest(&component, "of another component");
    for _ in 0..2 {
        match guest.run() {
            Err(RunError::UnknownWorkflow { workflow, known }) => {
                assert_eq!((workflow.as_str(), known), ("of another component", vec!["w".to_owned()]));
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(guest.end_turn().actions.is_empty());
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
    assert_eq!(none, Some(ComponentError::NothingInside));
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
