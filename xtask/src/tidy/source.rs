//! Checks conventions of source files: head, length, forbidden words, inlining over lanes.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};

use super::lanes;

/// Maximum number of lines.
const MAX_LINES: usize = 500;

/// Words that the code of libraries must not contain, with reasons.
const FORBIDDEN: [(&str, &str); 3] = [
    ("mul_add", "mul_add rounds differently on different machines"),
    ("intersects", "use overlaps instead of intersects"),
    ("unsafe", "SAFETY.md describes the only file with unsafe code"),
];

/// The only file of a library with unsafe code.
const UNSAFE: &str = "simd-lanes/src/lanes/gather.rs";

/// Beginnings of lines that exclude a test or an example.
const IGNORED: [&str; 3] = ["#[ignore", "//! ```ignore", "/// ```ignore"];

/// The location of a source file.
pub(super) struct Location<'a> {
    /// The path relative to the root.
    pub(super) path: &'a Path,
    /// Whether the file is the source of a library, not of a test or a tool.
    pub(super) library: bool,
}

pub(super) fn findings(location: &Location<'_>, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    if !text.starts_with("//! ") {
        findings.push("the first line is not a doc comment".to_owned());
    }
    let length = text.lines().count();
    if length > MAX_LINES {
        findings.push(format!("{length} lines are more than {MAX_LINES}"));
    }
    for (number, line) in (1..).zip(text.lines()) {
        if IGNORED.iter().any(|start| line.trim_start().starts_with(start)) {
            findings.push(format!("{number}: an ignored test is not run"));
        }
    }
    // The compiler reports sources that cannot be parsed.
    if location.library
        && let Ok(tokens) = text.parse()
        && let Ok(file) = syn::parse_file(text)
    {
        let known = if location.path == Path::new(UNSAFE) { "unsafe" } else { "" };
        forbidden(tokens, known, &mut findings);
        findings.extend(lanes::findings(location.path, &file));
    }
    findings
}

/// Reports forbidden words except `known`.
fn forbidden(tokens: TokenStream, known: &str, findings: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => forbidden(group.stream(), known, findings),
            TokenTree::Ident(word) if word != known => {
                let found = FORBIDDEN.iter().find(|(forbidden, _)| word == *forbidden);
                let line = word.span().start().line;
                findings.extend(found.map(|(_, why)| format!("{line}: {why}")));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Location, findings};
    use std::path::Path;

    fn library(text: &str) -> Vec<String> {
        findings(&Location { path: Path::new("a/src/b.rs"), library: true }, text)
    }

    #[test]
    fn each_violation_is_found() {
        let words = "//! Good.\n\nfn overlaps() { f(\"mul_add\") } // mul_add is only a word\n";
        assert!(library(words).is_empty());
        let cases = [
            ("use x;\n", "the first line is not a doc comment"),
            ("//! A.\n#[test]\n#[ignore]\nfn f() {}\n", "3: an ignored test is not run"),
            ("//! A.\n/// ```ignore\nfn f() {}\n", "2: an ignored test is not run"),
            ("//! A.\nfn intersects() {}\n", "2: use overlaps instead of intersects"),
            (
                "//! A.\nfn f() { unsafe {} }\n",
                "2: SAFETY.md describes the only file with unsafe code",
            ),
            (
                "//! A.\nm! { fn f() { a.mul_add(b, c) } }\n",
                "2: mul_add rounds differently on different machines",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(library(text), [expected]);
        }
        let long = format!("//! A.\n{}", "\n".repeat(500));
        assert_eq!(library(&long), ["501 lines are more than 500"]);
        let gather = Location { path: Path::new(super::UNSAFE), library: true };
        assert!(findings(&gather, "//! A.\n#[inline(always)]\nfn f() { unsafe {} }\n").is_empty());
        let tool = Location { path: Path::new("a/tests/b.rs"), library: false };
        assert!(findings(&tool, "//! A.\nfn f() { tree.intersects(b) }\n").is_empty());
    }
}
