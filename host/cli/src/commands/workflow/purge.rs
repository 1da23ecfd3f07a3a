//! `everturn workflow purge`: deletes instances that have ended.

use std::io::{self, IsTerminal, Write};

use anyhow::anyhow;
use everturn_server::model::{Purge, Purged};

use crate::arguments::PurgeOptions;
use crate::client::{Client, Path};
use crate::moment::to_the_second;
use crate::outcome::{Blame, Error, Outcome, Verdict};
use crate::print;
use crate::text::{counted, shown};

pub(super) fn run(options: &PurgeOptions) -> Outcome {
    let client = Client::new(&options.client)?;
    let purged = if options.ids.is_empty() {
        confirm(options)?;
        let request = Purge {
            status: options.status.clone(),
            workflow: options.workflow.clone(),
            ended_before: options.older_than,
            ..Purge::default()
        };
        client.post(&Path::new(&["v1", "purge"]), &request)?
    } else {
        purge_each(&client, options)?
    };
    let Purged { purged: count } = purged;
    print::answer(options.client.output, &purged, |out| writeln!(out, "purged {}", counted(count, "instance")))?;
    Ok(Verdict::Done)
}

fn purge_each(client: &Client, options: &PurgeOptions) -> Result<Purged, Error> {
    let mut total = 0;
    for id in &options.ids {
        let path = Path::of_instance(id, &[])
            .with_some("recursive", options.recursive.then_some("true"))
            .with_some("force", options.force.then_some("true"));
        let Purged { purged } = client.delete(&path)?;
        total += purged;
    }
    Ok(Purged { purged: total })
}

/// What is deleted by filter may be a lot, and does not come back.
fn confirm(options: &PurgeOptions) -> Result<(), Error> {
    if options.yes {
        return Ok(());
    }
    let which = in_words(options);
    if !io::stdin().is_terminal() {
        return Err(anyhow!("this deletes {which}; add --yes to do it")).or_input();
    }
    write!(anstream::stderr(), "delete {which}? [y/N] ").or_internal()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).or_internal()?;
    if matches!(answer.trim(), "y" | "yes") { Ok(()) } else { Err(anyhow!("nothing was deleted")).or_refused() }
}

fn in_words(options: &PurgeOptions) -> String {
    let mut words = "all instances that have ended".to_owned();
    if !options.status.is_empty() {
        let statuses: Vec<_> = options.status.iter().map(|status| status.as_str()).collect();
        words = format!("all {} instances", statuses.join(" and "));
    }
    if let Some(workflow) = &options.workflow {
        words += &format!(" of {}", shown(workflow));
    }
    if let Some(moment) = options.older_than {
        words += &format!(" that ended before {}", to_the_second(moment));
    }
    words
}
