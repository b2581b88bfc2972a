//! Collects the examples of documentation, as a reader sees them.
//!
//! * Input: a Rust source, or a Markdown file.
//! * Output: its code blocks in Rust, without hidden lines. Each is a module of its own, in which
//!   every line has the number and the column that it has in the source: messages of the compiler
//!   then point into the source.
//!
//! 1. Join the doc attributes of adjacent lines to one text. In a Rust source, `syn` finds them,
//!    with the name of the item that they belong to; the items of an `impl` block belong to its
//!    type.
//! 2. Split the text at code fences. A block is an example if its fence has only words of [`BUILT`].
//! 3. Find the sentences "Requires the feature `x`." in the text before the first heading, which
//!    hold for all examples, and in the section of the example.

use core::mem::replace;

use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta, Type};

/// The words after which a sentence names features.
const REQUIRES: &str = "Requires the feature";

/// Words of the fences of blocks that must compile.
const BUILT: [&str; 3] = ["rust", "no_run", "should_panic"];

/// An example of the documentation.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// The name of the item; empty in Markdown and in the documentation of a file.
    pub(super) item: String,
    /// The number of the line with the code fence, counted from 1.
    pub(super) line: usize,
    /// The features that the documentation names.
    pub(super) features: Vec<String>,
    /// The source of a module with a function `example`, which runs the example.
    pub(super) module: String,
}

/// A line of documentation.
struct Line {
    /// The name of the item.
    item: String,
    number: usize,
    /// The number of characters before the text.
    indent: usize,
    text: String,
}

/// Returns the examples of a Markdown file.
pub(super) fn in_markdown(text: &str) -> Vec<Example> {
    let line = |(number, text): (usize, &str)| Line {
        item: String::new(),
        number,
        indent: 0,
        text: text.to_owned(),
    };
    in_text(&(1..).zip(text.lines()).map(line).collect::<Vec<_>>())
}

/// Returns the examples of a Rust source.
///
/// # Errors
/// If the source cannot be parsed.
pub(super) fn in_source(text: &str) -> syn::Result<Vec<Example>> {
    let mut docs = Docs::default();
    docs.visit_file(&syn::parse_file(text)?);
    let texts = docs.lines.chunk_by(|a, b| a.number + 1 == b.number);
    Ok(texts.flat_map(in_text).collect())
}

/// Collects the lines of documentation.
#[derive(Default)]
struct Docs {
    item: String,
    lines: Vec<Line>,
}

impl<'a> Visit<'a> for Docs {
    fn visit_item(&mut self, item: &'a Item) {
        let ident = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Impl(item) => match &*item.self_ty {
                Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
                _ => None,
            },
            Item::Macro(item) => item.ident.as_ref(),
            Item::Mod(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            _ => None,
        };
        let name = ident.map(ToString::to_string).unwrap_or_default();
        let outer = replace(&mut self.item, name);
        visit::visit_item(self, item);
        self.item = outer;
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        let Meta::NameValue(pair) = &attribute.meta else { return };
        let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = &pair.value else { return };
        if pair.path.is_ident("doc") {
            let start = attribute.span().start();
            self.lines.push(Line {
                item: self.item.clone(),
                number: start.line,
                // The text begins after three slashes, or two and an exclamation mark.
                indent: start.column + 3,
                text: text.value(),
            });
        }
    }
}

/// Returns the examples of a text.
fn in_text(lines: &[Line]) -> Vec<Example> {
    // The first section is the intro.
    let mut sections = vec![String::new()];
    let mut examples = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let text = line.text.trim();
        if let Some(words) = text.strip_prefix("```") {
            let block: Vec<_> = rest.by_ref().take_while(|line| !is_fence(line)).collect();
            if words.split([',', ' ']).all(|word| word.is_empty() || BUILT.contains(&word)) {
                examples.push((sections.len() - 1, example(line, &block)));
            }
        } else if text.starts_with('#') {
            sections.push(String::new());
        } else if let Some(prose) = sections.last_mut() {
            *prose += text;
            prose.push(' ');
        }
    }
    let with_features = |(section, example): (usize, Example)| {
        let texts = [&sections[0], &sections[section]];
        let mut features: Vec<_> =
            texts.into_iter().flat_map(|text| named_features(text)).collect();
        features.sort();
        features.dedup();
        Example { features, ..example }
    };
    examples.into_iter().map(with_features).collect()
}

fn is_fence(line: &Line) -> bool {
    line.text.trim_start().starts_with("```")
}

/// Returns the features that a text names.
fn named_features(prose: &str) -> impl Iterator<Item = String> {
    let sentences = prose.split(REQUIRES).skip(1).filter_map(|rest| rest.split('.').next());
    sentences.flat_map(|names| names.split('`').skip(1).step_by(2)).map(str::to_owned)
}

/// Makes an example of the lines of a block. Hidden lines become empty.
fn example(fence: &Line, block: &[&Line]) -> Example {
    let mut code = String::new();
    let mut has_main = false;
    for line in block {
        if let Some(text) = shown(&line.text) {
            has_main |= text.trim_start().starts_with("fn main(");
            code += &" ".repeat(line.indent);
            code += &text;
        }
        code.push('\n');
    }
    let (head, tail) = match has_main {
        true => ("", "pub(super) fn example() { let _ = main(); }"),
        false => (
            "pub(super) fn example() -> ::std::result::Result<(), Box<dyn ::std::error::Error>> {",
            "; Ok(()) }",
        ),
    };
    let before = "\n".repeat(fence.number - 1);
    Example {
        item: fence.item.clone(),
        line: fence.number,
        features: Vec::new(),
        module: format!("{before}{head}\n{code}{tail}\n"),
    }
}

/// Returns a line of an example as rustdoc shows it; `None` if it is hidden.
fn shown(line: &str) -> Option<String> {
    match line.trim_start().strip_prefix('#') {
        Some(rest) if rest.starts_with('#') => Some(line.replacen("##", "#", 1)),
        Some(rest) if rest.trim().is_empty() || rest.starts_with(' ') => None,
        _ => Some(line.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{in_markdown, in_source, shown};

    const SOURCE: &str = "\
//! File.
//!
//! ```
//! a();
//! ```

/// Struct.
///
/// ```
/// # use hidden;
/// use shown;
/// #[derive(Debug)]
/// struct A;
/// ```
///
/// Requires the feature `x`.
pub struct Thing {
    /// ```no_run
    /// fn main() {}
    /// ```
    field: u8,
}

impl<T> Trait for other::Thing<T> {
    /// ```text
    /// no code
    /// ```
    /// ```compile_fail
    /// b();
    /// ```
    /// ```rust
    /// c();
    /// ```
    fn method() {}
}
";

    #[test]
    fn examples_of_a_source_keep_their_lines_and_columns() {
        let examples = in_source(SOURCE).expect("valid");
        let found = examples.iter().map(|one| (&*one.item, one.line, one.features.join("+")));
        let expected = [("", 3, ""), ("Thing", 9, "x"), ("Thing", 18, ""), ("Thing", 31, "")];
        let found: Vec<_> = found.collect();
        assert!(found.iter().map(|(a, b, c)| (*a, *b, &**c)).eq(expected), "{found:?}");
        assert!(in_source("fn").is_err());
        let [file, hidden, main, _] = &examples[..] else { unreachable!() };
        assert!(file.module.contains("pub(super) fn example() -> ::std::result"));
        assert!(file.module.ends_with("    a();\n; Ok(()) }\n"));
        assert!(!hidden.module.contains("hidden"));
        let shown = "\n\n    use shown;\n    #[derive(Debug)]\n    struct A;\n;";
        assert!(hidden.module.contains(shown));
        assert_eq!(hidden.module.lines().nth(10), Some("    use shown;"));
        let main = main.module.trim();
        assert_eq!(main, "fn main() {}\npub(super) fn example() { let _ = main(); }");
    }

    #[test]
    fn lines_are_hidden_as_by_rustdoc() {
        for hidden in ["# x", "  # x", "#"] {
            assert_eq!(shown(hidden), None);
        }
        for (line, expected) in [("## x", "# x"), ("#[x] # y", "#[x] # y"), ("", "")] {
            assert_eq!(shown(line).as_deref(), Some(expected));
        }
    }

    #[test]
    fn features_are_named_by_the_intro_or_the_section() {
        let text = "\
Intro. Requires the feature `a`.
```
one();
```
# Two
Two. Requires the
features `b`, `c` and `d`. Not `e`.
```
// Requires the feature `f`.
```
# Three
```rust
three();
```
";
        let examples = in_markdown(text);
        let found: Vec<_> = examples.iter().map(|one| (one.line, one.features.join("+"))).collect();
        assert_eq!(found, [(2, "a".into()), (8, "a+b+c+d".into()), (12, "a".into())]);
    }
}
