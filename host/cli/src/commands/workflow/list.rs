//! `everturn workflow list`: instances, newest first.

use everturn_server::model::{Instance, Page};

use super::show::style_of;
use crate::arguments::{Format, ListOptions};
use crate::client::{Client, Path};
use crate::moment::{to_the_second, written};
use crate::outcome::{Error, Outcome, Verdict};
use crate::print;
use crate::table::{Cell, Table};

pub(super) fn run(options: &ListOptions) -> Outcome {
    let page = fetch(options)?;
    print::answer(options.client.output, &page, |mut out| {
        if page.instances.is_empty() {
            print::note("there is no such instance");
            return Ok(());
        }
        let mut table = Table::new(&["ID", "WORKFLOW", "STATUS", "CREATED", "UPDATED", "EVENTS"]);
        for instance in &page.instances {
            table.row(row(instance));
        }
        table.print(&mut out)
    })?;
    if let (Some(next), Format::Text) = (&page.next, options.client.output) {
        print::note(&format!("there are more: --page {next} shows the next ones, --all shows all"));
    }
    Ok(Verdict::Done)
}

/// One page, or all of them as one.
fn fetch(options: &ListOptions) -> Result<Page, Error> {
    let client = Client::new(&options.client)?;
    let mut page: Page = client.get(&path(options, options.page.as_deref()))?;
    while let Some(next) = page.next.clone().filter(|_| options.all) {
        let more: Page = client.get(&path(options, Some(&next)))?;
        page.instances.extend(more.instances);
        page.next = more.next;
    }
    Ok(page)
}

fn path(options: &ListOptions, page: Option<&str>) -> Path {
    let statuses: Vec<_> = options.status.iter().map(|status| status.as_str()).collect();
    // As many as there may be on a page, if all are wanted anyway.
    let limit = if options.all { 1_000 } else { options.limit };
    Path::new(&["v1", "workflows"])
        .with_some("status", (!statuses.is_empty()).then(|| statuses.join(",")))
        .with_some("workflow", options.workflow.as_deref())
        .with_some("idPrefix", options.prefix.as_deref())
        .with_some("parent", options.parent.as_deref())
        .with_some("createdFrom", options.since.map(written))
        .with_some("createdBefore", options.until.map(written))
        .with("limit", limit.to_string())
        .with_some("page", page)
}

fn row(instance: &Instance) -> Vec<Cell> {
    vec![
        Cell::new(&instance.id),
        Cell::new(&instance.workflow),
        Cell::new(instance.status.as_str()).styled(style_of(instance.status)),
        Cell::new(to_the_second(instance.created_at)),
        Cell::new(to_the_second(instance.updated_at)),
        Cell::new(instance.events.to_string()),
    ]
}
