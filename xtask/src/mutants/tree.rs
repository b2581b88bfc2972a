//! A copy of the workspace with all mutants in its source, and its test programs.
//!
//! 1. Copy the files that git lists. Unchanged files keep their time, so cargo compiles only
//!    packages with changes.
//! 2. Insert the mutants as text. No line moves. `::mutants::is(17)` returns whether mutant 17 is
//!    selected; the generated package `mutants` reads the number from [`VARIABLE`].
//! 3. Build the tests, or find the mutants at the places where the compiler reports errors.

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::find::Mutant;
use crate::cargo::Cargo;
use crate::workspace::Workspace;

/// The environment variable with the number of a mutant. With the path of a file, no mutant is
/// selected, and the number of each mutant is written to the file when it is first reached.
pub(super) const VARIABLE: &str = "HEXPHASE_MUTANT";

/// The source of the package `mutants`.
const SOURCE: &str = r#"
use std::{env, fs::File, io::Write, sync::LazyLock, sync::atomic::*};
static SELECTED: AtomicU32 = AtomicU32::new(u32::MAX);
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static VALUE: LazyLock<Result<u32, File>> = LazyLock::new(|| {
    let value = env::var("HEXPHASE_MUTANT").unwrap_or_else(|_| String::from("99999"));
    value.parse().map_err(|_| File::options().append(true).create(true).open(value).unwrap())
});
#[inline(always)]
pub fn is(mutant: u32) -> bool {
    let selected = SELECTED.load(Ordering::Relaxed);
    selected == mutant || selected == u32::MAX && is_first(mutant)
}
#[cold]
fn is_first(mutant: u32) -> bool {
    if REACHED[mutant as usize].load(Ordering::Relaxed) {
        return false;
    }
    match &*VALUE {
        Ok(selected) => SELECTED.store(*selected, Ordering::Relaxed),
        Err(_) if REACHED[mutant as usize].swap(true, Ordering::Relaxed) => {}
        Err(file) => (&mut &*file).write_all(&mutant.to_le_bytes()).unwrap(),
    }
    SELECTED.load(Ordering::Relaxed) == mutant
}
"#;

/// A test program.
pub(super) struct Program {
    /// The folder of its package, relative to the root.
    pub(super) folder: String,
    pub(super) name: String,
    pub(super) path: PathBuf,
}

/// The range of bytes of each mutant, by its number, in a changed source.
type Extents = Vec<(usize, Range<usize>)>;

/// Builds the test programs in the folder `root`, with numbered mutants. Returns the numbers of
/// mutants that do not compile if there are any.
pub(super) fn build(
    workspace: &Workspace,
    root: &Path,
    mutants: &[(usize, &Mutant)],
    arguments: &str,
) -> Result<Result<Vec<Program>, HashSet<usize>>, String> {
    let extents = write(workspace, root, mutants)?;
    let call = Cargo::new("test --no-run --no-fail-fast --all-features --message-format json")
        .with("--target-dir ../build")
        .with(arguments)
        .variable("CARGO_ENCODED_RUSTFLAGS", "--cap-lints=allow");
    let output = call.capture(root).map_err(|why| format!("{call}: {why}"))?;
    let messages = output.text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let messages: Vec<Value> = messages.collect();
    if output.success {
        return Ok(Ok(messages.iter().filter_map(|message| program(message, root)).collect()));
    }
    let errors = messages.iter().map(|message| &message["message"]);
    let errors = errors.filter(|error| error["level"] == "error");
    let found: HashSet<_> = errors.clone().flat_map(|error| culprits(error, &extents)).collect();
    if found.is_empty() {
        let lines = output.text.lines().filter(|line| !line.starts_with('{'));
        let lines: Vec<_> = lines.chain(errors.filter_map(|it| it["rendered"].as_str())).collect();
        return Err(format!("{call}: {}", lines.join("\n")));
    }
    Ok(Err(found))
}

/// Writes all files; returns the places of mutants by file.
fn write(
    workspace: &Workspace,
    root: &Path,
    mutants: &[(usize, &Mutant)],
) -> Result<HashMap<String, Extents>, String> {
    let mut extents = HashMap::new();
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = list.current_dir(&workspace.root).output().map_err(|why| format!("git: {why}"))?;
    for file in String::from_utf8_lossy(&list.stdout).split_terminator('\0') {
        let path = workspace.root.join(file);
        // Deleted files are listed until the deletion is committed.
        let Ok(mut bytes) = fs::read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let here: Vec<_> = mutants.iter().copied().filter(|(_, it)| it.file == file).collect();
        if !here.is_empty() {
            let (text, places) = insert(&text, &here);
            bytes = text.into_bytes();
            extents.insert(file.to_owned(), places);
        } else if workspace.libraries().any(|it| it.folder.join("Cargo.toml") == path) {
            let dependency = "[dependencies]\nmutants = { path = \"../mutants\" }\n";
            bytes = text.replacen("[dependencies]\n", dependency, 1).into_bytes();
        }
        write_changed(&root.join(file), &bytes)?;
    }
    let manifest = b"[package]\nname = \"mutants\"\nedition = \"2024\"\n";
    write_changed(&root.join("mutants/Cargo.toml"), manifest)?;
    write_changed(&root.join("mutants/src/lib.rs"), SOURCE.as_bytes())?;
    Ok(extents)
}

/// Writes a file unless it has these bytes.
fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    let written = path.parent().map_or(Ok(()), fs::create_dir_all);
    written
        .and_then(|()| fs::write(path, bytes))
        .map_err(|why| format!("{}: {why}", path.display()))
}

/// Inserts mutants, of which outer ones come before inner ones; returns the changed source.
fn insert(source: &str, mutants: &[(usize, &Mutant)]) -> (String, Extents) {
    let mut insertions = Vec::new();
    for (order, (_, Mutant { range, .. })) in mutants.iter().enumerate() {
        // At one position, inner ranges end first, then outer ranges begin first.
        insertions.push((range.start, true, Reverse(range.end), order as isize));
        if !range.is_empty() {
            insertions.push((range.end, false, Reverse(range.start), -(order as isize)));
        }
    }
    insertions.sort_unstable();
    let (mut text, mut copied) = (String::new(), 0);
    let mut extents: Extents = mutants.iter().map(|&(number, _)| (number, 0..0)).collect();
    for (position, opens, _, order) in insertions {
        text += &source[copied..position];
        copied = position;
        let (number, mutant) = mutants[order.unsigned_abs()];
        let extent = &mut extents[order.unsigned_abs()].1;
        if opens {
            extent.start = text.len();
            text += &format!("{}{number}{}", mutant.open[0], mutant.open[1]);
        } else {
            text += mutant.close;
        }
        extent.end = text.len();
    }
    (text + &source[copied..], extents)
}

/// Returns the innermost mutant at the place of an error, or else all in the file.
fn culprits(error: &Value, extents: &HashMap<String, Extents>) -> Vec<usize> {
    let spans = error["spans"].as_array().into_iter().flatten();
    let primary = spans.filter(|span| span["is_primary"] == true);
    let found = primary.filter_map(|span| {
        let extents = extents.get(span["file_name"].as_str()?)?;
        let start = span["byte_start"].as_u64()? as usize;
        let around = extents.iter().filter(|(_, extent)| extent.contains(&start));
        let innermost = around.min_by_key(|(_, extent)| extent.len());
        let all = || extents.iter().map(|&(number, _)| number).collect();
        Some(innermost.map_or_else(all, |&(number, _)| vec![number]))
    });
    found.flatten().collect()
}

/// Returns the test program that a message of cargo announces.
fn program(message: &Value, root: &Path) -> Option<Program> {
    let path = message["executable"].as_str().filter(|_| message["profile"]["test"] == true)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.strip_prefix(root).ok()?;
    Some(Program {
        folder: folder.to_str()?.to_owned(),
        name: message["target"]["name"].as_str()?.to_owned(),
        path: path.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::find::find;
    use super::{HashMap, culprits, insert};
    use serde_json::json;

    #[test]
    fn mutants_are_nested_and_errors_belong_to_the_innermost() {
        let source = "fn f() -> bool {\n    if a == 1 {\n    }\n}\n";
        let mutants = find("a/src/b.rs", source).expect("valid");
        let numbered: Vec<_> = (10..).zip(&mutants).collect();
        let (text, extents) = insert(source, &numbered);
        let expected = "fn f() -> bool {if ::mutants::is(10) { return true; } \
            if ::mutants::is(11) { return false; } \n    if (::mutants::is(12) ^ \
            ((if ::mutants::is(13) { a != 1 } else { a == (if ::mutants::is(14) { 2 } \
            else { 1 }) }))) {\n    }\n}\n";
        assert_eq!(text, expected);
        let extents = HashMap::from([("a/src/b.rs".to_owned(), extents)]);
        let at = |part: &str| {
            let start = text.find(part).expect("a part of the text");
            let span =
                json!({ "file_name": "a/src/b.rs", "is_primary": true, "byte_start": start });
            culprits(&json!({ "spans": [span] }), &extents)
        };
        assert_eq!([at("2 }"), at("a !="), at("^")], [[14], [13], [12]]);
        assert_eq!(at("fn"), [10, 11, 12, 13, 14]);
    }
}
