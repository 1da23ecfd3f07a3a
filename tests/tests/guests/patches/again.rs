//! Changes that an instance passes again and again, and several of them.

use super::travels::{Instance, VERSIONS};

/// An instance that has had a round on each of these versions.
fn rounds(workflow: &str, versions: &[&str]) -> Instance {
    let mut instance = Instance::start(versions[0], workflow);
    for version in versions {
        instance.tell(version, "next");
    }
    instance
}

const OLD: [&str; 1] = ["deliver"];
const NEW: [&str; 2] = ["check", "deliver"];

#[test]
fn in_a_loop_the_first_answer_holds_for_all_rounds() {
    for (versions, called, patches, fitting) in [
        (["first", "first"], [&OLD[..], &OLD[..]], 0, &["first", "patched"][..]),
        // One round was without it, so the others are.
        (["first", "patched"], [&OLD, &OLD], 0, &["first", "patched"]),
        (["patched", "patched"], [&NEW, &NEW], 1, &["patched", "deprecated", "settled"]),
        (["patched", "deprecated"], [&NEW, &NEW], 1, &["patched", "deprecated", "settled"]),
        (["patched", "settled"], [&NEW, &NEW], 1, &["patched", "deprecated", "settled"]),
        (["deprecated", "patched"], [&NEW, &NEW], 1, &["patched", "deprecated", "settled"]),
        (["settled", "deprecated"], [&NEW, &NEW], 0, &["deprecated", "settled"]),
    ] {
        let instance = rounds("rounds", &versions);
        assert_eq!(instance.called(), called.concat(), "{versions:?}");
        assert_eq!(instance.patches().len(), patches, "{versions:?}");
        assert_eq!(instance.fitting(), fitting, "{versions:?}");
    }
}

#[test]
fn in_a_loop_a_patch_for_each_round_is_taken_from_the_next_round_on() {
    let instance = rounds("numbered_rounds", &["first", "patched", "patched"]);
    assert_eq!(instance.called(), [&OLD[..], &NEW, &NEW].concat());
    assert_eq!(instance.patches(), [["check-2"], ["check-3"]]);
    assert_eq!(instance.fitting(), ["patched"]);
}

#[test]
fn a_next_generation_decides_anew() {
    let mut instance = Instance::start("first", "round_by_round");
    assert_eq!(instance.fitting(), ["first", "patched", "deprecated", "settled"]);
    instance.tell("patched", "next");
    assert_eq!(instance.patches(), [["check"]], "of the generation that has begun");
    assert_eq!(instance.called(), [""; 0]);
    instance.tell("patched", "next");
    assert_eq!(instance.patches(), [["check"]]);
}

#[test]
fn two_patches_are_decided_apart() {
    // One was passed before it was there; the other is met for the first time, in the turn in which the first is replayed.
    let mut moved = Instance::start("first", "two_patches");
    moved.tell("patched", "next");
    assert_eq!(moved.called(), ["pack", "weigh", "post"]);
    assert_eq!(moved.patches(), [["weigh"]]);
    assert_eq!(moved.fitting(), ["patched"], "no other version has one and not the other");
    let misfit = moved.fits("first").unwrap_err().to_string();
    assert!(misfit.contains("recorded: activity \"weigh\"\n  code now: activity \"post\""), "{misfit}");
    let misfit = moved.fits("settled").unwrap_err().to_string();
    assert!(misfit.contains("recorded: activity \"pack\"\n  code now: activity \"wrap\""), "{misfit}");

    let mut new = Instance::start("patched", "two_patches");
    assert_eq!(new.patches(), [["wrap"]]);
    new.tell("deprecated", "next");
    assert_eq!(new.called(), ["wrap", "pack", "weigh", "post"]);
    assert_eq!(new.patches(), [["wrap"], ["weigh"]]);
    assert_eq!(new.fitting(), ["patched", "deprecated", "settled"]);
}

#[test]
fn a_patch_that_one_branch_passed_without_is_not_taken_by_another_that_comes_to_it_anew() {
    let mut moved = Instance::start("first", "two_branches");
    assert_eq!(moved.fitting(), VERSIONS);
    moved.tell("first", "left");
    moved.tell("patched", "right");
    assert_eq!((moved.called(), moved.patches().len()), (vec!["deliver", "deliver"], 0));
    assert_eq!(moved.fitting(), ["first", "patched"]);

    let mut new = Instance::start("first", "two_branches");
    new.tell("patched", "left");
    new.tell("patched", "right");
    assert_eq!(new.called(), ["check", "deliver", "check", "deliver"]);
    assert_eq!(new.patches(), [["check"]]);
    assert_eq!(new.fitting(), ["patched", "deprecated", "settled"]);
}
