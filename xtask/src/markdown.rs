//! Extracts links and commands from Markdown.

/// Returns the targets of inline links and images outside code.
pub(crate) fn links(text: &str) -> Vec<&str> {
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
    use super::{commands, links};

    const TEXT: &str = "
See [the map](MAP.md), ![a picture](images/a.png \"title\") and `[not](this)`.
Run `cargo xtask verify` or `hexphase pairs`.

```sh
$ cargo run --release -- pairs discs:10000 | head
cargo xtask bench hash
```
```rust
let [not](a: link);
cargo no
```
";

    #[test]
    fn links_are_found_outside_code() {
        assert_eq!(links(TEXT), ["MAP.md", "images/a.png"]);
    }

    #[test]
    fn commands_are_found_in_code() {
        assert_eq!(
            commands(TEXT, "cargo"),
            [
                "cargo xtask verify",
                "cargo run --release -- pairs discs:10000 | head",
                "cargo xtask bench hash"
            ]
        );
        assert_eq!(commands(TEXT, "hexphase"), ["hexphase pairs"]);
    }
}
