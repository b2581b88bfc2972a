//! Finds functions over lanes that the compiler might not inline. A function that is not inlined is
//! compiled without the backend's instruction set, and calls every intrinsic as a function.
//!
//! A closure used in two places is not inlined; kernels with such a closure took five times as
//! long. Methods can be marked `#[inline(always)]`, closures cannot.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, ExprClosure, ImplItem, ItemImpl};

/// The conventional name of variables whose type implements `Lanes`.
const VARIABLE: &str = "lanes";
/// The trait bound of the type of such a variable.
const BOUND: &str = "Lanes";

pub(super) fn findings(text: &str) -> Vec<String> {
    // The compiler reports sources that cannot be parsed.
    let Ok(file) = syn::parse_file(text) else { return Vec::new() };
    let mut search = Search::default();
    search.visit_file(&file);
    search.findings
}

/// Visits all closures, and the methods of `impl` blocks with the bound `Lanes`.
#[derive(Default)]
struct Search {
    findings: Vec<String>,
}

impl<'a> Visit<'a> for Search {
    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        let mut mention = Mention { name: VARIABLE, found: false };
        mention.visit_expr(&closure.body);
        if mention.found {
            let line = closure.span().start().line;
            self.findings.push(format!("{line}: a closure over lanes may not be inlined"));
        } else {
            visit::visit_expr_closure(self, closure);
        }
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let mut mention = Mention { name: BOUND, found: false };
        mention.visit_generics(&item.generics);
        let methods = item.items.iter().filter_map(|item| match item {
            ImplItem::Fn(method) if mention.found => Some(method),
            _ => None,
        });
        for method in methods.filter(|method| !method.attrs.iter().any(always_inlined)) {
            let name = &method.sig.ident;
            let line = name.span().start().line;
            self.findings.push(format!("{line}: {name} is not #[inline(always)]"));
        }
        visit::visit_item_impl(self, item);
    }
}

/// Returns whether an attribute is `#[inline(always)]`.
fn always_inlined(attribute: &Attribute) -> bool {
    attribute.path().is_ident("inline")
        && attribute.parse_args::<Ident>().is_ok_and(|how| how == "always")
}

/// Visitor that searches for an identifier.
struct Mention {
    name: &'static str,
    found: bool,
}

impl<'a> Visit<'a> for Mention {
    fn visit_ident(&mut self, ident: &'a Ident) {
        self.found |= ident == self.name;
    }
}

#[cfg(test)]
mod tests {
    use super::findings;

    #[test]
    fn closures_over_lanes_are_found() {
        let line = |line| [format!("{line}: a closure over lanes may not be inlined")];
        for body in ["lanes.splat(x)", "{ let y = x; y + f(lanes, 1) }", "g(|y| lanes.add(x, y))"] {
            let text = format!("fn f(x: X) {{\n    x.map(|x| {body});\n}}\n");
            assert_eq!(findings(&text), line(2), "{text}");
        }
        let inner = "impl A {\n  fn f(self) {\n    g(|| {\n      h(move |x| lanes.one(x))\n    });\n  }\n}\n";
        assert_eq!(findings(inner), line(3));
    }

    #[test]
    fn lanes_outside_closures_and_closures_without_lanes_are_accepted() {
        let text =
            "fn f() { for x in y { lanes.splat(x); } y.map(|x| x + 1); g(lanes, |lane| lane) }";
        assert!(findings(text).is_empty());
        assert!(findings("this is no source").is_empty());
    }

    #[test]
    fn methods_of_impls_over_lanes_must_be_inlined() {
        let bad =
            "impl<L: Lanes> A<L> for B {\n    fn f(self) {}\n    #[inline]\n    fn g() {}\n}\n";
        let why = |line, name| format!("{line}: {name} is not #[inline(always)]");
        assert_eq!(findings(bad), [why(2, "f"), why(4, "g")]);
        let bounded = "impl<L> A<L> for B where L: Lanes {\n    fn f(self) {}\n}\n";
        assert_eq!(findings(bounded), [why(2, "f")]);
        assert!(
            findings(&bad.replace("#[inline]", "").replace("fn", "#[inline(always)] fn"))
                .is_empty()
        );
        assert!(findings(&bad.replace("L: Lanes", "L: Other")).is_empty());
    }
}
