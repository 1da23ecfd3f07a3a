//! `everturn new`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::Format;
use crate::commands::new::{TEMPLATES, Template};

/// Make a workflow crate that builds, tests and runs as it is, and print what to type next.
///
/// It has a workflow, tests of it on a virtual clock, and recorded histories that it must be able to replay. The templates
/// are the examples of the repository.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  everturn new greeting
  everturn new ../expenses --template approval
  everturn new greeting --sdk ~/code/everturn")]
pub(crate) struct NewOptions {
    /// The directory of the new crate. Its last part is the name of the crate.
    #[arg(value_name = "NAME")]
    pub(crate) directory: PathBuf,

    /// What to begin with.
    #[arg(long, value_name = "TEMPLATE", default_value = "hello", value_parser = template())]
    pub(crate) template: &'static Template,

    /// A checkout of everturn, which holds the SDK [default: the one that this command was built from].
    #[arg(long, value_name = "DIR", env = "EVERTURN_SDK", hide_env_values = true)]
    pub(crate) sdk: Option<PathBuf>,

    /// How to print the result. An error is always text, on stderr.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub(crate) output: Format,
}

/// The name of a template. Help and completions know them all.
fn template() -> impl TypedValueParser<Value = &'static Template> {
    let names = TEMPLATES.iter().map(|template| PossibleValue::new(template.name).help(template.summary()));
    PossibleValuesParser::new(names).try_map(|name| Template::named(&name).ok_or("there is no such template"))
}
