//! Waits until all that moves to a version has moved.

use std::time::{Duration, Instant};

use anyhow::anyhow;
use everturn_server::model::Moving;

use crate::client::{Client, Path};
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::progress::{Bar, Progress};
use crate::text::shown;
use crate::{interrupt, print};

/// How long the host waits for an answer at a time. What changes without a turn, such as a rollback, is seen then.
const ASK_TIME: Duration = Duration::from_secs(10);

/// Whoever does not want to wait any longer is told what that means.
pub(super) fn mind_interrupts(version: &str) {
    let version = shown(version);
    interrupt::say(format!(
        "not waiting any longer: {version} is active, and what has not moved moves at its next turn"
    ));
}

/// Waits until no open instance is left that is to move to a version.
pub(super) fn wait(client: &Client, version: &str, timeout: Option<Duration>) -> Outcome {
    let path = Path::new(&["v1", "deployments", version, "moving"]);
    let ended = until_none_is_left(client, &path, timeout)?;
    let version = shown(version);
    match ended {
        End::Moved => {
            print::note(&format!("no open instance is left to move to {version}"));
            Ok(Verdict::Done)
        }
        End::TimeIsOver { left, total } => {
            let limit = humantime::format_duration(timeout.unwrap_or_default());
            let problem = format!("{left} of {total} open instances have not moved to {version} within {limit}");
            Err(anyhow!("{problem}; they do so at their next turn, and nothing is undone")).or_refused()
        }
        End::NotActive => {
            let problem = format!("{version} is not active any more for all its workflows");
            Err(anyhow!("{problem}; `everturn deployment list` shows what is")).or_refused()
        }
    }
}

/// How a wait ended.
enum End {
    Moved,
    TimeIsOver { left: u64, total: u64 },
    NotActive,
}

fn until_none_is_left(client: &Client, path: &Path, timeout: Option<Duration>) -> Result<End, Error> {
    let began = Instant::now();
    let progress = Progress::new("waiting for open instances to move");
    let mut now: Moving = client.get(path)?;
    let mut total = now.left;
    while now.active && now.left > 0 {
        let left = now.left;
        total = total.max(left);
        let moved = total - left;
        let words = format!("{moved} of {total} moved");
        progress.show("waiting for open instances to move", Bar { done: moved, total, words });
        let time = timeout.map_or(ASK_TIME, |timeout| timeout.saturating_sub(began.elapsed()).min(ASK_TIME));
        if time.is_zero() {
            return Ok(End::TimeIsOver { left, total });
        }
        let time = humantime::format_duration(time).to_string();
        now = client.get(&path.clone().with("below", left.to_string()).with("timeout", time))?;
    }
    Ok(if now.active { End::Moved } else { End::NotActive })
}
