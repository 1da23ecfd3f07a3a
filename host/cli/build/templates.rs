//! Collects the templates of `everturn new`: the crates under `examples/`, which are tested as every crate is. What their
//! manifests inherit from the workspace is asked of cargo, so that a crate outside of it can say the same.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// Belongs to `everturn demo`: without the shop that runs there, it does nothing.
const NO_TEMPLATE: &str = "order";
/// The one to begin with.
const FIRST: &str = "hello";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    description: Option<String>,
    manifest_path: PathBuf,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    kind: Option<String>,
    features: Vec<String>,
    uses_default_features: bool,
    path: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

/// Writes `templates.rs` to where `commands/new/template.rs` includes it.
pub(crate) fn collect() -> Result<(), Box<dyn Error>> {
    let metadata = metadata()?;
    let examples = metadata.workspace_root.join("examples");
    println!("cargo::rerun-if-changed={}", examples.display());
    let mut code = String::from("[\n");
    let mut templates: Vec<_> = metadata.packages.iter().filter(|package| is_template(package, &examples)).collect();
    templates.sort_by_key(|package| (package.name != FIRST, &package.name));
    for package in templates {
        template(package, &metadata.workspace_root, &mut code)?;
    }
    code += "]\n";
    let output = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    Ok(fs::write(Path::new(&output).join("templates.rs"), code)?)
}

fn metadata() -> Result<Metadata, Box<dyn Error>> {
    let cargo = env::var_os("CARGO").ok_or("CARGO is not set")?;
    let answer = Command::new(cargo).args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    if !answer.status.success() {
        return Err(String::from_utf8_lossy(&answer.stderr).into());
    }
    Ok(serde_json::from_slice(&answer.stdout)?)
}

fn is_template(package: &Package, examples: &Path) -> bool {
    let is_component = package.targets.iter().any(|target| target.crate_types.iter().any(|kind| kind == "cdylib"));
    package.manifest_path.starts_with(examples) && is_component && package.name != NO_TEMPLATE
}

fn template(package: &Package, root: &Path, code: &mut String) -> Result<(), Box<dyn Error>> {
    let Package { name, description, manifest_path, .. } = package;
    let description = description.as_deref().ok_or_else(|| format!("{name} has no description"))?;
    let directory = manifest_path.parent().ok_or("a manifest without a directory")?;
    writeln!(code, "Template {{ name: {name:?}, description: {description:?}, dependencies: &[")?;
    for dependency in &package.dependencies {
        writeln!(code, "{},", dependency_code(dependency, root)?)?;
    }
    writeln!(code, "], files: &[")?;
    let mut files = BTreeMap::new();
    find_files(directory, directory, &mut files)?;
    for (inside, path) in files {
        writeln!(code, "({inside:?}, include_str!({path:?})),")?;
    }
    writeln!(code, "] }},")?;
    Ok(())
}

fn dependency_code(dependency: &Dependency, root: &Path) -> Result<String, Box<dyn Error>> {
    let Dependency { name, req, features, .. } = dependency;
    let kind = match dependency.kind.as_deref() {
        None => "Normal",
        Some("dev") => "Dev",
        Some(other) => return Err(format!("{name} is a {other} dependency, which no template has yet").into()),
    };
    let source = match &dependency.path {
        Some(path) => format!("InCheckout({:?})", path.strip_prefix(root)?),
        None => {
            let mut wants = format!("version = {:?}", req.trim_start_matches('^'));
            if !dependency.uses_default_features {
                wants += ", default-features = false";
            }
            if !features.is_empty() {
                wants += &format!(", features = {features:?}");
            }
            format!("Registry({:?})", format!("{{ {wants} }}"))
        }
    };
    Ok(format!("Dependency {{ name: {name:?}, kind: Kind::{kind}, source: Source::{source} }}"))
}

/// All files but the manifest, which is written anew, and what builds, hosts and tests leave behind.
fn find_files(directory: &Path, root: &Path, found: &mut BTreeMap<String, PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || name == "target" || name == "Cargo.toml" || name.ends_with(".snap.new") {
            continue;
        }
        if path.is_dir() {
            find_files(&path, root, found)?;
        } else {
            let parts: Vec<_> = path.strip_prefix(root)?.iter().map(|part| part.to_string_lossy()).collect();
            found.insert(parts.join("/"), path);
        }
    }
    Ok(())
}
