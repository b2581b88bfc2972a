//! Finds functions over lanes that the compiler might not inline. A function that is not inlined is
//! compiled without the backend's instruction set, and calls every intrinsic as a function.
//!
//! Functions over lanes are all functions with the bound `Lanes`, also that of their `impl` block,
//! and all functions in the folders `lanes` and `kernel`, except tests. A closure used in two places
//! is not inlined; kernels with such a closure took five times as long. Methods can be marked
//! `#[inline(always)]`, closures cannot.

use std::path::Path;

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, ExprClosure, File, Generics, ImplItemFn, ItemFn, ItemImpl, Signature, TraitItemFn,
};

/// The conventional name of variables whose type implements `Lanes`.
const VARIABLE: &str = "lanes";
/// The trait bound of the type of such a variable.
const BOUND: &str = "Lanes";

pub(super) fn findings(path: &Path, file: &File) -> Vec<String> {
    let folder = path.parent().and_then(Path::file_name);
    let over_lanes = folder.is_some_and(|folder| folder == "lanes" || folder == "kernel");
    let mut search = Search { findings: Vec::new(), over_lanes };
    search.visit_file(file);
    search.findings
}

struct Search {
    findings: Vec<String>,
    /// Whether all functions here are over lanes.
    over_lanes: bool,
}

impl Search {
    fn function(&mut self, attributes: &[Attribute], signature: &Signature) {
        let is_exempt = |attribute: &Attribute| {
            attribute.path().is_ident("test")
                || attribute.path().is_ident("inline")
                    && attribute.parse_args::<Ident>().is_ok_and(|how| how == "always")
        };
        let over_lanes = self.over_lanes || has_bound(&signature.generics);
        if over_lanes && !attributes.iter().any(is_exempt) {
            let name = &signature.ident;
            let line = name.span().start().line;
            self.findings.push(format!("{line}: {name} is not #[inline(always)]"));
        }
    }
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

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.function(&function.attrs, &function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
        self.function(&method.attrs, &method.sig);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'a TraitItemFn) {
        if method.default.is_some() {
            self.function(&method.attrs, &method.sig);
        }
        visit::visit_trait_item_fn(self, method);
    }

    fn visit_item_impl(&mut self, item: &'a ItemImpl) {
        let outside = self.over_lanes;
        self.over_lanes |= has_bound(&item.generics);
        visit::visit_item_impl(self, item);
        self.over_lanes = outside;
    }
}

fn has_bound(generics: &Generics) -> bool {
    let mut mention = Mention { name: BOUND, found: false };
    mention.visit_generics(generics);
    mention.found
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
    use std::path::Path;

    fn findings(path: &str, text: &str) -> Vec<String> {
        super::findings(Path::new(path), &syn::parse_file(text).expect("valid"))
    }

    #[test]
    fn closures_over_lanes_are_found() {
        let line = |line| [format!("{line}: a closure over lanes may not be inlined")];
        for body in ["lanes.splat(x)", "{ let y = x; y + f(lanes, 1) }", "g(|y| lanes.add(x, y))"] {
            let text = format!("fn f(x: X) {{\n    x.map(|x| {body});\n}}\n");
            assert_eq!(findings("a.rs", &text), line(2), "{text}");
        }
        let inner = "impl A {\n  fn f(self) {\n    g(|| {\n      h(move |x| lanes.one(x))\n    });\n  }\n}\n";
        assert_eq!(findings("a.rs", inner), line(3));
        let outside =
            "fn f() { for x in y { lanes.splat(x); } y.map(|x| x + 1); g(lanes, |lane| lane) }";
        assert!(findings("a.rs", outside).is_empty());
    }

    #[test]
    fn functions_over_lanes_must_be_inlined() {
        let one = ["1: f is not #[inline(always)]"];
        for bad in [
            "pub fn f<L: Lanes>(lanes: L) -> [i32; 8] {}",
            "fn f<L>(lanes: L) where L: Lanes {}",
            "impl<L: Lanes> A<L> for B { #[inline] fn f(self) {} }",
            "impl<L> A<L> for B where L: Lanes { fn f(self) {} }",
            "trait T { fn f<L: Lanes>(self, lanes: L) {} }",
        ] {
            assert_eq!(findings("a.rs", bad), one, "{bad}");
            let inlined = bad.replace("#[inline]", "").replace("fn", "#[inline(always)] fn");
            assert!(findings("a.rs", &inlined.replace("pub", "")).is_empty(), "{inlined}");
            assert!(findings("a.rs", &bad.replace("Lanes", "Other")).is_empty(), "{bad}");
        }
        assert!(findings("a.rs", "trait T { fn f<L: Lanes>(self, lanes: L); }").is_empty());
        assert_eq!(findings("kernel/a.rs", "fn f() {}"), one);
        assert!(findings("kernel/a.rs", "#[test]\nfn f() {}").is_empty());
    }
}
