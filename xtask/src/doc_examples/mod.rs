//! Builds the examples of the facade's documentation as a reader sees them: without hidden lines,
//! in a program that depends on `hexphase` with its default features.
//!
//! 1. Collect the examples of the facade's sources, guide and READMEs, and of the items of other
//!    crates that have a page in the facade's documentation.
//! 2. Build the library with default features. Compile all examples as one program against it. An
//!    example whose documentation names another feature ("Requires the feature `x`.") is compiled
//!    against the library that the tests use, which has all features.
//! 3. If a program has errors, compile each example alone: errors of one example hide others.
//!
//! The compiler generates code, but links nothing. `cargo check` would not be enough: a `const`
//! assertion of a generic function, such as that for the number of dimensions, is evaluated when
//! code is generated.
//!
//! `rustc` is called directly, with `hexphase` as the only other crate that examples can name.

mod collect;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use syn::visit::Visit;
use syn::{Ident, Item, ItemUse, Visibility};

use crate::cargo::Cargo;
use crate::programs;
use crate::step::Verdict;
use crate::tidy::files;
use crate::verify;
use crate::workspace::Workspace;
use collect::{Example, in_markdown, in_source};

/// The package of the facade, and its folder.
const FACADE: (&str, &str) = ("hexphase", "facade");

/// The READMEs with examples of the facade.
const READMES: [&str; 2] = ["README.md", "facade/README.md"];

/// The folders of crates whose items have pages in the facade's documentation.
const REEXPORTED: [&str; 3] = ["bounds-hexprism/src", "broadphase-core/src", "simd-lanes/src"];

/// The folder of the generated programs.
const FOLDER: &str = "target/doc-examples";

/// An example, with its file relative to the root.
struct Found {
    file: PathBuf,
    example: Example,
}

/// Builds all examples.
pub(crate) fn check(workspace: &Workspace) -> Verdict {
    check_files(workspace, "")
}

/// Builds the examples of the files with `filter` in their paths, and prints the result. Returns
/// whether all build.
pub(crate) fn show(workspace: &Workspace, filter: &str) -> bool {
    let verdict = check_files(workspace, filter);
    match &verdict {
        Ok(summary) => println!("{summary}"),
        Err(findings) => {
            findings.iter().for_each(|finding| println!("{finding}"));
            println!("{} findings", findings.len());
        }
    }
    verdict.is_ok()
}

fn check_files(workspace: &Workspace, filter: &str) -> Verdict {
    let facade = workspace.package(FACADE.0).ok_or_else(|| vec![format!("no {}", FACADE.0)])?;
    let mut examples = collect(&workspace.root)?;
    examples.retain(|found| found.file.to_string_lossy().contains(filter));
    if examples.is_empty() {
        return Err(vec![format!("no examples in files with {filter:?} in their paths")]);
    }
    let unknown = |found: &Found| {
        let mut named = found.example.features.iter();
        named.any(|name| !facade.features.contains(name))
    };
    let mut findings: Vec<String> = examples
        .iter()
        .filter(|found| unknown(found))
        .map(|found| format!("{}: names an unknown feature", found.location()))
        .collect();
    let is_default = |found: &Found| {
        found.example.features.iter().all(|feature| facade.default_features.contains(feature))
    };
    let count = examples.len();
    let (default, other): (Vec<_>, Vec<_>) = examples.into_iter().partition(is_default);
    let call = Cargo::new("build --locked --lib -p").with(FACADE.0);
    for (name, call, examples) in [("default", call, &default), ("all", verify::examples(), &other)]
    {
        if examples.is_empty() {
            continue;
        }
        let library = programs::library(call, FACADE.0, workspace).map_err(|why| vec![why])?;
        let folder = workspace.root.join(FOLDER).join(name);
        findings.extend(errors(&folder, &library, examples).map_err(|why| vec![why])?);
    }
    let summary = format!("{count} examples, {} with other features", other.len());
    if findings.is_empty() { Ok(summary) } else { Err(findings) }
}

impl Found {
    fn location(&self) -> String {
        format!("{}:{}", self.file.display(), self.example.line)
    }

    /// The path of the module in the folder of the program. The compiler's messages begin with it.
    fn path(&self) -> String {
        format!("{}/{}.rs", self.file.display(), self.example.line)
    }
}

/// Collects the examples of the facade, and of the items that it re-exports.
fn collect(root: &Path) -> Result<Vec<Found>, Vec<String>> {
    let folder = root.join(FACADE.1).join("src");
    let mut markdown = files(&folder, "md");
    markdown.extend(READMES.map(|name| root.join(name)));
    let mut found = Vec::new();
    let mut add = |path: &Path, examples: Vec<Example>| {
        let file = path.strip_prefix(root).unwrap_or(path);
        found.extend(examples.into_iter().map(|example| Found { file: file.into(), example }));
    };
    for path in &markdown {
        add(path, in_markdown(&read(path)?));
    }
    for path in files(&folder, "rs") {
        add(&path, parse(&path, in_source)?);
    }
    let names = parse(&folder.join("lib.rs"), reexports)?;
    for path in REEXPORTED.iter().flat_map(|folder| files(&root.join(folder), "rs")) {
        let mut examples = parse(&path, in_source)?;
        examples.retain(|example| names.contains(&example.item));
        add(&path, examples);
    }
    Ok(found)
}

fn read(path: &Path) -> Result<String, Vec<String>> {
    fs::read_to_string(path).map_err(|why| vec![format!("{}: {why}", path.display())])
}

fn parse<T>(path: &Path, parser: impl Fn(&str) -> syn::Result<T>) -> Result<T, Vec<String>> {
    parser(&read(path)?).map_err(|why| vec![format!("{}: {why}", path.display())])
}

/// Returns the names that a library re-exports from other crates, and that get a page in its own
/// documentation: those without `#[doc(no_inline)]` and `#[doc(hidden)]`. Paths are included.
fn reexports(text: &str) -> syn::Result<HashSet<String>> {
    let mut names = Names::default();
    for item in syn::parse_file(text)?.items {
        if let Item::Use(ItemUse { vis: Visibility::Public(_), attrs, tree, .. }) = item
            && !attrs.iter().any(|attribute| attribute.path().is_ident("doc"))
        {
            names.visit_use_tree(&tree);
        }
    }
    Ok(names.0)
}

#[derive(Default)]
struct Names(HashSet<String>);

impl<'a> Visit<'a> for Names {
    fn visit_ident(&mut self, name: &'a Ident) {
        self.0.insert(name.to_string());
    }
}

/// Writes and compiles the examples. Returns the errors, each with the place of its example.
fn errors(folder: &Path, library: &Path, examples: &[Found]) -> Result<Vec<String>, String> {
    // Files of earlier runs are never read, but would be found by a search.
    let _ = fs::remove_dir_all(folder);
    for found in examples {
        let path = folder.join(found.path());
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|why| format!("{}: {why}", parent.display()))?;
        let written = fs::write(&path, &found.example.module);
        written.map_err(|why| format!("{}: {why}", path.display()))?;
    }
    if compile(folder, library, examples)?.is_none() {
        return Ok(Vec::new());
    }
    let mut findings = Vec::new();
    for found in examples {
        if let Some(text) = compile(folder, library, core::slice::from_ref(found))? {
            let text = text.replace(&found.path(), &found.file.display().to_string());
            findings.push(format!("{}: does not build as shown:\n{text}", found.location()));
        }
    }
    Ok(findings)
}

/// Compiles a program that calls the examples. Returns the messages of the compiler if it fails.
fn compile(folder: &Path, library: &Path, examples: &[Found]) -> Result<Option<String>, String> {
    let mut modules = String::new();
    let mut calls = String::new();
    for (number, found) in examples.iter().enumerate() {
        modules += &format!("#[path = {:?}]\nmod example_{number};\n", found.path());
        calls += &format!("    let _ = example_{number}::example();\n");
    }
    let main = folder.join("main.rs");
    fs::write(&main, format!("{modules}\nfn main() {{\n{calls}}}\n"))
        .map_err(|why| format!("{}: {why}", main.display()))?;
    let dependencies = library.parent().unwrap_or(library);
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["main.rs", "--edition=2024", "--emit=obj", "--cap-lints=allow"]);
    rustc.arg("--extern").arg(format!("{}={}", FACADE.0, library.display()));
    rustc.arg("-L").arg(format!("dependency={}", dependencies.display()));
    let output = rustc.current_dir(folder).output().map_err(|why| format!("rustc: {why}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((!output.status.success()).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::reexports;

    #[test]
    fn inlined_reexports_have_pages() {
        let text = "\
pub use lower::{self as module, Inlined, deep::{Deep, Original as Renamed}};
#[cfg(feature = \"x\")]
pub use lower::Conditional;
#[doc(no_inline)]
pub use lower::Linked;
#[doc(hidden)]
pub use lower::Hidden;
use lower::Private;
pub(crate) use lower::Internal;
";
        let names = reexports(text).expect("valid");
        let pages = ["Conditional", "Deep", "Inlined", "Original"];
        assert!(pages.iter().all(|name| names.contains(*name)), "{names:?}");
        let others = ["Linked", "Hidden", "Private", "Internal"];
        assert!(!others.iter().any(|name| names.contains(*name)), "{names:?}");
    }
}
