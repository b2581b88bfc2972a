//! What every source file looks like.

use std::path::Path;

use super::lanes;

const LONGEST: usize = 500;
/// Names that say nothing.
const EMPTY_NAMES: [&str; 4] = ["utils", "helpers", "common", "misc"];
/// The one file of a library that may do what is not safe.
const UNSAFE: &str = "simd-lanes/src/lanes/gather.rs";
/// Macros that mark unfinished work.
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Where a file is.
pub(super) struct Place<'a> {
    /// From the root on.
    pub(super) path: &'a Path,
    /// Whether it is source of a library, not of a test or a tool.
    pub(super) library: bool,
}

pub(super) fn findings(place: &Place<'_>, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    if !text.starts_with("//! ") {
        findings.push("the first line does not say what the file is for".to_owned());
    }
    let length = text.lines().count();
    if length > LONGEST {
        findings.push(format!("{length} lines are two rooms"));
    }
    let name = place.path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if EMPTY_NAMES.contains(&name) {
        findings.push("the name says nothing".to_owned());
    }
    let lines: Vec<String> = text.lines().map(code).collect();
    for (number, line) in lines.iter().enumerate() {
        let found = words(line).filter_map(|(word, after)| forbidden(place, word, after));
        findings.extend(found.map(|why| format!("{}: {why}", number + 1)));
        if line.contains("#[ignore") {
            findings.push(format!("{}: an ignored test proves nothing", number + 1));
        }
    }
    for (number, line) in text.lines().enumerate() {
        if ["//! ```ignore", "/// ```ignore"].contains(&line.trim_start()) {
            findings.push(format!("{}: an ignored example proves nothing", number + 1));
        }
    }
    if place.library {
        findings.extend(uninlined(place, &lines));
        findings.extend(lanes::findings(text));
    }
    findings
}

/// Why a word, with what follows it, must not be here.
fn forbidden(place: &Place<'_>, word: &str, after: &str) -> Option<String> {
    match word {
        _ if UNFINISHED.contains(&word) && after.starts_with('!') => {
            Some(format!("{word}! is unfinished work"))
        }
        "unsafe" if place.library && place.path != Path::new(UNSAFE) => {
            Some("libraries are safe".to_owned())
        }
        "mul_add" if place.library => {
            Some("mul_add rounds differently from machine to machine".to_owned())
        }
        "intersects" if place.library => Some("the word is overlaps".to_owned()),
        _ => None,
    }
}

/// Functions over lanes that are not always inlined: they would lose the backend's instructions.
///
/// Those are all that name `Lanes` in their signature, and all in folders of lanes and kernels.
fn uninlined(place: &Place<'_>, lines: &[String]) -> Vec<String> {
    let folder = place.path.parent().and_then(Path::file_name);
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
            .any(|line| line == "#[inline(always)]");
        if (kernels || signature.contains(": Lanes")) && !inlined {
            let name = name.split(['(', '<']).next().unwrap_or_default();
            findings.push(format!("{}: {name} is not #[inline(always)]", number + 1));
        }
    }
    findings
}

/// Whether only visibility and the like stand before `fn`.
fn starts_function(before: &str) -> bool {
    before.split_whitespace().all(|word| word.starts_with("pub") || word == "const")
}

/// From `fn` to its body; nothing if it has none.
fn signature(lines: &[String]) -> Option<String> {
    let mut signature = String::new();
    for line in lines {
        // An array type has a semicolon too.
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

/// A line without comment and without what is in strings.
fn code(line: &str) -> String {
    let mut code = String::new();
    let mut characters = line.chars().peekable();
    let mut quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '\\' if quoted => {
                characters.next();
            }
            // Not the character '"'.
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

/// The words of a line, each with what follows it.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    line.split(move |c| !part(c)).filter(|word| !word.is_empty()).map(move |word| {
        let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
        (word, &line[end..])
    })
}

#[cfg(test)]
mod tests {
    use super::{Place, UNSAFE, code, findings};
    use std::path::Path;

    fn library(path: &str, text: &str) -> Vec<String> {
        findings(&Place { path: Path::new(path), library: true }, text)
    }

    #[test]
    fn a_good_file_has_no_findings() {
        let text = "//! Good.\n\nfn overlaps() {} // unsafe, todo!() and mul_add are only words\n";
        assert!(library("a/src/b.rs", text).is_empty());
    }

    #[test]
    fn each_bad_file_is_found() {
        let cases = [
            ("use x;\n", "the first line does not say what the file is for"),
            ("//! A.\nfn f() { unsafe { g() } }\n", "2: libraries are safe"),
            ("//! A.\nfn f() { todo!() }\n", "2: todo! is unfinished work"),
            ("//! A.\nfn f() { dbg!(1); }\n", "2: dbg! is unfinished work"),
            ("//! A.\n#[test]\n#[ignore]\nfn f() {}\n", "3: an ignored test proves nothing"),
            ("//! A.\n/// ```ignore\nfn f() {}\n", "2: an ignored example proves nothing"),
            ("//! A.\nfn intersects() {}\n", "2: the word is overlaps"),
            (
                "//! A.\nfn f() { a.mul_add(b, c) }\n",
                "2: mul_add rounds differently from machine to machine",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(library("a/src/b.rs", text), [expected]);
        }
        let long = format!("//! A.\n{}", "\n".repeat(500));
        assert_eq!(library("a/src/b.rs", &long), ["501 lines are two rooms"]);
        assert_eq!(library("a/src/utils.rs", "//! A.\n"), ["the name says nothing"]);
    }

    #[test]
    fn one_file_may_do_what_is_not_safe() {
        let text = "//! A.\n#[inline(always)]\nfn f() { unsafe { g() } }\n";
        assert!(findings(&Place { path: Path::new(UNSAFE), library: true }, text).is_empty());
        assert_eq!(library("a/src/gather.rs", text), ["3: libraries are safe"]);
    }

    #[test]
    fn tools_and_tests_may_call_others_words() {
        let place = Place { path: Path::new("a/tests/b.rs"), library: false };
        assert!(findings(&place, "//! A.\nfn f() { tree.intersects(b) }\n").is_empty());
    }

    #[test]
    fn functions_over_lanes_are_always_inlined() {
        let bad = "//! A.\npub fn f<L: Lanes>(\n    lanes: L,\n) -> [i32; 8] {\n}\n";
        assert_eq!(library("a/src/b.rs", bad), ["2: f is not #[inline(always)]"]);
        let good = bad.replace("pub fn", "#[inline(always)]\n#[must_use]\npub fn");
        assert!(library("a/src/b.rs", &good).is_empty());
        let plain = "//! A.\nfn g(x: i32) -> i32 { x }\n";
        assert!(library("a/src/b.rs", plain).is_empty());
        assert_eq!(library("a/src/kernel/b.rs", plain), ["2: g is not #[inline(always)]"]);
        let declared = "//! A.\ntrait T {\n    fn f<L: Lanes>(self, lanes: L) -> [i32; 8];\n}\n";
        assert!(library("a/src/kernel/b.rs", declared).is_empty());
    }

    #[test]
    fn strings_and_comments_are_not_code() {
        assert_eq!(code("f(\"a // b\", '\"', 'x') // c"), "f(\"\", '\"', 'x') ");
        assert_eq!(code("f(\"a \\\" dbg!\")"), "f(\"\")");
    }
}
