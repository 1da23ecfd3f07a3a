//! `everturn demo`: an order goes through payment, packing and delivery; in the middle of it the host is killed, hard, and
//! started again; and everything happens once.
//!
//! - `shop.rs`: the world outside, which counts what it is asked to do
//! - `process.rs`: the host as a process that can be killed
//! - `watch.rs`: shows histories while they grow

mod process;
mod shop;
mod watch;

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use everturn_server::model::{Accepted, Deployed, Instance, InstanceStatus, Started};
use serde_json::json;

use self::process::HostProcess;
use self::shop::Shop;
use self::watch::Watch;
use crate::client::{Client, Path};
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::style::{ERROR, GOOD, LABEL};

/// The component of `examples/order`.
static ORDER: &[u8] = include_bytes!(env!("ORDER_WASM"));
/// The id of the instance.
const ID: &str = "order-1";
/// How long anything of it may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often is looked whether something has happened.
const LOOK: Duration = Duration::from_millis(50);
/// How long nothing happens where something will, so that people see it.
const SILENCE: Duration = Duration::from_secs(1);

pub(crate) fn run() -> Outcome {
    let directory = tempfile::tempdir().context("no place for the data").or_internal()?;
    let shop = Shop::open().context("no address for the shop").or_internal()?;

    chapter("A host, on an empty data directory, and a shop that it does business with")?;
    let mut host = HostProcess::start(directory.path(), None)?;
    say(&format!("everturn serve, process {}, at {}", host.id(), host.url()))?;
    let client = Client::of(host.url());
    deploy(&client, &shop)?;

    chapter(
        "An order: pay (the bank is down at first), pack (a child, with a timer), wait for the courier (an event)",
    )?;
    let order = json!({"customer": "Ada", "items": ["loom", "punched cards"], "amount": 120_000});
    let start = json!({"workflow": "order", "id": ID, "input": order});
    let _: Started = client.post(&Path::new(&["v1", "workflows"]), &start)?;
    let watch = Watch::begin(host.url(), ID);
    until(|| Ok(shop.effects("reserve") == 2 && watch.sees_a_timer()))?;

    chapter(&format!("kill -9 {}: the host is gone, in the middle of it", host.id()))?;
    host.kill()?;
    thread::sleep(SILENCE);
    let host = HostProcess::start(directory.path(), Some(host.address()))?;
    say(&format!("everturn serve, process {}, on the same data directory", host.id()))?;

    until(|| Ok(status(&client)?.contains("courier")))?;
    thread::sleep(SILENCE);
    chapter("The courier comes: an event for the order")?;
    let event = Path::of_instance(ID, &["events", "collected"]);
    let _: Accepted = client.post(&event, &json!({"data": "Charles"}))?;
    let ended: Instance = client.get(&Path::of_instance(ID, &["wait"]))?;
    watch.end();
    let verdict = report(&ended, &shop)?;
    host.stop()?;
    Ok(verdict)
}

fn deploy(client: &Client, shop: &Shop) -> Result<(), Error> {
    let path = Path::new(&["v1", "deployments"])
        .with("version", "1.0")
        .with("allowHttp", shop.host())
        .with("env", format!("SHOP_URL=http://{}", shop.host()));
    let deployed: Deployed = client.post_component(&path, ORDER)?;
    let (workflows, activities) = (deployed.workflows.join(", "), deployed.activities.join(", "));
    say(&format!("deployed examples/order: workflows {workflows}; activities {activities}"))
}

fn status(client: &Client) -> Result<String, Error> {
    let instance: Instance = client.get(&Path::of_instance(ID, &[]))?;
    Ok(instance.custom_status.map(|status| status.to_string()).unwrap_or_default())
}

/// Waits until something holds.
fn until(mut holds: impl FnMut() -> Result<bool, Error>) -> Result<(), Error> {
    let began = Instant::now();
    while !holds()? {
        if began.elapsed() > PATIENCE {
            return Err(anyhow!("the demo does not go on; the host's log above may say why")).or_internal();
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

/// What came of it, and what was done to the world.
fn report(ended: &Instance, shop: &Shop) -> Outcome {
    let result = ended.output.as_ref().map(ToString::to_string).unwrap_or_default();
    chapter(&format!("{ID} has ended: {}", serde_json::to_string(&ended.status).or_internal()?.replace('"', "")))?;
    say(&format!("result: {result}"))?;
    let tally = shop.tally();
    let mut out = anstream::stdout().lock();
    writeln!(out, "    {LABEL}{:<14} {:>8} {:>8} {:>8}{LABEL:#}", "activity", "requests", "refused", "effects")
        .or_internal()?;
    let mut right = ended.status == InstanceStatus::Completed;
    for (name, count) in &tally {
        let expected = if *name == "reserve" { 2 } else { 1 };
        right &= count.effects == expected;
        let (requests, refused, effects) = (count.requests, count.refused, count.effects);
        writeln!(out, "    {name:<14} {requests:>8} {refused:>8} {effects:>8}").or_internal()?;
    }
    right &= tally.len() == 4;
    if right {
        writeln!(out, "\n{GOOD}every effect happened once{GOOD:#}").or_internal()?;
        Ok(Verdict::Done)
    } else {
        writeln!(out, "\n{ERROR}some effect did not happen once: this is a bug{ERROR:#}").or_internal()?;
        Ok(Verdict::Failed)
    }
}

fn chapter(text: &str) -> Result<(), Error> {
    let style = anstyle::Style::new().bold();
    writeln!(anstream::stdout(), "\n{style}{text}{style:#}").or_internal()
}

fn say(text: &str) -> Result<(), Error> {
    writeln!(anstream::stdout(), "    {text}").or_internal()
}
