//! `everturn deployment`: looks at what is deployed.

use everturn_server::model::{Deployment, DeploymentList};

use crate::arguments::{ClientOptions, DeploymentCommand};
use crate::client::{Client, Path};
use crate::moment::to_the_second;
use crate::outcome::{Outcome, Verdict};
use crate::print;
use crate::table::{Cell, Table};
use crate::text::shortened;

/// Digits of a digest that are enough to tell components apart.
const DIGEST_LENGTH: usize = 12;
/// The longest list of names in a column.
const NAMES_LENGTH: usize = 60;

pub(crate) fn run(command: &DeploymentCommand) -> Outcome {
    match command {
        DeploymentCommand::List(options) => list(options),
    }
}

fn list(options: &ClientOptions) -> Outcome {
    let list: DeploymentList = Client::new(options)?.get(&Path::new(&["v1", "deployments"]))?;
    print::answer(options.output, &list, |mut out| {
        if list.deployments.is_empty() {
            print::note("nothing is deployed; `everturn deploy` makes a component available");
            return Ok(());
        }
        let mut table = Table::new(&["VERSION", "DIGEST", "OPEN", "DEPLOYED", "WORKFLOWS", "ACTIVITIES"]);
        for deployment in &list.deployments {
            table.row(row(deployment));
        }
        table.print(&mut out)?;
        print::note("* new starts and calls go there");
        Ok(())
    })?;
    Ok(Verdict::Done)
}

fn row(deployment: &Deployment) -> Vec<Cell> {
    let digest: String = deployment.digest.chars().take(DIGEST_LENGTH).collect();
    vec![
        Cell::new(&deployment.version),
        Cell::new(digest),
        Cell::new(deployment.open_instances.to_string()),
        Cell::new(to_the_second(deployment.created_at)),
        Cell::new(names(&deployment.workflows, &deployment.active_workflows)),
        Cell::new(names(&deployment.activities, &deployment.active_activities)),
    ]
}

/// Names, with a star at those that are active.
fn names(all: &[String], active: &[String]) -> String {
    let star = |name: &String| if active.contains(name) { "*" } else { "" };
    let names: Vec<_> = all.iter().map(|name| format!("{name}{}", star(name))).collect();
    if names.is_empty() { "-".to_owned() } else { shortened(&names.join(", "), NAMES_LENGTH) }
}
