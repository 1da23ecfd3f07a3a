//! The report for programs: all of it, and what is to be reached as numbers of this machine.

use serde_json::{Value, json};

use crate::figures::{Baseline, Bound, Figure};

use super::Report;

/// One document.
pub(crate) fn report(report: &Report) -> anyhow::Result<String> {
    let baseline = &report.head.baseline;
    let tables: serde_json::Map<String, Value> = report
        .tables
        .iter()
        .map(|table| (table.name.to_owned(), table.figures.iter().map(|each| figure(each, baseline)).collect()))
        .collect();
    let mut document = serde_json::to_value(&report.head)?;
    document["baselineAfter"] = serde_json::to_value(report.after)?;
    document["workloads"] = tables.into();
    if let Some(peer) = &report.peer {
        document["peer"] = json!({
            "name": peer.peer,
            "durability": peer.durability,
            "figures": peer.pairs.iter().map(|pair| json!({
                "key": pair.key,
                "name": pair.name,
                "unit": pair.unit,
                "ours": pair.ours,
                "theirs": pair.theirs,
                "times": pair.times(),
                "wanted": pair.wanted,
                "reached": pair.is_reached(),
            })).collect::<Vec<_>>(),
        });
    }
    Ok(serde_json::to_string_pretty(&document)?)
}

fn figure(figure: &Figure, baseline: &Baseline) -> Value {
    let mut value = json!({
        "key": figure.key,
        "name": figure.name.trim(),
        "unit": figure.unit,
        "value": figure.value,
    });
    if let Some(spread) = figure.spread {
        value["spread"] = json!(spread);
    }
    if let Some(target) = figure.target {
        let number = target.bound.amount().number(baseline);
        let side = match target.bound {
            Bound::AtLeast(_) => "atLeast",
            Bound::AtMost(_) => "atMost",
        };
        value["target"] = json!({
            "text": target.shown(figure.unit, baseline),
            side: number,
            "reached": figure.is_reached(baseline),
        });
    }
    value
}
