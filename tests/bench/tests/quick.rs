//! The program does what it says, at a size that takes seconds: so it never rots. It judges no figure.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::Command;

use serde_json::Value;

fn bench(arguments: &[&str]) -> String {
    let data = tempfile::tempdir().unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_everturn-bench"))
        .arg("--quick")
        .arg("--dir")
        .arg(data.path())
        .args(arguments)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&program.stderr);
    assert!(program.status.success(), "{arguments:?}: {errors}");
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0, "{arguments:?} left something behind");
    String::from_utf8(program.stdout).unwrap()
}

#[test]
fn every_workload_measures_something_and_says_what_is_reached() {
    let document: Value = serde_json::from_str(&bench(&["all", "-o", "json"])).unwrap();
    for figure in ["syncs", "commits", "rows"] {
        assert!(document["baseline"][figure].as_f64().unwrap() > 0.0, "{figure}");
    }
    assert!(document["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(document["durability"].as_str().unwrap().contains("synchronous=FULL"));
    let workloads = document["workloads"].as_object().unwrap();
    let mut names: Vec<_> = workloads.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["gate", "guest", "latency", "parked", "replay", "startup", "throughput", "timers"]);
    for (name, figures) in workloads {
        for figure in figures.as_array().unwrap() {
            assert!(figure["value"].is_f64(), "{name}: {figure}");
        }
    }
    let key = |key: &str| workloads["throughput"].as_array().unwrap().iter().any(|figure| figure["key"] == key);
    assert!(["native", "component", "grpc"].iter().all(|kind| key(&format!("sequential-10-{kind}"))));
    let timers = workloads["timers"].as_array().unwrap();
    let early = timers.iter().find(|figure| figure["key"] == "timers-early").unwrap();
    assert_eq!(early["value"], 0.0, "no timer is early, however slow the machine is");
}

#[test]
fn pictures_are_written_where_they_are_wanted() {
    let plots = tempfile::tempdir().unwrap();
    let said = bench(&["latency", "-o", "svg", "--plots", &plots.path().display().to_string()]);
    let file = plots.path().join("latency.svg");
    assert_eq!(said.trim(), file.display().to_string());
    assert!(std::fs::read_to_string(file).unwrap().starts_with("<svg "));
}

#[test]
fn a_disk_can_be_made_slower() {
    let report = bench(&["latency", "timers", "--slower-disk", "2ms", "-o", "json"]);
    let document: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(document["slowerByMicros"], 2_000);
    for rate in ["syncs", "commits"] {
        let rate = document["baseline"][rate].as_f64().unwrap();
        assert!(rate <= 500.0, "{rate} in a second, and each takes 2 ms at least");
    }
    let latency = document["workloads"]["latency"].as_array().unwrap();
    let one = latency.iter().find(|figure| figure["key"] == "latency").unwrap();
    assert!(one["value"].as_f64().unwrap() >= 0.004, "two commits, and each takes 2 ms at least: {one}");
}
