//! A host as a process: this program again, with a role as its first argument. It speaks lines.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use everturn_runtime::store::sqlite::{SqliteOptions, SqliteStore};
use everturn_runtime::{Options, Runtime};

use super::data;

/// The first argument of a program that is such a process.
pub(crate) const ROLE: &str = "--as-host";

/// A host, from outside.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// From its beginning until it was open.
    pub(super) opened_in: Duration,
}

impl Process {
    pub(super) fn start(directory: &Path) -> anyhow::Result<Self> {
        let began = Instant::now();
        let mut child = Command::new(std::env::current_exe()?)
            .arg(ROLE)
            .arg(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take().context("it has a stdin")?;
        let output = BufReader::new(child.stdout.take().context("it has a stdout")?);
        let mut process = Self { child, input, output, opened_in: Duration::ZERO };
        process.answer()?;
        process.opened_in = began.elapsed();
        Ok(process)
    }

    /// Asks for something, and gives the line that comes back.
    pub(super) fn ask(&mut self, what: &str) -> anyhow::Result<String> {
        writeln!(self.input, "{what}")?;
        self.answer()
    }

    fn answer(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        anyhow::ensure!(self.output.read_line(&mut line)? > 0, "the host is gone");
        Ok(line.trim_end().to_owned())
    }

    /// The memory that is its own, in MB.
    pub(super) fn memory_mb(&self) -> anyhow::Result<f64> {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", self.child.id()))?;
        let pss = rollup.lines().find(|line| line.starts_with("Pss:")).context("the system tells no memory")?;
        let kib: f64 = pss.split_whitespace().nth(1).context("no figure")?.parse()?;
        Ok(kib * 1024.0 / 1e6)
    }

    /// The processor time that it has used.
    pub(super) fn processor_time(&self) -> anyhow::Result<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> = stat.rsplit(") ").next().context("no fields")?.split(' ').collect();
        let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
        // The kernel counts in hundredths of a second, whatever its own clock is.
        Ok(Duration::from_millis(ticks * 10))
    }

    pub(super) fn stop(mut self) -> anyhow::Result<()> {
        self.ask("stop")?;
        self.child.wait()?;
        Ok(())
    }
}

/// Is the host: opens what is in the directory, and does what it is told until it is told to stop.
pub(crate) fn serve(directory: &Path) -> anyhow::Result<()> {
    let tokio = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    tokio.block_on(async {
        let store = SqliteStore::open(&directory.join("everturn.db"), SqliteOptions::default())?;
        let options = Options { component_cache: Some(directory.join("components")), ..Options::default() };
        let runtime = Runtime::open(Arc::new(store), options).await?;
        println!("open");
        for line in std::io::stdin().lines() {
            let line = line?;
            let words: Vec<&str> = line.split(' ').collect();
            let answer = match words.as_slice() {
                ["deploy"] => data::deploy(&runtime).await?,
                ["park", count] => data::park(&runtime, count.parse()?).await?,
                ["sleep", count, prefix, seconds, spread] => {
                    let (seconds, spread) = (seconds.parse()?, spread.parse()?);
                    data::sleep(&runtime, count.parse()?, prefix, seconds, spread).await?
                }
                ["lateness", count, prefix] => data::lateness(&runtime, count.parse()?, prefix).await?,
                ["stop"] => break,
                _ => anyhow::bail!("what is {line:?}?"),
            };
            println!("{answer}");
        }
        runtime.stop(Duration::from_secs(10)).await;
        println!("stopped");
        Ok(())
    })
}
