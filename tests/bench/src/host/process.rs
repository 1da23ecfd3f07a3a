//! The host from outside.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;

use super::ROLE;
use crate::disk::Disk;
use crate::machine::{field, kibibytes};

/// A host, from outside.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    began: Instant,
    /// From its beginning until it was open.
    pub(crate) opened_in: Duration,
}

impl Process {
    /// Starts one on what is in this directory, with compiled components in the other, and waits until it is open.
    pub(crate) fn start(directory: &Path, components: &Path, disk: Disk) -> anyhow::Result<Self> {
        let began = Instant::now();
        let mut child = Command::new(std::env::current_exe()?)
            .arg(ROLE)
            .args([directory, components])
            .arg(disk.argument())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("it has a stdin")?;
        let output = BufReader::new(child.stdout.take().context("it has a stdout")?);
        let mut process = Self { child, input, output, began, opened_in: Duration::ZERO };
        process.answer()?;
        process.opened_in = began.elapsed();
        Ok(process)
    }

    /// Asks for something, and gives the line that comes back.
    pub(crate) fn ask(&mut self, what: &str) -> anyhow::Result<String> {
        writeln!(self.input, "{what}")?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        anyhow::ensure!(self.output.read_line(&mut line)? > 0, "the host is gone");
        Ok(line.trim_end().to_owned())
    }

    /// How long it has been there.
    pub(crate) fn age(&self) -> Duration {
        self.began.elapsed()
    }

    /// Its memory, in bytes: what is resident, shared pages counted as often as they are mapped.
    pub(crate) fn resident(&self) -> anyhow::Result<f64> {
        self.memory("status", "VmRSS")
    }

    /// Its memory, in bytes, with a page of the component's image counted once, however many guests map it.
    pub(crate) fn own_memory(&self) -> anyhow::Result<f64> {
        self.memory("smaps_rollup", "Pss")
    }

    fn memory(&self, file: &str, name: &str) -> anyhow::Result<f64> {
        let text = self.read(file)?;
        let size = field(&text, name).and_then(|size| kibibytes(&size));
        Ok(size.with_context(|| format!("the system does not tell {name}"))? as f64)
    }

    /// The processor time that it has used.
    pub(crate) fn processor_time(&self) -> anyhow::Result<Duration> {
        let stat = self.read("stat")?;
        let fields: Vec<&str> = stat.rsplit(") ").next().context("no fields")?.split(' ').collect();
        let ticks = |place: usize| fields.get(place).context("too few fields")?.parse::<u64>().context("no number");
        // The kernel counts in hundredths of a second, whatever its own clock is.
        Ok(Duration::from_millis((ticks(11)? + ticks(12)?) * 10))
    }

    fn read(&self, file: &str) -> anyhow::Result<String> {
        let path = format!("/proc/{}/{file}", self.child.id());
        std::fs::read_to_string(&path).with_context(|| format!("this system has no {path}: measure on Linux"))
    }

    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.ask("stop")?;
        self.child.wait()?;
        Ok(())
    }
}

/// A host that was not stopped ends with whoever measured it: nobody would speak to it any more.
impl Drop for Process {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // It is gone already, or it cannot be helped.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
