//! Closures over lanes: where one is called in two places, compilers make a function of it, which has
//! none of the backend's instructions and calls each of them. Kernels took five times as long. Methods
//! can be told to be always inlined, closures cannot.

use proc_macro2::Ident;
use syn::ExprClosure;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// What the variable is called everywhere.
const LANES: &str = "lanes";

pub(super) fn findings(text: &str) -> Vec<String> {
    // What cannot be parsed does not compile either, and compilers say why.
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut search = Search::default();
    search.visit_file(&file);
    search.findings
}

/// Looks at all closures.
#[derive(Default)]
struct Search {
    findings: Vec<String>,
}

impl<'a> Visit<'a> for Search {
    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        let mut mentions = Mentions::default();
        mentions.visit_expr(&closure.body);
        if mentions.lanes {
            let line = closure.span().start().line;
            self.findings.push(format!("{line}: a closure over lanes may lose their instructions"));
        } else {
            visit::visit_expr_closure(self, closure);
        }
    }
}

/// Whether there are lanes in an expression.
#[derive(Default)]
struct Mentions {
    lanes: bool,
}

impl<'a> Visit<'a> for Mentions {
    fn visit_ident(&mut self, ident: &'a Ident) {
        self.lanes |= ident == LANES;
    }
}

#[cfg(test)]
mod tests {
    use super::findings;

    #[test]
    fn a_closure_over_lanes_is_found_wherever_it_is() {
        let line = |line| [format!("{line}: a closure over lanes may lose their instructions")];
        for body in ["lanes.splat(x)", "{ let y = x; y + f(lanes, 1) }", "g(|y| lanes.add(x, y))"] {
            let text = format!("fn f(x: X) {{\n    x.map(|x| {body});\n}}\n");
            assert_eq!(findings(&text), line(2), "{text}");
        }
        let inner = "impl A for B {\n  fn f(self) {\n    g(|| {\n      h(move |x| lanes.one(x))\n    });\n  }\n}\n";
        assert_eq!(findings(inner), line(3));
    }

    #[test]
    fn lanes_outside_of_closures_and_closures_without_lanes_are_not() {
        let text =
            "fn f() { for x in y { lanes.splat(x); } y.map(|x| x + 1); g(lanes, |lane| lane) }";
        assert!(findings(text).is_empty());
        assert!(findings("this is no source").is_empty());
    }
}
