//! Words and phrases that make comments and documentation hard to understand.
//!
//! Input: a Rust source or a Markdown file. Output: `line: "phrase": reason` for each finding.
//!
//! 1. Collect the prose. In Rust it is the text of comments; a small scanner skips string and
//!    character literals, because `//` starts no comment there. In Markdown it is the whole text.
//!    In both, code fences are left out.
//! 2. Join adjacent lines to paragraphs, so that a phrase is found across a line break.
//! 3. Split each paragraph into words, without inline code, and compare them with [`PHRASES`].
//!
//! The cost is linear in the length of the file.

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

/// A phrase that is an idiom only at the end of a clause; "for good reasons" is allowed.
const FINAL_PHRASE: (&str, &str) = ("for good", "an idiom: \"permanently\"");

/// Words that must not begin a doc comment.
const FIRST_WORDS: [&str; 2] = ["what", "who"];

/// Returns the findings in the comments of a Rust source.
pub(super) fn in_source(text: &str) -> Vec<String> {
    let comments = comments(text);
    let mut findings = Vec::new();
    let blocks = comments.chunk_by(|a, b| b.continues && a.kind == b.kind && a.line + 1 == b.line);
    for block in blocks {
        let lines: Vec<_> = block.iter().map(|comment| (comment.line, comment.text)).collect();
        let doc = block[0].kind != Kind::Plain;
        if doc {
            findings.extend(first_word(block[0].line, block[0].text));
        }
        for paragraph in paragraphs(&lines) {
            let (line, first) = paragraph[0];
            if doc && first.trim().eq_ignore_ascii_case("the same.") {
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

fn finding(line: usize, phrase: &str, reason: &str) -> String {
    format!("{line}: \"{phrase}\": {reason}")
}

/// Reports a doc comment that begins with a relative clause.
fn first_word(line: usize, text: &str) -> Option<String> {
    let (word, _) = text.trim_start().split_once(' ')?;
    let relative = FIRST_WORDS.iter().any(|first| word.eq_ignore_ascii_case(first));
    relative.then(|| finding(line, word, "begin with a verb (functions) or a noun (the rest)"))
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

/// A word of a paragraph, in lower case.
struct Word {
    line: usize,
    text: String,
    /// Set if only whitespace is between this word and the previous word.
    joined: bool,
}

/// Compares the words of a paragraph with all phrases.
fn in_paragraph(paragraph: &[Line<'_>]) -> Vec<String> {
    let words = words(paragraph);
    let mut findings = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let rest = &words[index..];
        for (phrases, reason) in PHRASES {
            let found = phrases.iter().filter(|phrase| starts_with(rest, phrase));
            findings.extend(found.map(|phrase| finding(word.line, phrase, reason)));
        }
        let (phrase, reason) = FINAL_PHRASE;
        if starts_with(rest, phrase) && rest.get(2).is_none_or(|next| !next.joined) {
            findings.push(finding(word.line, phrase, reason));
        }
    }
    findings
}

/// Returns whether the words of a phrase come first, with only whitespace between them.
fn starts_with(words: &[Word], phrase: &str) -> bool {
    let mut words = words.iter().enumerate();
    phrase.split(' ').all(|part| {
        words.next().is_some_and(|(index, word)| word.text == part && (index == 0 || word.joined))
    })
}

/// Splits a paragraph into words. Inline code is skipped; it separates words.
fn words(paragraph: &[Line<'_>]) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let (mut inside, mut joined, mut code) = (false, true, false);
    for &(line, text) in paragraph {
        for c in text.chars() {
            code ^= c == '`';
            if !code && c.is_alphanumeric() {
                match words.last_mut().filter(|_| inside) {
                    Some(word) => word.text.extend(c.to_lowercase()),
                    None => words.push(Word { line, text: c.to_lowercase().collect(), joined }),
                }
                (inside, joined) = (true, true);
            } else {
                inside = false;
                joined &= c.is_whitespace();
            }
        }
        inside = false;
    }
    words
}

/// The kinds of line comments. All lines of a block of comments have the same kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Outer,
    Inner,
}

/// A line comment.
struct Comment<'a> {
    kind: Kind,
    /// The text after the slashes.
    text: &'a str,
    line: usize,
    /// Set if there is no code before it on its line. It may then continue the comment above.
    continues: bool,
}

/// Collects the line comments of a source. Block comments are not used in the workspace.
fn comments(text: &str) -> Vec<Comment<'_>> {
    let mut comments = Vec::new();
    let mut rest = text;
    // `line` is the line number at the byte `counted`.
    let (mut line, mut counted) = (1, 0);
    let skip = |rest: &mut &str, bytes: usize| *rest = rest.get(bytes..).unwrap_or_default();
    while let Some(at) = rest.find(['/', '"', '\'']) {
        skip(&mut rest, at);
        let before = &text[..text.len() - rest.len()];
        if rest.starts_with("//") {
            let content = rest.lines().next().unwrap_or_default();
            let (kind, slashes) = match content.as_bytes() {
                [b'/', b'/', b'/', b'/', ..] => (Kind::Plain, 4),
                [b'/', b'/', b'/', ..] => (Kind::Outer, 3),
                [b'/', b'/', b'!', ..] => (Kind::Inner, 3),
                _ => (Kind::Plain, 2),
            };
            line += before[counted..].matches('\n').count();
            counted = before.len();
            let indent = before.rsplit('\n').next().unwrap_or_default();
            comments.push(Comment {
                kind,
                text: &content[slashes..],
                line,
                continues: indent.trim().is_empty(),
            });
            skip(&mut rest, content.len());
        } else if rest.starts_with('"') {
            let length = string_length(before, &rest[1..]);
            skip(&mut rest, 1 + length);
        } else if rest.starts_with('\'') {
            let length = character_length(&rest[1..]);
            skip(&mut rest, 1 + length);
        } else {
            skip(&mut rest, 1);
        }
    }
    comments
}

/// Returns the length of a string literal without its first quote. The arguments are the text
/// before and after the first quote.
fn string_length(before: &str, behind: &str) -> usize {
    let prefix = before.trim_end_matches('#');
    if prefix.ends_with('r') {
        let end = format!("\"{}", "#".repeat(before.len() - prefix.len()));
        return behind.find(&end).map_or(behind.len(), |at| at + end.len());
    }
    let mut escaped = false;
    let end = behind.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or(behind.len(), |at| at + 1)
}

/// Returns the length of a character literal without its first quote; 0 for a lifetime.
fn character_length(behind: &str) -> usize {
    let mut characters = behind.char_indices();
    match characters.next() {
        // The escaped character may be a quote.
        Some((_, '\\')) => behind.get(2..).and_then(|b| b.find('\'')).map_or(0, |at| at + 3),
        Some(_) => match characters.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{FINAL_PHRASE, PHRASES, in_markdown, in_source};

    /// Asserts that a source has exactly these findings, without their reasons.
    #[track_caller]
    fn finds(text: &str, expected: &[&str]) {
        let findings = in_source(text);
        let found: Vec<_> =
            findings.iter().filter_map(|finding| finding.rsplit_once("\": ")).collect();
        let found: Vec<_> = found.iter().map(|(found, _)| format!("{found}\"")).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_phrase_is_found_in_every_kind_of_comment() {
        let all = PHRASES.iter().flat_map(|(phrases, _)| *phrases).chain([&FINAL_PHRASE.0]);
        for phrase in all {
            for start in ["//!", "///", "//", "x(); //", "////"] {
                let expected = format!("1: \"{phrase}\"");
                finds(&format!("{start} Cells, {}.\n", phrase.to_uppercase()), &[&expected]);
            }
        }
    }

    #[test]
    fn findings_have_a_reason() {
        let expected = ["1: \"anew\": an idiom: \"again\", \"rebuild\""];
        assert_eq!(in_source("// Sorts anew.\n"), expected);
    }

    #[test]
    fn phrases_are_whole_words() {
        finds("// The whole renewal, whoever: not so manyfold, for goods.\n", &[]);
        finds("// Cells for good reasons; so, many; is-told; told so `many`.\n", &[]);
        finds(
            "// Cells (whose rows) move for good: \"who\".\n",
            &["1: \"for good\"", "1: \"who\""],
        );
    }

    #[test]
    fn phrases_are_found_across_line_breaks_of_a_block() {
        finds(
            "fn f() {\n    // From so\n    //   many on, once\n    // and for all.\n}\n",
            &["2: \"so many\"", "3: \"once and for all\""],
        );
        finds("f(); // so\n// many\n", &["1: \"so many\""]);
    }

    #[test]
    fn phrases_do_not_cross_paragraphs_blocks_and_kinds() {
        finds("/// so\n///\n/// many\n", &[]);
        finds("// so\n\n// many\n", &[]);
        finds("// so\nf(); // many\n", &[]);
        finds("/// so\n// many\n", &[]);
    }

    #[test]
    fn code_and_strings_are_ignored() {
        finds("fn nobody(who: Whose) { f(\"// who\\\"// who\", '\"', '\\'', 'x'); }\n", &[]);
        finds("fn f<'a>(x: &'a str) { g('/', b'\"', r#\"// \"who\"# , \"who\n// who\"); }\n", &[]);
        finds(
            "/// Sorts.\n/// ```\n/// let x = anew(); // anew\n/// ```\n/// `who`, `so\n/// many`\n",
            &[],
        );
        finds("f(\"a\", r\"\\\", '\\u{7f}'); // who\n", &["1: \"who\""]);
    }

    #[test]
    fn docs_begin_with_a_noun_or_a_verb() {
        finds("//! What is here.\n", &["1: \"What\""]);
        finds(
            "fn f() {}\n\n/// What it returns, and\n/// what not.\nfn g() {}\n",
            &["3: \"What\""],
        );
        finds("/// Rows.\n/// What is here.\n\n// What is here.\n/// Whatever.\n", &[]);
        finds("/// Who is here.\n", &["1: \"Who\"", "1: \"who\""]);
    }

    #[test]
    fn docs_do_not_refer_to_the_doc_before() {
        finds("/// The same.\nfn f() {}\n", &["1: \"The same.\""]);
        finds("/// Returns rows.\n///\n/// the same.\n", &["3: \"the same.\""]);
        finds("/// Both are always\n/// the same.\n\n// The same.\n", &[]);
    }

    #[test]
    fn markdown_is_prose_outside_code() {
        let text =
            "# So many\n\nCells are\ntold. | so | many |\n\n```rust\n// who\n```\n`who`\nwhom\n";
        let found = in_markdown(text);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("1: \"so many\": "), "{found:?}");
        assert!(found[1].starts_with("3: \"are told\": "), "{found:?}");
        assert!(found[2].starts_with("10: \"whom\": "), "{found:?}");
    }
}
