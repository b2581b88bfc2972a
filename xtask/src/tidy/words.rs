//! Words and phrases that make comments and documentation hard to understand.
//!
//! Input: a Rust source or a Markdown file. Output: `line: "phrase": reason` for each finding.
//!
//! 1. Collect the prose. In Rust it is the text of lines that are comments; in Markdown it is the
//!    whole text. In both, code fences are left out.
//! 2. Join adjacent lines to paragraphs, so that a phrase is found across a line break.
//! 3. Leave out inline code, and compare the words with [`PHRASES`].

/// Phrases in lower case, and the reason against each.
const PHRASES: [(&[&str], &str); 12] = [
    (&["who", "whom"], "code and objects are not persons: repeat the noun, or \"its\""),
    (&["nobody", "somebody"], "code and objects are not persons: name the caller, or use passive"),
    (&["so many", "so much", "so few"], "state the quantity, its unit and its effect"),
    (&["to be had"], "an idiom: \"available\", \"allocated\""),
    (&["anew"], "an idiom: \"again\", \"rebuild\""),
    (&["what is more"], "an idiom: \"also\""),
    (&["once and for all"], "an idiom: \"once\", \"permanently\""),
    (&["is told", "are told"], "code does not talk: \"is set to\", \"receives\""),
    (
        &["is asked", "are asked", "asks for"],
        "code does not talk: \"query\", \"request\", \"require\"",
    ),
    (
        &["knows nothing", "says nothing"],
        "state the positive condition: \"independent of\", \"empty\"",
    ),
    (&["at the door"], "an idiom: \"on entry\", \"before the first change\""),
    (
        &["take back", "takes back", "hand out", "hands out"],
        "an idiom: \"restore\", \"undo\", \"return\", \"yield\"",
    ),
];

/// Words that must not begin a doc comment.
const FIRST_WORDS: [&str; 2] = ["What", "Who"];

/// Returns the findings in the comments of a Rust source.
pub(super) fn in_source(text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let lines: Vec<_> = (1..).zip(text.lines().map(comment)).collect();
    // A block of comments has one kind of slashes.
    for block in lines.chunk_by(|a, b| a.1.map(|one| one.0) == b.1.map(|one| one.0)) {
        let Some((slashes, first)) = block[0].1 else { continue };
        let prose: Vec<_> =
            block.iter().filter_map(|&(line, found)| Some((line, found?.1))).collect();
        let word = first.split_whitespace().next().unwrap_or_default();
        if slashes != "//" && FIRST_WORDS.contains(&word) {
            let reason = "begin with a verb (functions) or a noun (the rest)";
            findings.push(finding(block[0].0, word, reason));
        }
        for paragraph in paragraphs(&prose) {
            let (line, first) = paragraph[0];
            if slashes != "//" && first.trim().eq_ignore_ascii_case("the same.") {
                findings.push(finding(line, first.trim(), "write the whole sentence"));
            }
            findings.extend(in_paragraph(&paragraph));
        }
    }
    findings
}

/// Returns the findings in the prose of a Markdown file.
pub(super) fn in_markdown(text: &str) -> Vec<String> {
    let lines: Vec<_> = (1..).zip(text.lines()).collect();
    paragraphs(&lines).iter().flat_map(|paragraph| in_paragraph(paragraph)).collect()
}

/// Returns the slashes and the text of a line that is a comment.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let slashes = ["///", "//!", "//"].into_iter().find(|slashes| line.starts_with(slashes))?;
    Some(line.split_at(slashes.len()))
}

fn finding(line: usize, phrase: &str, reason: &str) -> String {
    format!("{line}: \"{phrase}\": {reason}")
}

/// A line of text with its number, counted from 1.
type Line<'a> = (usize, &'a str);

/// Splits lines into paragraphs at blank lines. Leaves out code fences and their content.
fn paragraphs<'a>(lines: &[Line<'a>]) -> Vec<Vec<Line<'a>>> {
    let mut paragraphs = vec![Vec::new()];
    let mut fenced = false;
    for &(line, text) in lines {
        let fence = text.trim_start().starts_with("```");
        fenced ^= fence;
        if fence || text.trim().is_empty() {
            paragraphs.push(Vec::new());
        } else if !fenced && let Some(paragraph) = paragraphs.last_mut() {
            paragraph.push((line, text));
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// Compares a paragraph with all phrases. The findings have the number of its first line.
fn in_paragraph(paragraph: &[Line<'_>]) -> Vec<String> {
    let lines: Vec<&str> = paragraph.iter().map(|&(_, text)| text).collect();
    // Split at backquotes: the parts alternate between prose and inline code.
    let joined = lines.join(" ").to_lowercase();
    let prose: Vec<&str> = joined.split('`').step_by(2).collect();
    // Between words is one space, and around other characters, too.
    let mut text = String::from(" ");
    for c in prose.join(" ; ").chars() {
        match c {
            _ if c.is_alphanumeric() => text.push(c),
            _ if c.is_whitespace() && text.ends_with(' ') => {}
            _ if c.is_whitespace() => text.push(' '),
            _ => text.extend([' ', c, ' '].into_iter().skip(text.ends_with(' ').into())),
        }
    }
    text.push(' ');
    let found = |phrase: &str| text.contains(&format!(" {phrase} "));
    let line = paragraph[0].0;
    let mut findings = Vec::new();
    for (phrases, reason) in PHRASES {
        let found = phrases.iter().filter(|phrase| found(phrase));
        findings.extend(found.map(|phrase| finding(line, phrase, reason)));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{PHRASES, in_markdown, in_source};

    /// Asserts that a source has exactly these findings, without their reasons.
    #[track_caller]
    fn finds(text: &str, expected: &[&str]) {
        let findings = in_source(text);
        let found = findings.iter().filter_map(|finding| finding.rsplit_once("\": "));
        let found: Vec<_> = found.map(|(found, _)| format!("{found}\"")).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_phrase_is_found_in_every_kind_of_comment() {
        for phrase in PHRASES.iter().flat_map(|(phrases, _)| *phrases) {
            for start in ["//!", "///", "//", "  //"] {
                let expected = format!("1: \"{phrase}\"");
                finds(&format!("{start} Cells, {}.\n", phrase.to_uppercase()), &[&expected]);
            }
        }
        let expected = ["1: \"anew\": an idiom: \"again\", \"rebuild\""];
        assert_eq!(in_source("// Sorts anew.\n"), expected);
    }

    #[test]
    fn phrases_are_whole_words_of_one_paragraph_outside_code() {
        finds("// The whole renewal, whoever: not so manyfold, for goods.\n", &[]);
        finds("// Cells for reasons; so, many; is-told; so `x` many.\n", &[]);
        finds("// Cells (whose rows) move anew: \"who\".\n", &["1: \"who\"", "1: \"anew\""]);
        let broken = "fn f() {\n    // From so\n    //   many on, once\n    // and for all.\n}\n";
        finds(broken, &["2: \"so many\"", "2: \"once and for all\""]);
        for apart in ["/// so\n///\n/// many\n", "// so\n\n// many\n", "/// so\n// many\n"] {
            finds(apart, &[]);
        }
        finds("fn nobody(who: Whose) { f(\"// who\"); }\n", &[]);
        finds("/// ```\n/// let x = anew(); // anew\n/// ```\n/// `who`, `so\n/// many`\n", &[]);
        let text =
            "# So many\n\nCells are\ntold. | so | many |\n\n```rust\n// who\n```\n`who`\nwhom\n";
        let found = in_markdown(text);
        let starts = ["1: \"so many\": ", "3: \"are told\": ", "9: \"whom\": "];
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().zip(starts).all(|(f, start)| f.starts_with(start)), "{found:?}");
    }

    #[test]
    fn docs_begin_with_a_noun_or_a_verb() {
        finds("//! What is here.\n", &["1: \"What\""]);
        finds("\n/// What it returns, and\n/// what not.\nfn g() {}\n", &["2: \"What\""]);
        finds("/// Rows.\n/// What is here.\n\n// What is here.\n/// Whatever.\n", &[]);
        finds("/// Returns rows.\n///\n/// the same.\n", &["3: \"the same.\""]);
        finds("/// Both are always\n/// the same.\n\n// The same.\n", &[]);
    }
}
