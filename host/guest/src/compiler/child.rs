//! What the child does: it limits itself, reads a component, compiles it and answers. It checks nothing and runs nothing.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use super::answer::Answer;
use super::order::Order;
use super::{bounds, memory, said};
use crate::engine;

/// Compiles the component on stdin and answers on stdout: the main function of a program that is a
/// [`Compiler::Child`](super::Compiler::Child). `order` are the arguments that the host added.
///
/// Call it first of all, and once: it limits the memory and the time of this process for good.
pub fn compile_as_ordered(order: &[String]) -> ExitCode {
    match compile(order) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a stderr there is no place left to complain to.
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn compile(order: &[String]) -> io::Result<()> {
    let misused = "hosts start this, with numbers for what it may take; it is of no use to people";
    let order = Order::read(order).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, misused))?;
    bounds::set(&order)?;
    let mut stdout = stdout()?;
    memory::tell(stdout.try_clone()?);
    let mut wasm = Vec::new();
    io::stdin().read_to_end(&mut wasm)?;
    let engine =
        wasmtime::Engine::new(&engine::config(&order.limits())).map_err(|error| io::Error::other(said(&error)))?;
    let answer = match engine.precompile_component(&wasm) {
        Ok(compiled) => Answer::Compiled(compiled),
        Err(error) => Answer::Invalid(said(&error)),
    };
    answer.write(&mut stdout)
}

/// Without the buffer of the standard library, which looks for ends of lines.
fn stdout() -> io::Result<File> {
    #[cfg(unix)]
    let stdout = std::os::fd::AsFd::as_fd(&io::stdout()).try_clone_to_owned();
    #[cfg(windows)]
    let stdout = std::os::windows::io::AsHandle::as_handle(&io::stdout()).try_clone_to_owned();
    stdout.map(File::from)
}
