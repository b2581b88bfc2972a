//! Checks that the targets of relative links in Markdown exist.

use std::fs;
use std::path::Path;

use crate::markdown;
use crate::step::Verdict;
use crate::tidy::files;
use crate::workspace::Workspace;

/// Checks every link of every Markdown file.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    let mut findings = Vec::new();
    let mut links = 0;
    for file in files(&workspace.root, "md") {
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(why) => {
                findings.push(format!("{}: {why}", workspace.relative(&file)));
                continue;
            }
        };
        let targets = markdown::links(&text);
        links += targets.len();
        findings.extend(targets.into_iter().filter(|target| !target_exists(&file, target)).map(
            |target| format!("{}: link target {target} does not exist", workspace.relative(&file)),
        ));
    }
    if findings.is_empty() { Ok(format!("{links} links")) } else { Err(findings) }
}

fn target_exists(file: &Path, target: &str) -> bool {
    let external = ["https://", "http://", "mailto:"];
    // Skip links to items: rustdoc checks them in the texts that it includes.
    if external.iter().any(|scheme| target.starts_with(scheme)) || target.contains("::") {
        return true;
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() { file.to_path_buf() } else { file.with_file_name(path) };
    match heading {
        "" => path.exists(),
        _ => fs::read_to_string(path).is_ok_and(|text| headings(&text).any(|h| h == heading)),
    }
}

/// Returns the headings of a text in the form that links use.
fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| line.starts_with('#')).map(|line| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.collect::<String>().replace(' ', "-")
    })
}

#[cfg(test)]
mod tests {
    use super::{headings, target_exists};
    use std::path::Path;

    #[test]
    fn links_to_missing_files_and_headings_are_found() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        assert!(target_exists(&file, "Cargo.toml"));
        assert!(target_exists(&file, "../Cargo.toml"));
        assert!(target_exists(&file, "https://example.org/nothing"));
        assert!(target_exists(&file, "crate::Item"));
        assert!(!target_exists(&file, "no-such-file.md"));
        assert!(!target_exists(&file, "Cargo.toml#no-such-heading"));
    }

    #[test]
    fn headings_are_converted_to_link_targets() {
        let text = "# One, two\ntext\n## `code` & more\n";
        assert_eq!(headings(text).collect::<Vec<_>>(), ["one-two", "code--more"]);
    }
}
