//! What to type next. Part of it is what the README of the crate shows, so the two say the same.

use std::env;
use std::path::Path;

use serde::Serialize;

use super::checkout::Checkout;

/// Commands that belong together.
#[derive(Debug, Serialize)]
pub(super) struct Next {
    pub(super) why: &'static str,
    pub(super) commands: Vec<String>,
}

/// From here to an instance that was started and looked at, by the README of the crate.
pub(super) fn steps(readme: &str, directory: &Path, checkout: &Checkout) -> Vec<Next> {
    let mut steps = Vec::new();
    if !is_on_path() {
        let install = format!("cargo install --locked --path {}", quoted(&checkout.command()));
        steps.push(Next { why: "Put everturn on your path", commands: vec![install] });
    }
    steps.push(Next {
        why: "Test it; the first time this compiles the engine, which takes some minutes",
        commands: vec![format!("cd {}", quoted(directory)), "cargo test".to_owned()],
    });
    steps.push(Next {
        why: "Run a host for it, and leave it running; it deploys the crate, and again whenever you change it",
        commands: vec![host(readme).to_owned()],
    });
    steps.push(Next {
        why: "When it says deployed, start an instance in another terminal, and look at it",
        commands: session(readme),
    });
    steps.retain(|step| !step.commands.is_empty());
    steps
}

/// The command that runs a host for the crate. Some crates need to be granted something.
fn host(page: &str) -> &str {
    page.lines().find(|line| line.starts_with("everturn dev")).unwrap_or("everturn dev")
}

/// The commands of the first session of a page.
fn session(page: &str) -> Vec<String> {
    let block = page.split("```console\n").nth(1).and_then(|rest| rest.split("```").next());
    block.unwrap_or_default().lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned).collect()
}

fn is_on_path() -> bool {
    let name = format!("everturn{}", env::consts::EXE_SUFFIX);
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|directory| directory.join(&name).is_file()))
}

/// A path as a shell reads it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+".contains(character);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_session_are_those_after_the_prompt() {
        let page =
            "```sh\nls\n```\n```console\n$ everturn workflow wait a\n\"done\"\n$ ls\n```\n```console\n$ no\n```\n";
        assert_eq!(session(page), ["everturn workflow wait a", "ls"]);
        assert!(session("nothing").is_empty());
    }

    #[test]
    fn the_host_is_run_as_the_page_says() {
        assert_eq!(host("text\neverturn dev --env A=b\n"), "everturn dev --env A=b");
        assert_eq!(host("nothing"), "everturn dev");
    }

    #[test]
    fn what_a_shell_would_not_read_as_it_is_gets_quotes() {
        assert_eq!(quoted(Path::new("../a-b/c_1.d")), "../a-b/c_1.d");
        assert_eq!(quoted(Path::new("it's here")), r"'it'\''s here'");
    }
}
