//! The packages of the workspace, read from `cargo metadata`.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cargo::Cargo;

/// The workspace: its root folder and its packages.
#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// The members, in the order of the manifest.
    pub(crate) packages: Vec<Package>,
}

/// A member of the workspace.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// The folder of the package's `Cargo.toml`.
    pub(crate) folder: PathBuf,
    /// The features without `default`, sorted by name.
    pub(crate) features: Vec<String>,
    /// The features that are enabled by default.
    pub(crate) default_features: Vec<String>,
    /// The features that only enable features of dependencies.
    pub(crate) forwarded: Vec<String>,
    /// Whether the package is a published library.
    pub(crate) library: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A direct dependency.
#[derive(Debug, Default)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// The requirement for the version.
    pub(crate) requirement: String,
    /// Set if the package is a dev-dependency.
    pub(crate) dev: bool,
    /// The features that the manifest enables.
    pub(crate) features: Vec<String>,
}

impl Workspace {
    /// Reads the workspace that this program was built in.
    pub(crate) fn here() -> Result<Self, String> {
        let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = xtask.parent().unwrap_or(xtask).to_path_buf();
        let metadata =
            Cargo::new("metadata --no-deps --format-version 1").standard_output(&root)?;
        let metadata =
            serde_json::from_str(&metadata).map_err(|why| format!("cargo metadata: {why}"))?;
        Ok(Self { root, packages: packages(&metadata) })
    }

    /// Returns the libraries in the order of `members`: dependencies first.
    pub(crate) fn libraries(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.library)
    }

    /// Returns the package with this name.
    pub(crate) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.name == name)
    }

    /// Returns a path relative to the root.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

fn packages(metadata: &Value) -> Vec<Package> {
    let order: Vec<&str> = strings(&metadata["workspace_members"]).collect();
    let mut packages: Vec<&Value> = items(&metadata["packages"]).collect();
    packages.sort_by_key(|package| order.iter().position(|&id| package["id"] == id));
    packages.into_iter().map(package).collect()
}

fn package(json: &Value) -> Package {
    let manifest = Path::new(json["manifest_path"].as_str().unwrap_or_default());
    let features = || {
        let all = json["features"].as_object().into_iter().flatten();
        all.filter(|&(name, _)| name != "default")
    };
    let is_forwarded = |parts: &Value| {
        let mut parts = strings(parts).peekable();
        parts.peek().is_some() && parts.all(|part| !part.starts_with("dep:"))
    };
    let targets = || items(&json["targets"]);
    let is = |target: &&Value, kind: &str| strings(&target["kind"]).any(|k| k == kind);
    Package {
        name: text(&json["name"]),
        folder: manifest.parent().unwrap_or(manifest).to_path_buf(),
        features: features().map(|(name, _)| name.clone()).collect(),
        default_features: strings(&json["features"]["default"]).map(String::from).collect(),
        forwarded: features()
            .filter(|(_, parts)| is_forwarded(parts))
            .map(|(name, _)| name.clone())
            .collect(),
        library: json["publish"].is_null() && targets().any(|target| is(&target, "lib")),
        dependencies: items(&json["dependencies"])
            .map(|dependency| Dependency {
                name: text(&dependency["name"]),
                requirement: text(&dependency["req"]),
                dev: dependency["kind"] == "dev",
                features: strings(&dependency["features"]).map(String::from).collect(),
            })
            .collect(),
    }
}

fn items(json: &Value) -> impl Iterator<Item = &Value> {
    json.as_array().into_iter().flatten()
}

fn strings(json: &Value) -> impl Iterator<Item = &str> {
    items(json).filter_map(Value::as_str)
}

fn text(json: &Value) -> String {
    json.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::packages;
    use serde_json::json;

    #[test]
    fn packages_are_in_the_order_of_the_members() {
        let package = |name: &str, publish, kind| {
            json!({
                "id": name, "name": name, "publish": publish,
                "manifest_path": format!("/w/{name}/Cargo.toml"),
                "features": {
                    "default": ["std"], "std": [], "wide": ["low/wide", "std"],
                    "pulp": ["dep:pulp", "pulp?/std"],
                },
                "targets": [{ "kind": [kind], "name": name }, { "kind": ["test"], "name": "t" }],
                "dependencies": [{ "name": "laws", "kind": "dev", "features": ["scenes"] }],
            })
        };
        let null = json!(null);
        let (low, high) = (package("low", null.clone(), "lib"), package("high", null, "lib"));
        let metadata = json!({
            "workspace_members": ["low", "high", "tool"],
            "packages": [high, low, package("tool", json!([]), "bin")],
        });
        let packages = packages(&metadata);
        let names = packages.iter().map(|package| (package.name.as_str(), package.library));
        assert!(names.eq([("low", true), ("high", true), ("tool", false)]));
        let low = &packages[0];
        assert_eq!(low.features, ["pulp", "std", "wide"]);
        assert_eq!(low.default_features, ["std"]);
        assert_eq!(low.forwarded, ["wide"]);
        assert_eq!(low.folder.to_str(), Some("/w/low"));
        assert!(low.dependencies[0].dev);
        assert_eq!(low.dependencies[0].features, ["scenes"]);
    }
}
