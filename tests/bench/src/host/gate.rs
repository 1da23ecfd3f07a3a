//! How fast the gate replays what is open.

use std::sync::Arc;
use std::time::{Duration, Instant};

use everturn_guest::Component;
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{ActivateRequest, Activities, ActivityError, Options, Runtime, StartRequest};
use everturn_test_guests::script::{Callee, Limit, Step};
use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::Value;

use super::data;
use crate::measure::Report;

/// Open instances.
const OPEN: usize = 4_000;
/// Activities that each has called; each is three events of history.
const STEPS: usize = 16;
/// How often the gate runs; the median counts.
const RUNS: usize = 5;
/// Starts that are under way at the same time.
const PARALLEL: usize = 256;

/// The gate over many open instances, from the store to its report.
pub(crate) fn gate(report: &mut Report, _: &Component) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measured(report))
}

async fn measured(report: &mut Report) -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let store = SqliteStore::open(&directory.path().join("everturn.db"), SqliteOptions::default())?;
    let activities = Activities::new().with("step", |_context, _: Value| async { Ok::<_, ActivityError>(()) });
    let host = Runtime::open(Arc::new(store), Options { activities, ..Options::default() }).await?;
    let label = data::deploy(&host).await?;
    open(&host).await?;
    let events = host.instance(&"open-0".into()).await?.instance.events;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        let request = ActivateRequest { label: label.clone(), dry_run: true, ..ActivateRequest::default() };
        let checked = host.activate(request, None).await?;
        times.push(began.elapsed());
        anyhow::ensure!(checked.report.compatible == OPEN as u64, "{:?}", checked.report);
    }
    times.sort_unstable();
    let rate = OPEN as f64 / times[RUNS / 2].as_secs_f64();
    report.value(&format!("gate: {OPEN} histories of {events} events"), &format!("{rate:.0}/s"));
    host.stop(Duration::from_secs(1)).await;
    Ok(())
}

/// Starts instances, and waits until all of them have called their activities and wait for an event.
async fn open(host: &Runtime) -> anyhow::Result<()> {
    let call = Step::Activity(Callee { name: "step".to_owned(), input: Value::Null, retry: None });
    let mut script = vec![call; STEPS];
    script.push(Step::Wait { event: "go".to_owned(), limit: Limit::Never });
    let input = serde_json::to_string(&script)?;
    let requests = (0..OPEN).map(|number| StartRequest {
        workflow: "script".to_owned(),
        id: Some(format!("open-{number}").as_str().into()),
        input: Some(input.clone()),
        ..StartRequest::default()
    });
    stream::iter(requests)
        .map(|request| host.start(request))
        .buffer_unordered(PARALLEL)
        .try_for_each(|_| async { Ok(()) })
        .await?;
    while host.statistics().turns < (OPEN * (STEPS + 1)) as u64 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}
