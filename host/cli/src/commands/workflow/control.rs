//! `everturn workflow raise-event`, `signal`, `terminate`, `suspend`, `resume`, `move`: tells an instance something.

use everturn_server::model::{Accepted, MoveTo, RaiseEvent, Reason, Terminate};
use serde::Serialize;

use crate::arguments::{ClientOptions, MoveOptions, RaiseEventOptions, ReasonOptions, TerminateOptions};
use crate::client::{Client, Path};
use crate::outcome::{Outcome, Verdict};
use crate::text::shown;
use crate::{payload, print};

pub(super) fn raise_event(options: &RaiseEventOptions) -> Outcome {
    let request = RaiseEvent { data: payload::read("--data", options.data.as_deref())? };
    let path = Path::of_instance(&options.id, &["events", &options.name]);
    let done = format!("raised {} to {}", shown(&options.name), shown(&options.id));
    tell(&options.client, &path, &request, &done)
}

pub(super) fn signal(options: &RaiseEventOptions) -> Outcome {
    let request = RaiseEvent { data: payload::read("--data", options.data.as_deref())? };
    let path = Path::of_instance(&options.id, &["signals", &options.name]);
    let done = format!("sent {} to {}", shown(&options.name), shown(&options.id));
    tell(&options.client, &path, &request, &done)
}

pub(super) fn terminate(options: &TerminateOptions) -> Outcome {
    let request =
        Terminate { output: payload::read("--result", options.result.as_deref())?, recursive: options.recursive };
    let path = Path::of_instance(&options.id, &["terminate"]);
    tell(&options.client, &path, &request, &format!("terminated {}", shown(&options.id)))
}

pub(super) fn suspend(options: &ReasonOptions) -> Outcome {
    let request = Reason { reason: options.reason.clone() };
    let path = Path::of_instance(&options.id, &["suspend"]);
    tell(&options.client, &path, &request, &format!("suspended {}", shown(&options.id)))
}

pub(super) fn resume(options: &ReasonOptions) -> Outcome {
    let request = Reason { reason: options.reason.clone() };
    let path = Path::of_instance(&options.id, &["resume"]);
    tell(&options.client, &path, &request, &format!("resumed {}", shown(&options.id)))
}

pub(super) fn move_to(options: &MoveOptions) -> Outcome {
    let request = MoveTo { version: options.version.clone() };
    let path = Path::of_instance(&options.id, &["move"]);
    tell(&options.client, &path, &request, &format!("moved {} to {}", shown(&options.id), shown(&options.version)))
}

fn tell(options: &ClientOptions, path: &Path, request: &impl Serialize, done: &str) -> Outcome {
    let accepted: Accepted = Client::new(options)?.post(path, request)?;
    print::warnings(&accepted.warnings);
    print::answer(options.output, &accepted, |out| writeln!(out, "{done}"))?;
    Ok(Verdict::Done)
}
