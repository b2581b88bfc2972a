//! Checks conventions of source files: head, length, names, forbidden words, inlining over lanes.

use std::path::Path;

use super::lanes;

/// Maximum number of lines.
const MAX_LINES: usize = 500;
/// File names without meaning.
const EMPTY_NAMES: [&str; 4] = ["utils", "helpers", "common", "misc"];
/// The only file of a library that may contain `unsafe`.
const UNSAFE: &str = "simd-lanes/src/lanes/gather.rs";
/// Macros that mark unfinished work.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

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
    let name = location.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if EMPTY_NAMES.contains(&name) {
        findings.push("the file name has no meaning".to_owned());
    }
    let lines: Vec<String> = text.lines().map(code).collect();
    for (number, line) in lines.iter().enumerate() {
        let found = words(line).filter_map(|(word, after)| forbidden(location, word, after));
        findings.extend(found.map(|why| format!("{}: {why}", number + 1)));
        if line.contains("#[ignore") {
            findings.push(format!("{}: an ignored test is not run", number + 1));
        }
    }
    for (number, line) in text.lines().enumerate() {
        if ["//! ```ignore", "/// ```ignore"].contains(&line.trim_start()) {
            findings.push(format!("{}: an ignored example is not tested", number + 1));
        }
    }
    if location.library {
        findings.extend(uninlined(location, &lines));
        findings.extend(lanes::findings(text));
    }
    findings
}

/// Returns the reason if a word is forbidden here; `after` is the rest of the line.
fn forbidden(location: &Location<'_>, word: &str, after: &str) -> Option<String> {
    match word {
        _ if UNFINISHED.contains(&word) && after.starts_with('!') => {
            Some(format!("{word}! is unfinished work"))
        }
        "unsafe" if location.library && location.path != Path::new(UNSAFE) => {
            Some("unsafe code is not allowed in libraries".to_owned())
        }
        "mul_add" if location.library => {
            Some("mul_add rounds differently on different machines".to_owned())
        }
        "intersects" if location.library => Some("use overlaps instead of intersects".to_owned()),
        _ => None,
    }
}

/// Finds functions over lanes without `#[inline(always)]`; they would be compiled without the
/// backend's instructions.
///
/// Functions over lanes are all functions with `Lanes` in their signature, and all functions in the
/// folders `lanes` and `kernel` except tests.
fn uninlined(location: &Location<'_>, lines: &[String]) -> Vec<String> {
    let folder = location.path.parent().and_then(Path::file_name);
    let kernels = folder.is_some_and(|folder| folder == "lanes" || folder == "kernel");
    let mut findings = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some((_, name)) = line.split_once("fn ").filter(|(before, _)| starts_function(before))
        else {
            continue;
        };
        let Some(signature) = signature(&lines[number..]) else { continue };
        let attributes = lines[..number].iter().rev().map(|line| line.trim());
        let inlined = attributes
            .take_while(|line| line.is_empty() || line.starts_with("#["))
            .any(|line| line == "#[inline(always)]" || line == "#[test]");
        if (kernels || signature.contains(": Lanes")) && !inlined {
            let name = name.split(['(', '<']).next().unwrap_or_default();
            findings.push(format!("{}: {name} is not #[inline(always)]", number + 1));
        }
    }
    findings
}

/// Returns whether the text before `fn` consists of visibility and `const` only.
fn starts_function(before: &str) -> bool {
    before.split_whitespace().all(|word| word.starts_with("pub") || word == "const")
}

/// Returns the text from `fn` to the body; `None` if there is no body.
fn signature(lines: &[String]) -> Option<String> {
    let mut signature = String::new();
    for line in lines {
        // Search for the brace at which the body begins. There is no body if a line ends with a
        // semicolon; other semicolons belong to array types.
        if let Some((before, _)) = line.split_once('{') {
            signature.push_str(before);
            return Some(signature);
        }
        signature.push_str(line);
        if line.trim_end().ends_with(';') {
            return None;
        }
    }
    None
}

/// Returns a line without its comment and without the content of strings.
fn code(line: &str) -> String {
    let mut code = String::new();
    let mut characters = line.chars().peekable();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => {
                characters.next();
            }
            // A quote after an apostrophe is the character '"'.
            '"' if quoted || !code.ends_with('\'') => {
                quoted = !quoted;
                code.push('"');
            }
            '/' if !quoted && characters.peek() == Some(&'/') => break,
            _ if !quoted => code.push(c),
            _ => {}
        }
    }
    code
}

/// Returns the words of a line, each with the rest of the line after it.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.split(move |c| !part(c)).filter(|word| !word.is_empty()).map(move |word| {
        let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
        (word, &line[end..])
    })
}

#[cfg(test)]
mod tests {
    use super::{Location, UNSAFE, code, findings};
    use std::path::Path;

    fn library(path: &str, text: &str) -> Vec<String> {
        findings(&Location { path: Path::new(path), library: true }, text)
    }

    #[test]
    fn a_valid_file_has_no_findings() {
        let text = "//! Good.\n\nfn overlaps() {} // unsafe, todo!() and mul_add are only words\n";
        assert!(library("a/src/b.rs", text).is_empty());
    }

    #[test]
    fn each_violation_is_found() {
        let cases = [
            ("use x;\n", "the first line is not a doc comment"),
            ("//! A.\nfn f() { unsafe { g() } }\n", "2: unsafe code is not allowed in libraries"),
            ("//! A.\nfn f() { todo!() }\n", "2: todo! is unfinished work"),
            ("//! A.\nfn f() { dbg!(1); }\n", "2: dbg! is unfinished work"),
            ("//! A.\n#[test]\n#[ignore]\nfn f() {}\n", "3: an ignored test is not run"),
            ("//! A.\n/// ```ignore\nfn f() {}\n", "2: an ignored example is not tested"),
            ("//! A.\nfn intersects() {}\n", "2: use overlaps instead of intersects"),
            (
                "//! A.\nfn f() { a.mul_add(b, c) }\n",
                "2: mul_add rounds differently on different machines",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(library("a/src/b.rs", text), [expected]);
        }
        let long = format!("//! A.\n{}", "\n".repeat(500));
        assert_eq!(library("a/src/b.rs", &long), ["501 lines are more than 500"]);
        assert_eq!(library("a/src/utils.rs", "//! A.\n"), ["the file name has no meaning"]);
    }

    #[test]
    fn one_file_may_contain_unsafe_code() {
        let text = "//! A.\n#[inline(always)]\nfn f() { unsafe { g() } }\n";
        assert!(findings(&Location { path: Path::new(UNSAFE), library: true }, text).is_empty());
        assert_eq!(
            library("a/src/gather.rs", text),
            ["3: unsafe code is not allowed in libraries"]
        );
    }

    #[test]
    fn tools_and_tests_may_call_functions_of_other_libraries() {
        let location = Location { path: Path::new("a/tests/b.rs"), library: false };
        assert!(findings(&location, "//! A.\nfn f() { tree.intersects(b) }\n").is_empty());
    }

    #[test]
    fn functions_over_lanes_must_be_inlined() {
        let bad = "//! A.\npub fn f<L: Lanes>(\n    lanes: L,\n) -> [i32; 8] {\n}\n";
        assert_eq!(library("a/src/b.rs", bad), ["2: f is not #[inline(always)]"]);
        let good = bad.replace("pub fn", "#[inline(always)]\n#[must_use]\npub fn");
        assert!(library("a/src/b.rs", &good).is_empty());
        let plain = "//! A.\nfn g(x: i32) -> i32 { x }\n";
        assert!(library("a/src/b.rs", plain).is_empty());
        assert_eq!(library("a/src/kernel/b.rs", plain), ["2: g is not #[inline(always)]"]);
        let declared = "//! A.\ntrait T {\n    fn f<L: Lanes>(self, lanes: L) -> [i32; 8];\n}\n";
        assert!(library("a/src/kernel/b.rs", declared).is_empty());
        let test = plain.replace("fn", "#[test]\nfn");
        assert!(library("a/src/kernel/b.rs", &test).is_empty());
    }

    #[test]
    fn strings_and_comments_are_not_code() {
        assert_eq!(code("f(\"a // b\", '\"', 'x') // c"), "f(\"\", '\"', 'x') ");
        assert_eq!(code("f(\"a \\\" dbg!\")"), "f(\"\")");
    }
}
