//! A change that an instance passes once: the workflow `journey` calls activity `insure` between events `depart` and
//! `arrive`.

use super::travels::{Instance, VERSIONS};

/// An instance on a version that has not come to the change.
fn before(version: &str) -> Instance {
    Instance::start(version, "journey")
}

/// An instance on a version that has passed the change.
fn after(version: &str) -> Instance {
    let mut instance = before(version);
    instance.tell(version, "depart");
    instance
}

/// An instance on a version that is done.
fn done(version: &str) -> Instance {
    let mut instance = after(version);
    instance.tell(version, "arrive");
    instance
}

#[test]
fn whoever_has_not_come_to_the_change_fits_every_version() {
    for version in VERSIONS {
        let instance = before(version);
        assert_eq!((instance.called(), instance.patches().len()), (vec!["pack"], 0), "{version}");
        assert_eq!(instance.fitting(), VERSIONS, "{version}");
    }
}

#[test]
fn whoever_passed_the_change_fits_the_versions_that_have_its_way() {
    let (old, new): (&[_], &[_]) = (&["pack", "unpack"], &["pack", "insure", "unpack"]);
    let taken: &[_] = &[vec!["insurance".to_owned()]];
    for (version, called, patches, fitting) in [
        ("first", old, &[][..], &["first", "patched"][..]),
        ("patched", new, taken, &["patched", "deprecated", "settled"]),
        ("deprecated", new, taken, &["patched", "deprecated", "settled"]),
        // Nothing says that it took the patch, so a version with both ways takes the old one.
        ("settled", new, &[], &["deprecated", "settled"]),
    ] {
        for instance in [after(version), done(version)] {
            assert_eq!((&instance.called()[..called.len()], &instance.patches()[..]), (called, patches), "{version}");
            assert_eq!(instance.fitting(), fitting, "{version}");
        }
    }
}

#[test]
fn where_a_version_does_not_fit_both_ways_are_named() {
    let said = |recorded: &str, now: &str| {
        format!(
            "workflow \"journey\" no longer fits the history of instance \"instance\" at event 9 (sequence id 2)\n  \
             recorded: activity \"{recorded}\"\n  code now: activity \"{now}\"\nEither the code was changed before this point, or \
             it is not deterministic. Put the change behind `patched`, or keep this instance on the version it ran on."
        )
    };
    for (recorded_on, played_on, recorded, now) in [
        ("first", "deprecated", "unpack", "insure"),
        ("first", "settled", "unpack", "insure"),
        ("patched", "first", "insure", "unpack"),
        ("deprecated", "first", "insure", "unpack"),
        ("settled", "first", "insure", "unpack"),
        ("settled", "patched", "insure", "unpack"),
    ] {
        let misfit = after(recorded_on).fits(played_on).unwrap_err();
        assert_eq!(misfit.to_string(), said(recorded, now), "{recorded_on} on {played_on}");
    }
}

#[test]
fn whoever_passed_the_change_before_it_was_there_goes_on_the_old_way() {
    let mut instance = after("first");
    instance.tell("patched", "arrive");
    assert_eq!((instance.called(), instance.patches().len()), (vec!["pack", "unpack", "rest"], 0));
    assert_eq!(instance.fitting(), ["first", "patched"], "still, so it must end before the old way goes");
}

#[test]
fn whoever_comes_to_the_change_after_a_move_takes_it_and_keeps_it_in_history_while_it_is_named() {
    for (version, patches) in [("patched", 1), ("deprecated", 1), ("settled", 0)] {
        let mut instance = before("first");
        instance.tell(version, "depart");
        assert_eq!(instance.called(), ["pack", "insure", "unpack"], "{version}");
        assert_eq!(instance.patches().len(), patches, "{version}");
    }
}

#[test]
fn a_change_comes_and_goes_under_an_instance_in_three_deploys() {
    let mut instance = before("first");
    instance.tell("patched", "depart");
    instance.fits("deprecated").unwrap();
    instance.tell("settled", "arrive");
    assert_eq!(instance.called(), ["pack", "insure", "unpack", "rest"]);
    assert_eq!(instance.fitting(), ["patched", "deprecated", "settled"]);
}
