//! A host that is killed in the middle of deploys: it has the old state or the new one, never half of each.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use everturn_tests::guests::in_version;
use serde_json::{Value, json};

use crate::Random;
use crate::client::Client;
use crate::host::Host;

/// How often the host is killed at least; and then until both has happened: the deploy was in time, and it was not.
const KILLS: usize = 25;
/// How often at most.
const MOST_KILLS: usize = 500;
/// How many instances are open.
const OPEN: usize = 20;

#[test]
fn a_host_that_is_killed_in_a_deploy_has_the_old_version_or_the_new_one() {
    let files = tempfile::tempdir().unwrap();
    let file = |version: &str| {
        let path = files.path().join(format!("{version}.wasm"));
        std::fs::write(&path, in_version(version)).unwrap();
        path
    };
    let versions = [("first", file("first")), ("later", file("later"))];
    let mut host = Host::new();
    host.start();
    let client = Client::new(host.url());
    // Both are compiled once, so that what is killed is the rest.
    let deploy = |(label, file): &(&str, PathBuf)| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_everturn"));
        command.args(["deploy", "--host", client.url(), "--version", label]).arg(file);
        command
    };
    for version in &versions {
        assert!(deploy(version).output().unwrap().status.success());
    }
    for number in 0..OPEN {
        // Nobody does its first activity, so all of them stay open.
        client.start("journey", &format!("open-{number}"), &json!("bag"));
    }

    let mut random = Random::new();
    let mut before = active(&client);
    let (mut in_time, mut too_late, mut kills) = (0, 0, 0);
    while kills < KILLS || in_time == 0 || too_late == 0 {
        assert!(kills < MOST_KILLS, "in time: {in_time}, too late: {too_late}");
        let other = versions.iter().find(|(label, _)| *label != before).unwrap();
        let mut deploying = deploy(other).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_millis(random.up_to(200)));
        host.kill();
        deploying.wait().unwrap();
        host.start();
        kills += 1;
        let after = active(&client);
        if after == before {
            too_late += 1;
        } else {
            in_time += 1;
        }
        before = after;
    }
    println!("kills: {kills}, the new version was active after {in_time} of them");

    // Whatever it was, the next deploy is as any other.
    for version in &versions {
        let deployed = deploy(version).output().unwrap();
        let said = String::from_utf8_lossy(&deployed.stdout).into_owned();
        assert!(deployed.status.success() && said.contains(&format!("{OPEN} compatible, 0 diverged")), "{said}");
        assert_eq!(active(&client), version.0);
    }
}

/// The version that all names lead to: it must be one.
fn active(client: &Client) -> String {
    let list = client.get("/v1/deployments");
    let deployments = list["deployments"].as_array().unwrap();
    let leads = |deployment: &&Value| !deployment["activeWorkflows"].as_array().unwrap().is_empty();
    let active: Vec<_> = deployments.iter().filter(leads).collect();
    let [active] = active[..] else { panic!("names lead to several versions: {list}") };
    assert_eq!(active["activeWorkflows"], active["workflows"], "{list}");
    let open: u64 = deployments.iter().map(|deployment| deployment["openInstances"].as_u64().unwrap()).sum();
    assert_eq!(open, OPEN as u64, "{list}");
    active["version"].as_str().unwrap().to_owned()
}
