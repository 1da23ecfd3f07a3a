//! `everturn workflow show`: how an instance stands.

use std::io::{self, Write};

use anstyle::Style;
use everturn_server::model::{Activity, ActivityState, Failure, Instance, InstanceStatus, Payload};

use crate::arguments::ShowOptions;
use crate::client::{Client, Path};
use crate::moment::written;
use crate::outcome::{Outcome, Verdict};
use crate::print;
use crate::style::{ERROR, GOOD, WARNING};
use crate::table::print_value;
use crate::text::{counted, shown};

pub(super) fn run(options: &ShowOptions) -> Outcome {
    let instance: Instance = Client::new(&options.client)?.get(&Path::of_instance(&options.id, &[]))?;
    print::answer(options.client.output, &instance, |out| print_instance(&instance, out))?;
    if options.client.output == crate::arguments::Format::Text {
        print::warnings(&instance.warnings);
    }
    Ok(Verdict::Done)
}

/// The colour of a status.
pub(super) fn style_of(status: InstanceStatus) -> Style {
    match status {
        InstanceStatus::Completed => GOOD,
        InstanceStatus::Failed | InstanceStatus::Terminated => ERROR,
        InstanceStatus::Stalled | InstanceStatus::Suspended => WARNING,
        InstanceStatus::Pending | InstanceStatus::Running => Style::new(),
    }
}

/// A failure and what led to it.
pub(super) fn failure_in_words(failure: &Failure) -> String {
    let told = |error_type: &str, message: &str| format!("{}: {}", shown(error_type), shown(message));
    let causes = failure.causes.iter().map(|cause| told(&cause.error_type, &cause.message));
    let all: Vec<_> = std::iter::once(told(&failure.error_type, &failure.message)).chain(causes).collect();
    all.join("; caused by ")
}

fn print_instance(instance: &Instance, mut out: &mut dyn Write) -> io::Result<()> {
    let mut line = |label: &str, value: &str| print_value(&mut out, label, value);
    line("id", &shown(&instance.id))?;
    line("workflow", &shown(&instance.workflow))?;
    if let Some(version) = instance.deployment.as_ref().or(instance.version.as_ref()) {
        line("version", &shown(version))?;
    }
    let style = style_of(instance.status);
    line("status", &format!("{style}{}{style:#}", instance.status))?;
    if let Some(reason) = &instance.stalled {
        line("stalled", &crate::text::shown_lines(reason))?;
    }
    print_times(instance, &mut line)?;
    let mut value = |label: &str, value: Option<&Payload>| match value {
        Some(value) => line(label, &shown(value.get())),
        None => Ok(()),
    };
    value("custom", instance.custom_status.as_ref())?;
    value("input", instance.input.as_ref())?;
    value("output", instance.output.as_ref())?;
    if let Some(failure) = &instance.failure {
        line("failure", &failure_in_words(failure))?;
        if let Some(details) = &failure.details {
            line("details", &shown(details))?;
        }
    }
    print_rest(instance, &mut line)
}

fn print_times(instance: &Instance, line: &mut impl FnMut(&str, &str) -> io::Result<()>) -> io::Result<()> {
    line("created", &written(instance.created_at))?;
    if instance.starts_at != instance.created_at {
        line("starts", &written(instance.starts_at))?;
    }
    match instance.ended_at {
        Some(ended) => line("ended", &written(ended)),
        None => line("updated", &written(instance.updated_at)),
    }
}

fn print_rest(instance: &Instance, line: &mut impl FnMut(&str, &str) -> io::Result<()>) -> io::Result<()> {
    let events = counted(instance.events, "event");
    line("history", &format!("{events}, {} bytes, generation {}", instance.history_bytes, instance.generation))?;
    if let Some(parent) = &instance.parent {
        line("parent", &format!("{} (#{})", shown(&parent.id), parent.task_id))?;
    }
    for (index, (name, value)) in instance.tags.iter().enumerate() {
        line(if index == 0 { "tags" } else { "" }, &format!("{}={}", shown(name), shown(value)))?;
    }
    let Some(pending) = &instance.pending else { return Ok(()) };
    if pending.messages > 0 {
        line("waiting", &format!("{} in its inbox, timers included", counted(pending.messages, "message")))?;
    }
    for (index, activity) in pending.activities.iter().enumerate() {
        line(if index == 0 { "activities" } else { "" }, &activity_in_words(activity))?;
    }
    Ok(())
}

fn activity_in_words(activity: &Activity) -> String {
    let Activity { name, task_id, attempt, dispatches, .. } = activity;
    let state = match activity.state {
        ActivityState::Waiting => "waits for a worker".to_owned(),
        ActivityState::Running if *dispatches > 1 => format!("running, given to a worker {dispatches} times"),
        ActivityState::Running => "running".to_owned(),
    };
    format!("{} (#{task_id}), attempt {attempt}, {state}", shown(name))
}
