//! `everturn dev`: runs a host for a crate that somebody works on.
//!
//! - `watch.rs`: says when its files changed
//! - `deploy.rs`: builds and deploys it, each time as a version of its own

mod deploy;
mod watch;

use anyhow::{Context, anyhow};

use self::deploy::Deployer;
use self::watch::Watch;
use crate::arguments::DevOptions;
use crate::host;
use crate::outcome::{Blame, Outcome, Verdict};

pub(crate) fn run(options: &DevOptions) -> Outcome {
    let directory = &options.directory;
    if !directory.join("Cargo.toml").is_file() {
        let problem = "holds no Cargo.toml: give the directory of a workflow crate";
        return Err(anyhow!("{} {problem}", directory.display())).or_input();
    }
    let directory = directory.canonicalize().with_context(|| directory.display().to_string()).or_input()?;
    // Looks on before it builds, so that no change is missed.
    let mut watch = Watch::new(&directory, &options.host.data).or_internal()?;
    let permissions = deploy::permissions(&options.grants)?;
    host::run(&options.host, |host| {
        let deployer = Deployer { runtime: host.runtime.clone(), directory, permissions };
        let tokio = tokio::runtime::Handle::current();
        // A thread of its own: builds take long, and nobody waits for them.
        std::thread::spawn(move || {
            loop {
                deployer.deploy(&tokio);
                if watch.wait().is_err() {
                    return;
                }
                tracing::info!("files changed");
            }
        });
    })?;
    Ok(Verdict::Done)
}
