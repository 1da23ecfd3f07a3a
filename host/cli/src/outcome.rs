//! How a command ends: done, not done, or an error that says whose it is: what the user gave us, what the host said, or
//! what we did.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::style;

/// The command ran, and the answer is no.
const FAILED: u8 = 1;
/// The command did not run: arguments or files cannot be used. clap uses the same code for its own errors.
const UNUSABLE: u8 = 2;

/// What a command that ran says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Yes.
    Done,
    /// No; what and why has been printed.
    Failed,
}

/// Why a command did not run.
#[derive(Debug)]
pub(crate) enum Error {
    /// The user can put it right: arguments and files.
    Input(anyhow::Error),
    /// The host said no, or is not there.
    Refused(anyhow::Error),
    /// We could not do our part.
    Internal(anyhow::Error),
}

impl Error {
    /// The error, whosever it is.
    pub(crate) fn into_inner(self) -> anyhow::Error {
        match self {
            Self::Input(error) | Self::Refused(error) | Self::Internal(error) => error,
        }
    }
}

/// The end of every command.
pub(crate) type Outcome = Result<Verdict, Error>;

/// Says whose an error is.
pub(crate) trait Blame<T> {
    /// The user's.
    fn or_input(self) -> Result<T, Error>;
    /// The host's.
    fn or_refused(self) -> Result<T, Error>;
    /// Ours.
    fn or_internal(self) -> Result<T, Error>;
}

impl<T, E: Into<anyhow::Error>> Blame<T> for Result<T, E> {
    fn or_input(self) -> Result<T, Error> {
        self.map_err(|error| Error::Input(error.into()))
    }

    fn or_refused(self) -> Result<T, Error> {
        self.map_err(|error| Error::Refused(error.into()))
    }

    fn or_internal(self) -> Result<T, Error> {
        self.map_err(|error| Error::Internal(error.into()))
    }
}

/// Prints an error if there is one, and gives the code to exit with.
pub(crate) fn exit(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::from(FAILED),
        Err(Error::Input(error)) => {
            complain("error", &error);
            ExitCode::from(UNUSABLE)
        }
        Err(Error::Refused(error)) => {
            complain("error", &error);
            ExitCode::from(FAILED)
        }
        // Somebody stopped reading (`everturn .. | head`): there is nobody to tell.
        Err(Error::Internal(error)) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(Error::Internal(error)) => {
            complain("everturn failed", &error);
            ExitCode::from(FAILED)
        }
    }
}

fn complain(whose: &str, error: &anyhow::Error) {
    let style = style::ERROR;
    // Without a stderr there is no place left to complain to.
    let _ = writeln!(anstream::stderr(), "{style}{whose}:{style:#} {}", in_words(error));
}

/// An error and what led to it. Some messages hold their cause already.
fn in_words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        said if said.contains(&cause) => said.to_owned(),
        said => format!("{said}: {cause}"),
    })
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
