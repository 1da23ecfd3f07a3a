//! What the gate found, in words.

use std::io::{self, Write};

use anyhow::anyhow;
use everturn_server::model::{DeployProgress, Deployed, GateCause, GateCauseKind, GateReport};

use crate::arguments::{Format, RolloutOptions, Strategy};
use crate::client::{Client, Path};
use crate::commands::moves;
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::print;
use crate::progress::{Bar, Progress};
use crate::style::{ERROR, LABEL};
use crate::table::print_value;
use crate::text::{shown, shown_lines};

/// How many instances of one cause are named.
const INSTANCES_SHOWN: usize = 5;

/// How a version takes over, as parameters of a request.
pub(super) fn with_rollout(path: Path, options: &RolloutOptions) -> Result<Path, Error> {
    if options.wait && options.strategy == Strategy::Pin {
        let problem = anyhow!("--wait cannot be used with --strategy pin: all open instances stay where they are");
        return Err(problem).or_input();
    }
    let strategy = match options.strategy {
        Strategy::Upgrade => "upgrade",
        Strategy::Pin => "pin",
    };
    let ramp = options.ramp.map(|ramp| ramp.to_string());
    let path = path.with("strategy", strategy).with("gate", &options.gate).with_some("ramp", ramp.as_deref());
    Ok(if options.dry_run { path.with("dryRun", "true") } else { path })
}

/// Deploys a component, or activates the version in the path, and shows how far that is.
pub(super) fn watched(client: &Client, path: &Path, wasm: Option<&[u8]>) -> Result<Deployed, Error> {
    let progress = Progress::new("the host compiles the component");
    client.deploy(path, wasm, |now| {
        if let DeployProgress::Replaying { checked, total } = now {
            progress
                .show("replaying open instances", Bar { done: checked, total, words: format!("{checked}/{total}") });
        }
    })
}

/// Prints what was done, and waits until everybody has moved if that was asked for.
pub(super) fn finish(
    client: &Client,
    format: Format,
    options: &RolloutOptions,
    deployed: &Deployed,
    in_words: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Outcome {
    let verdict = verdict(options, deployed);
    let waits = options.wait && verdict == Verdict::Done;
    if waits {
        moves::mind_interrupts(&deployed.version);
    }
    print::answer(format, deployed, in_words)?;
    if waits { moves::wait(client, &deployed.version, options.timeout) } else { Ok(verdict) }
}

/// A dry run asks whether all that is open fits; anything else, whether it is active now.
fn verdict(options: &RolloutOptions, deployed: &Deployed) -> Verdict {
    let is_fine = if options.dry_run { deployed.report.diverged == 0 } else { deployed.active };
    if is_fine { Verdict::Done } else { Verdict::Failed }
}

/// What was found, and what follows from it.
pub(super) fn print_found(mut out: &mut dyn Write, deployed: &Deployed, options: &RolloutOptions) -> io::Result<()> {
    print_report(out, &deployed.report)?;
    let moves = options.strategy == Strategy::Upgrade && options.ramp.is_none();
    let (is, move_words, stay) = if options.dry_run {
        ("would be", "would move to it at their next turn", "would stay")
    } else {
        ("is", "move to it at their next turn", "stay")
    };
    let shown = shown(&deployed.version);
    // If nothing moves, it need not run what is open.
    let is_refused = deployed.broken && moves;
    let outcome = match (options.ramp, is_refused) {
        (_, true) if options.dry_run => "it would not become active: it cannot run what is open".to_owned(),
        (_, true) => "it is stored and NOT active: it cannot run what is open".to_owned(),
        (Some(share), false) => format!("{shown} {is} on trial for {share} % of new starts"),
        (None, false) => format!("{shown} {is} active for new starts"),
    };
    print_value(&mut out, "outcome", &outcome)?;
    if moves && !is_refused && deployed.report.compatible > 0 {
        writeln!(out, "           {} open instances {move_words}", deployed.report.compatible)?;
    }
    if deployed.broken && !moves {
        writeln!(out, "           it cannot run what is open, and need not: nothing moves to it")?;
    }
    if deployed.report.diverged > 0 {
        writeln!(out, "           {} open instances {stay} on the version that they are on", deployed.report.diverged)?;
    }
    Ok(())
}

/// What was found.
pub(super) fn print_report(mut out: &mut dyn Write, report: &GateReport) -> io::Result<()> {
    let GateReport { compatible, diverged, not_checked, causes } = report;
    let counts = format!("{compatible} compatible, {diverged} diverged, {not_checked} not checked");
    print_value(&mut out, "gate", &counts)?;
    causes.iter().try_for_each(|cause| print_cause(out, cause))
}

fn print_cause(out: &mut dyn Write, cause: &GateCause) -> io::Result<()> {
    let kind = match cause.kind {
        GateCauseKind::Mismatch => "does something else",
        GateCauseKind::Fault => "is stopped",
        GateCauseKind::Timeout => "does not come to rest",
    };
    writeln!(out, "  {ERROR}{} instances{ERROR:#} of workflow {}: it {kind}", cause.count, shown(&cause.workflow))?;
    let indented = |text: &str| shown_lines(text).replace('\n', "\n              ");
    writeln!(out, "    {LABEL}recorded{LABEL:#}  {}", indented(&cause.recorded))?;
    writeln!(out, "    {LABEL}candidate{LABEL:#} {}", indented(&cause.candidate))?;
    for one in cause.instances.iter().take(INSTANCES_SHOWN) {
        match one.event {
            Some(event) => writeln!(out, "    {} at event {event}", shown(&one.id))?,
            None => writeln!(out, "    {}", shown(&one.id))?,
        }
    }
    match cause.count.saturating_sub(INSTANCES_SHOWN as u64) {
        0 => Ok(()),
        more => writeln!(out, "    and {more} more; -o json lists them"),
    }
}
