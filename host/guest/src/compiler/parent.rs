//! Starts a child, gives it the component, waits for it as long as it may take, and judges what became of it. When this
//! returns, the child is gone.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, Builder, Scope, ScopedJoinHandle};

use super::THREADS;
use super::answer::Answer;
use super::order::Order;
use crate::component::ComponentError;
use crate::limits::Limits;

/// Bytes of what a child says on stderr that are kept for the message.
const COMPLAINT_BYTES: usize = 4 * 1024;
/// Lines of it.
const COMPLAINT_LINES: usize = 5;

/// Compiles a component in a child.
pub(super) fn compile(
    program: &Path,
    arguments: &[OsString],
    limits: &Limits,
    wasm: &[u8],
) -> Result<Vec<u8>, ComponentError> {
    let mut command = command(program, arguments, limits);
    let end = command.spawn().and_then(|child| run(child, limits, wasm));
    let end = end.map_err(|error| ComponentError::CompilerNotStarted {
        program: program.display().to_string(),
        detail: error.to_string(),
    })?;
    judge(end, limits)
}

fn command(program: &Path, arguments: &[OsString], limits: &Limits) -> Command {
    let threads = thread::available_parallelism().map_or(THREADS, |cores| THREADS.min(cores.get()));
    let mut command = Command::new(program);
    command.args(arguments).args(Order::new(limits).arguments());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // What is in the environment, secrets among it, is not for a compiler.
    command.env_clear().env("RAYON_NUM_THREADS", threads.to_string());
    // The allocator of the command would set a gigabyte aside before it hears of its limit, and have that beyond it.
    command.env("MIMALLOC_ARENA_RESERVE", "0");
    // A group of its own: what somebody types to stop the host is for the host, which ends what is under way.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// What became of a child.
struct End {
    is_late: bool,
    status: ExitStatus,
    said: Vec<u8>,
    complaint: Vec<u8>,
}

/// Gives it the component, and waits until it has said all, or for too long.
fn run(mut child: Child, limits: &Limits, wasm: &[u8]) -> io::Result<End> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let (listening, heard_all) = mpsc::channel();
        // All pipes at the same time: none may fill up while another is waited for.
        let giving = Builder::new().spawn_scoped(scope, move || {
            // A child that does not want it says why elsewhere.
            stdin.map(|mut stdin| stdin.write_all(wasm))
        });
        // One byte more than it may say.
        let saying = listen(scope, stdout, limits.compiled_size.saturating_add(2), listening.clone());
        let complaining = listen(scope, stderr, COMPLAINT_BYTES, listening);
        let is_heard = giving.is_ok() && saying.is_ok() && complaining.is_ok();
        let is_late = is_heard && heard_all.recv_timeout(limits.compile_time) == Err(RecvTimeoutError::Timeout);
        let status = end(&mut child);
        giving?;
        Ok(End { is_late, status: status?, said: heard(saying?)?, complaint: heard(complaining?)? })
    })
}

type Listening<'scope> = io::Result<ScopedJoinHandle<'scope, io::Result<Vec<u8>>>>;

/// Reads a pipe to its end, and keeps what it says first. `listening` is dropped then.
fn listen<'scope>(
    scope: &'scope Scope<'scope, '_>,
    pipe: Option<impl Read + Send + 'scope>,
    kept: usize,
    listening: Sender<Infallible>,
) -> Listening<'scope> {
    Builder::new().spawn_scoped(scope, move || {
        let _listening = listening;
        let mut first = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.by_ref().take(kept as u64).read_to_end(&mut first)?;
            io::copy(&mut pipe, &mut io::sink())?;
        }
        Ok(first)
    })
}

fn heard(listening: ScopedJoinHandle<'_, io::Result<Vec<u8>>>) -> io::Result<Vec<u8>> {
    listening.join().unwrap_or_else(|_| Err(io::Error::other("a thread that read its answer panicked")))
}

/// Ends a child, with all that it has started, and takes its status. What has ended by itself keeps the status that it has:
/// pipes are closed after that is set.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It may be gone.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    child.wait()
}

fn judge(end: End, limits: &Limits) -> Result<Vec<u8>, ComponentError> {
    let End { is_late, status, said, complaint } = end;
    let is_too_long = said.len() > limits.compiled_size.saturating_add(1);
    match Answer::read(said) {
        Some(Answer::OutOfMemory) => Err(ComponentError::CompileMemory { limit: limits.compile_memory }),
        _ if is_late => Err(ComponentError::CompileTime { limit: limits.compile_time }),
        _ if is_too_long => Err(ComponentError::CompiledTooLarge { limit: limits.compiled_size }),
        Some(Answer::Invalid(detail)) if status.success() => Err(ComponentError::Invalid { detail }),
        Some(Answer::Compiled(compiled)) if status.success() => Ok(compiled),
        _ => Err(ComponentError::CompilerDied { end: status.to_string(), complaint: in_words(&complaint) }),
    }
}

/// The first lines.
fn in_words(complaint: &[u8]) -> String {
    let text = String::from_utf8_lossy(complaint);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(COMPLAINT_LINES);
    match lines.collect::<Vec<_>>().join("; ") {
        said if said.is_empty() => "it said nothing".to_owned(),
        said => format!("it said: {said}"),
    }
}
