//! Links and commands in Markdown: extracts both, and checks that the targets of relative links
//! exist.

use std::fs;
use std::path::Path;

use crate::step::Verdict;
use crate::tidy::files;
use crate::workspace::Workspace;

/// Checks every link of every Markdown file.
pub(crate) fn check_links(workspace: &Workspace) -> Verdict {
    let mut findings = Vec::new();
    let mut count = 0;
    for file in files(&workspace.root, "md") {
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(why) => {
                findings.push(format!("{}: {why}", workspace.relative(&file)));
                continue;
            }
        };
        let targets = links(&text);
        count += targets.len();
        findings.extend(targets.into_iter().filter(|target| !target_exists(&file, target)).map(
            |target| format!("{}: link target {target} does not exist", workspace.relative(&file)),
        ));
    }
    if findings.is_empty() { Ok(format!("{count} links")) } else { Err(findings) }
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

/// Returns the targets of inline links and images outside code.
fn links(text: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for (line, block) in lines(text) {
        if block.is_some() {
            continue;
        }
        // Split at backquotes: the parts alternate between prose and inline code.
        for prose in line.split('`').step_by(2) {
            let starts = prose.match_indices("](").map(|(at, found)| at + found.len());
            targets.extend(starts.filter_map(|at| prose[at..].split([')', ' ']).next()));
        }
    }
    targets
}

/// Returns the lines of code blocks, and the inline code, that start with `program`. A prompt
/// before the program is removed.
pub(crate) fn commands<'a>(text: &'a str, program: &str) -> Vec<&'a str> {
    let mut commands = Vec::new();
    for (line, block) in lines(text) {
        let candidates: Vec<&str> = match block {
            Some("" | "sh" | "bash" | "shell" | "console" | "text") => vec![line],
            Some(_) => Vec::new(),
            None => line.split('`').skip(1).step_by(2).collect(),
        };
        let bare = candidates.into_iter().map(|line| line.trim().trim_start_matches("$ "));
        commands.extend(bare.filter(|line| line.split(' ').next() == Some(program)));
    }
    commands
}

/// Returns every line except the fences, with the language of its code block.
fn lines(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut block = None;
    text.lines().filter_map(move |line| {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.trim()) };
            return None;
        }
        Some((line, block))
    })
}

#[cfg(test)]
mod tests {
    use super::{commands, headings, links, target_exists};
    use std::path::Path;

    const TEXT: &str = "
See [the map](MAP.md), ![a picture](images/a.png \"title\") and `[not](this)`.
Run `cargo xtask verify` or `hexphase pairs`.

```sh
$ cargo run --release -- pairs discs:10000 | head
cargo xtask bench hshg
```
```rust
let [not](a: link);
cargo no
```
";

    #[test]
    fn links_are_found_outside_code_and_commands_in_code() {
        assert_eq!(links(TEXT), ["MAP.md", "images/a.png"]);
        let run = "cargo run --release -- pairs discs:10000 | head";
        assert_eq!(commands(TEXT, "cargo"), ["cargo xtask verify", run, "cargo xtask bench hshg"]);
        assert_eq!(commands(TEXT, "hexphase"), ["hexphase pairs"]);
    }

    #[test]
    fn links_to_missing_files_and_headings_are_found() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        for (target, exists) in [
            ("Cargo.toml", true),
            ("../Cargo.toml", true),
            ("https://example.org/nothing", true),
            ("crate::Item", true),
            ("no-such-file.md", false),
            ("Cargo.toml#no-such-heading", false),
        ] {
            assert_eq!(target_exists(&file, target), exists, "{target}");
        }
        let text = "# One, two\ntext\n## `code` & more\n";
        assert_eq!(headings(text).collect::<Vec<_>>(), ["one-two", "code--more"]);
    }
}
