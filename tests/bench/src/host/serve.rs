//! The host from inside: opens what is in the directory, and does what it is told until it is told to stop.

use std::path::Path;
use std::time::Duration;

use everturn_runtime::Runtime;

use crate::disk::Disk;
use crate::house::{STEP, deploy, nothing, open};
use crate::{lateness, load};

/// How long what is under way may take when it stops.
const GRACE: Duration = Duration::from_secs(10);

/// Is the host.
pub(crate) fn serve(directory: &Path, components: &Path, disk: Disk) -> anyhow::Result<()> {
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    tokio.block_on(async {
        let (runtime, _store) = open(directory, components, disk, nothing()).await?;
        println!("open");
        for line in std::io::stdin().lines() {
            let line = line?;
            let words: Vec<&str> = line.split(' ').collect();
            if words == ["stop"] {
                break;
            }
            println!("{}", done(&runtime, &words).await?);
        }
        runtime.stop(GRACE).await;
        println!("stopped");
        Ok(())
    })
}

/// Does what it is told, and says what came of it.
async fn done(runtime: &Runtime, words: &[&str]) -> anyhow::Result<String> {
    match words {
        ["deploy"] => deploy(runtime).await,
        ["park", count, prefix] => {
            load::start_and_park(runtime, load::parked(prefix, count.parse()?), 1).await?;
            Ok(format!("{count} wait"))
        }
        ["sleep", count, prefix, ahead, spread] => {
            let (ahead, spread) = (milliseconds(ahead)?, milliseconds(spread)?);
            load::start_and_park(runtime, load::sleepers(prefix, count.parse()?, ahead, spread), 1).await?;
            Ok(format!("{count} sleep"))
        }
        ["lateness", count, prefix] => {
            let late = lateness::of(runtime, prefix, count.parse()?).await?;
            Ok(late.iter().map(i64::to_string).collect::<Vec<_>>().join(" "))
        }
        // How many workflows with one activity end in a second.
        ["run", count, prefix] => {
            let count: usize = count.parse()?;
            let request = |number| load::calling("sequential", format!("{prefix}-{number}"), STEP, 1);
            let ended = load::backlog(runtime, (0..count).map(request)).await?.ended;
            Ok((count as f64 / ended.as_secs_f64()).to_string())
        }
        _ => anyhow::bail!("what is {words:?}?"),
    }
}

fn milliseconds(text: &str) -> anyhow::Result<Duration> {
    Ok(Duration::from_millis(text.parse()?))
}
