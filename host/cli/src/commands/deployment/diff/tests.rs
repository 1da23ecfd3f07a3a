//! Two versions that differ in everything.

use std::collections::BTreeMap;

use everturn_history::Timestamp;
use everturn_server::model::Grants;

use super::*;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn grants(http: &[&str], environment: &[(&str, &str)], secrets: &[&str]) -> Grants {
    let environment = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Grants { http: strings(http), environment: environment.collect(), secrets: strings(secrets) }
}

fn auction(signals: &[&str], queries: &[&str], updates: &[&str]) -> WorkflowDescription {
    WorkflowDescription {
        name: "auction".to_owned(),
        summary: String::new(),
        signals: strings(signals),
        queries: strings(queries),
        updates: strings(updates),
    }
}

fn version(version: &str, workflows: &[&str], grants: Grants, auction: WorkflowDescription) -> DeploymentDetails {
    let deployment = Deployment {
        version: version.to_owned(),
        digest: version.repeat(20),
        size: version.len() as u64,
        workflows: strings(workflows),
        active_workflows: vec![],
        trials: BTreeMap::new(),
        activities: vec![],
        active_activities: vec![],
        grants,
        successors: Successors::Newest,
        created_at: Timestamp { seconds: 0, nanos: 0 },
        retired_at: None,
        open_instances: 0,
    };
    DeploymentDetails { deployment, descriptions: Some(vec![auction]) }
}

fn old() -> DeploymentDetails {
    let grants = grants(&["a.example"], &[("MODE", "test"), ("SIZE", "1")], &["KEY"]);
    version("old", &["auction", "order"], grants, auction(&["bid", "stop"], &["best"], &[]))
}

fn new() -> DeploymentDetails {
    let grants = grants(&["a.example", "b.example"], &[("MODE", "live"), ("SIZE", "1")], &[]);
    version("newer", &["auction", "refund"], grants, auction(&["bid"], &["best"], &["raise"]))
}

fn printed(diff: &Diff) -> String {
    let mut out = Vec::new();
    diff.print(&mut anstream::StripStream::new(&mut out)).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn what_came_went_and_changed_is_told_and_no_value_of_a_variable() {
    let diff = Diff::between(&old(), &new());
    assert!(!diff.same);
    insta::assert_snapshot!(printed(&diff), @r"
    version    old -> newer
    digest     oldoldoldold -> newernewerne
    size       3 -> 5
    workflows  ~ auction: - signal stop, + update raise
               + refund
               - order
    http       = a.example
               + b.example
    env        = SIZE
               ~ MODE
    secrets    - KEY
    successors newest (the same)
    open       0 (the same)
    ");
    assert!(!serde_json::to_string(&diff).unwrap().contains("live"));
}

#[test]
fn only_the_label_and_what_is_open_may_differ() {
    let mut again = old();
    again.deployment.version = "again".to_owned();
    again.deployment.open_instances = 7;
    assert!(Diff::between(&old(), &again).same);
    let changes: [fn(&mut DeploymentDetails); 5] = [
        |version| version.deployment.digest = "other".to_owned(),
        |version| version.deployment.successors = Successors::Same,
        |version| version.deployment.grants.secrets.clear(),
        |version| _ = version.deployment.grants.environment.insert("MODE".to_owned(), "live".to_owned()),
        |version| version.descriptions = Some(vec![auction(&[], &[], &[])]),
    ];
    for change in changes {
        let mut other = old();
        change(&mut other);
        assert!(!Diff::between(&old(), &other).same, "{other:?}");
    }
}

#[test]
fn what_a_retired_version_handled_is_not_known() {
    let retired = DeploymentDetails { descriptions: None, ..old() };
    let diff = Diff::between(&retired, &new());
    assert!(printed(&diff).contains("handlers   unknown"), "{}", printed(&diff));
}
