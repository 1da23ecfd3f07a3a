//! `everturn build`: compiles a workflow crate and prints where the component is.

use std::io::Write;

use crate::arguments::BuildOptions;
use crate::component;
use crate::outcome::{Blame, Outcome, Verdict};

pub(crate) fn run(options: &BuildOptions) -> Outcome {
    let file = component::build(&options.directory)?;
    writeln!(anstream::stdout(), "{}", file.display()).or_internal()?;
    Ok(Verdict::Done)
}
