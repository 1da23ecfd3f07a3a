//! `wasi:cli`: a program without arguments, environment, input and terminal, that cannot exit but by returning.

use wasmtime::Result;
use wasmtime::component::{Linker, Resource, ResourceType};

use crate::fault::GuestFault;
use crate::state::State;
use crate::wasi::io;

/// `wasi:cli/terminal-input.terminal-input`: never made.
struct TerminalInput;
/// `wasi:cli/terminal-output.terminal-output`: never made.
struct TerminalOutput;

pub(super) fn add_to_linker(linker: &mut Linker<State>) -> Result<()> {
    let mut environment = linker.instance("wasi:cli/environment@0.2.0")?;
    environment.func_wrap("get-environment", |_, (): ()| Ok((Vec::<(String, String)>::new(),)))?;
    environment.func_wrap("get-arguments", |_, (): ()| Ok((Vec::<String>::new(),)))?;
    environment.func_wrap("initial-cwd", |_, (): ()| Ok((None::<String>,)))?;

    let mut exit = linker.instance("wasi:cli/exit@0.2.0")?;
    exit.func_wrap("exit", |_, (_,): (Result<(), ()>,)| -> Result<()> { Err(GuestFault::Exited.into()) })?;
    exit.func_wrap("exit-with-code", |_, (_,): (u8,)| -> Result<()> { Err(GuestFault::Exited.into()) })?;

    linker.instance("wasi:cli/stdin@0.2.0")?.func_wrap("get-stdin", |_, (): ()| Ok((io::stdin(),)))?;
    linker.instance("wasi:cli/stdout@0.2.0")?.func_wrap("get-stdout", |_, (): ()| Ok((io::stdout(),)))?;
    linker.instance("wasi:cli/stderr@0.2.0")?.func_wrap("get-stderr", |_, (): ()| Ok((io::stderr(),)))?;
    terminals(linker)
}

fn terminals(linker: &mut Linker<State>) -> Result<()> {
    let mut input = linker.instance("wasi:cli/terminal-input@0.2.0")?;
    input.resource("terminal-input", ResourceType::host::<TerminalInput>(), |_, _| Ok(()))?;
    let mut output = linker.instance("wasi:cli/terminal-output@0.2.0")?;
    output.resource("terminal-output", ResourceType::host::<TerminalOutput>(), |_, _| Ok(()))?;

    let mut stdin = linker.instance("wasi:cli/terminal-stdin@0.2.0")?;
    stdin.func_wrap("get-terminal-stdin", |_, (): ()| Ok((None::<Resource<TerminalInput>>,)))?;
    let mut stdout = linker.instance("wasi:cli/terminal-stdout@0.2.0")?;
    stdout.func_wrap("get-terminal-stdout", |_, (): ()| Ok((None::<Resource<TerminalOutput>>,)))?;
    let mut stderr = linker.instance("wasi:cli/terminal-stderr@0.2.0")?;
    stderr.func_wrap("get-terminal-stderr", |_, (): ()| Ok((None::<Resource<TerminalOutput>>,)))
}
