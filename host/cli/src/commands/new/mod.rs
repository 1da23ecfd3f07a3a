//! `everturn new`: makes a workflow crate from a template and prints what to type next.
//!
//! - `template.rs`: the templates, which the command has with it
//! - `place.rs`: from the argument NAME to a place for the crate, and a name that cargo takes
//! - `checkout.rs`: where the SDK is, and what a crate that uses it takes from there
//! - `files.rs`: what the files of a template become in the new crate; `manifest.rs`: its Cargo.toml
//! - `next.rs`: what to type next

mod checkout;
mod files;
mod manifest;
mod next;
mod place;
mod template;

use std::io::{self, Write};

use serde::Serialize;

pub(crate) use self::template::{TEMPLATES, Template};

use self::checkout::Checkout;
use self::next::Next;
use self::place::Place;
use crate::arguments::NewOptions;
use crate::outcome::{Outcome, Verdict};
use crate::print;
use crate::style::{COMMAND, GOOD};
use crate::text::{shown, shown_lines};

/// What was made.
#[derive(Debug, Serialize)]
struct Made {
    directory: String,
    package: String,
    template: &'static str,
    next: Vec<Next>,
}

pub(crate) fn run(options: &NewOptions) -> Outcome {
    let template = options.template;
    let checkout = Checkout::find(options.sdk.as_deref())?;
    let place = Place::new(&options.directory, &checkout)?;
    let files = files::of_crate(template, &place, &checkout)?;
    place.fill(&files)?;
    let readme = files.iter().find(|(path, _)| path == "README.md").map_or("", |(_, content)| content);
    let made = Made {
        directory: place.directory().display().to_string(),
        package: place.package().to_owned(),
        template: template.name,
        next: next::steps(readme, &options.directory, &checkout),
    };
    print::answer(options.output, &made, |out| made.print(out))?;
    Ok(Verdict::Done)
}

impl Made {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let (package, template) = (shown(&self.package), self.template);
        writeln!(out, "{GOOD}made{GOOD:#} {package} from the template {template}")?;
        for Next { why, commands } in &self.next {
            writeln!(out, "\n{why}:")?;
            for command in commands {
                writeln!(out, "  {COMMAND}{}{COMMAND:#}", shown_lines(command))?;
            }
        }
        Ok(())
    }
}
