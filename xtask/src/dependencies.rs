//! The dependency rule: without features, a library depends on no external package except `cfg-if`.

use crate::cargo::Cargo;
use crate::step::Verdict;
use crate::workspace::Workspace;

/// The only external package that a library may depend on without features.
const ALLOWED: &str = "cfg-if";

/// Checks the dependency tree of every library.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let ours: Vec<&str> = workspace.libraries().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for name in &ours {
        let tree = Cargo::new("tree --locked -e normal --no-default-features --prefix none -p");
        match tree.argument(*name).standard_output(&workspace.root) {
            Ok(tree) => findings.extend(
                foreign(&tree, &ours)
                    .map(|other| format!("{name} depends on {other} without features")),
            ),
            Err(why) => findings.push(why),
        }
    }
    if findings.is_empty() { Ok(format!("{} libraries", ours.len())) } else { Err(findings) }
}

/// Returns the packages in a tree that are neither ours nor allowed.
fn foreign<'a>(tree: &'a str, ours: &[&str]) -> impl Iterator<Item = &'a str> {
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.filter(move |name| !name.is_empty() && *name != ALLOWED && !ours.contains(name))
}

#[cfg(test)]
mod tests {
    use super::foreign;

    #[test]
    fn external_packages_are_found() {
        let tree = "high v0.1.0 (/w/high)\nlow v0.1.0 (/w/low)\ncfg-if v1.0.5\nserde v1.0.0\n";
        assert_eq!(foreign(tree, &["low", "high"]).collect::<Vec<_>>(), ["serde"]);
        assert_eq!(foreign("low v0.1.0 (/w/low)\n\ncfg-if v1.0.5\n", &["low"]).count(), 0);
    }
}
