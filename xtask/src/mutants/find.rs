//! Finds the places of a source that a mutant can change.
//!
//! * Input: a Rust source.
//! * Output: [`Mutant`]s, outer expressions before inner ones. The text that a mutant inserts runs
//!   the changed code only if the mutant is selected at run time.
//!
//! Left out are tests, patterns, types, attributes, unsafe blocks, the contents of macros, and code
//! that the compiler evaluates: constants and `const fn`.

use core::fmt;
use core::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    AngleBracketedGenericArguments, Attribute, Block, Expr, ExprConst, ExprRepeat, ExprUnsafe,
    ImplItemConst, ImplItemFn, Item, ItemFn, Lit, Pat, ReturnType, Signature, Stmt, TraitItemConst,
    TraitItemFn, Type,
};

/// Operators and methods; each is replaced by the other one of its pair. Kernels use methods.
const PAIRS: [&str; 28] = [
    "<", "<=", ">", ">=", "==", "!=", "+", "-", "+=", "-=", "&&", "||", "&", "|", "add", "sub",
    "and", "or", "gt", "eq", "gt_f32", "ge_f32", "mask_and", "mask_or", "max", "min", "max_f32",
    "min_f32",
];

/// A change of one expression or statement.
#[derive(Clone, Debug)]
pub(super) struct Mutant {
    /// The path relative to the root of the workspace.
    pub(super) file: String,
    /// Line, column, old and new code.
    change: String,
    /// The bytes of the source between the inserted texts.
    pub(super) range: Range<usize>,
    /// The text before the range, in two parts with the number of the mutant between them.
    pub(super) open: [String; 2],
    /// The text after the range.
    pub(super) close: &'static str,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.change)
    }
}

impl Mutant {
    /// Returns the top folder of the file, which is that of the package.
    pub(super) fn folder(&self) -> &str {
        self.file.split('/').next().unwrap_or_default()
    }
}

/// Returns all mutants of a source.
pub(super) fn find(file: &str, source: &str) -> syn::Result<Vec<Mutant>> {
    let mut finder = Finder { file, source, mutants: Vec::new() };
    finder.visit_file(&syn::parse_file(source)?);
    Ok(finder.mutants)
}

struct Finder<'s> {
    file: &'s str,
    source: &'s str,
    mutants: Vec<Mutant>,
}

impl Finder<'_> {
    /// Returns code on one line.
    fn text(&self, range: Range<usize>) -> String {
        self.source[range].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn add(&mut self, node: &impl Spanned, after: &str, open: [String; 2], close: &'static str) {
        let (start, range) = (node.span().start(), node.span().byte_range());
        let before = self.text(range.clone());
        let change = format!("{}:{}: {before} -> {after}", start.line, start.column + 1);
        self.mutants.push(Mutant { file: self.file.into(), change, range, open, close });
    }

    /// Adds a mutant that replaces `part` of an expression.
    fn replace(&mut self, whole: &Expr, part: &impl Spanned, with: &str) {
        let (range, part) = (whole.span().byte_range(), part.span().byte_range());
        let mut after = self.source[range.clone()].to_owned();
        after.replace_range(part.start - range.start..part.end - range.start, with);
        // A comment would end the line of the inserted code.
        if !after.contains("//") {
            let after = after.split_whitespace().collect::<Vec<_>>().join(" ");
            let open = ["(if ::mutants::is(".into(), format!(") {{ {after} }} else {{ ")];
            self.add(whole, &after, open, " })");
        }
    }

    /// Visits a function, and adds mutants that return a constant if it returns `bool`.
    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if signature.constness.is_some() || is_test(attributes) {
            return;
        }
        if let ReturnType::Type(_, output) = &signature.output
            && matches!(&**output, Type::Path(path) if path.path.is_ident("bool"))
        {
            let inside = block.brace_token.span.open().byte_range().end;
            let body = self.text(block.span().byte_range());
            for value in ["true", "false"].into_iter().filter(|it| body != format!("{{ {it} }}")) {
                let open = ["if ::mutants::is(".into(), format!(") {{ return {value}; }} ")];
                self.add(&signature.ident, &format!("return {value}"), open, "");
                self.mutants.last_mut().expect("just added").range = inside..inside;
            }
        }
        self.visit_block(block);
    }
}

fn partner(text: &str) -> Option<&'static str> {
    let at = PAIRS.iter().position(|&one| one == text)?;
    Some(PAIRS[at ^ 1])
}

/// Returns whether an expression is a chain of conditions with `let`.
fn has_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// Returns whether a chain of calls and fields begins with `self`.
fn is_of_self(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => is_of_self(&call.receiver),
        Expr::Field(field) => is_of_self(&field.base),
        Expr::Index(index) => is_of_self(&index.expr),
        Expr::Path(path) => path.path.is_ident("self"),
        _ => false,
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.parse_args::<syn::Path>().is_ok_and(|flag| flag.is_ident("test"))
    })
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'a AngleBracketedGenericArguments) {}
    fn visit_attribute(&mut self, _: &'a Attribute) {}
    fn visit_expr_const(&mut self, _: &'a ExprConst) {}
    fn visit_expr_unsafe(&mut self, _: &'a ExprUnsafe) {}
    fn visit_impl_item_const(&mut self, _: &'a ImplItemConst) {}
    fn visit_pat(&mut self, _: &'a Pat) {}
    fn visit_trait_item_const(&mut self, _: &'a TraitItemConst) {}
    fn visit_type(&mut self, _: &'a Type) {}

    fn visit_expr(&mut self, whole: &'a Expr) {
        match whole {
            Expr::Binary(binary) if !has_let(whole) => {
                if let Some(with) = partner(&self.text(binary.op.span().byte_range())) {
                    self.replace(whole, &binary.op, with);
                }
            }
            Expr::If(branch) if !has_let(&branch.cond) => {
                let after = format!("!({})", self.text(branch.cond.span().byte_range()));
                self.add(&branch.cond, &after, ["(::mutants::is(".into(), ") ^ (".into()], "))");
            }
            Expr::Lit(literal) => {
                if let Lit::Int(number) = &literal.lit
                    && let Ok(value) = number.base10_parse::<u64>()
                {
                    let next = format!("{}{}", u128::from(value) + 1, number.suffix());
                    self.replace(whole, whole, &next);
                }
            }
            Expr::MethodCall(call) => {
                if let Some(with) = partner(&call.method.to_string()) {
                    self.replace(whole, &call.method, with);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, whole);
    }

    fn visit_expr_repeat(&mut self, repeat: &'a ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
        self.function(&method.attrs, &method.sig, &method.block);
    }

    fn visit_item(&mut self, item: &'a Item) {
        match item {
            Item::Const(_) | Item::Enum(_) | Item::Static(_) => {}
            Item::Mod(module) if is_test(&module.attrs) => {}
            _ => visit::visit_item(self, item),
        }
    }

    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.function(&function.attrs, &function.sig, &function.block);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::Expr(whole @ Expr::MethodCall(call), Some(_)) = statement
            && call.attrs.is_empty()
            && is_of_self(whole)
        {
            let open = ["if !::mutants::is(".into(), ") { ".into()];
            self.add(statement, "(removed)", open, " }");
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_trait_item_fn(&mut self, method: &'a TraitItemFn) {
        if let Some(block) = &method.default {
            self.function(&method.attrs, &method.sig, block);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn each_kind_of_change_is_found() {
        let source = "fn f(&self) -> bool {\n    if a < 1u8 && b.max(c) != d {\n        \
                      self.list[i].push(x);\n    }\n    x += y;\n    m | n\n}\n";
        let expected = "1:4: f -> return true
1:4: f -> return false
2:8: a < 1u8 && b.max(c) != d -> !(a < 1u8 && b.max(c) != d)
2:8: a < 1u8 && b.max(c) != d -> a < 1u8 || b.max(c) != d
2:8: a < 1u8 -> a <= 1u8
2:12: 1u8 -> 2u8
2:19: b.max(c) != d -> b.max(c) == d
2:19: b.max(c) -> b.min(c)
3:9: self.list[i].push(x); -> (removed)
5:5: x += y -> x -= y
6:5: m | n -> m & n";
        let mutants = find("a/src/b.rs", source).expect("valid");
        assert!(mutants.iter().map(|mutant| mutant.change.as_str()).eq(expected.lines()));
        assert_eq!(
            (&*mutants[0].to_string(), mutants[0].folder()),
            ("a/src/b.rs:1:4: f -> return true", "a")
        );
    }

    #[test]
    fn code_that_cannot_be_changed_at_run_time_is_left_out() {
        for source in [
            "const fn f() -> bool { 1 < 2 } fn g() { if let 1 = x && let 2..3 = y {} h!(1) }",
            "const A: u8 = 1; static B: u8 = 1 + 1; enum C { D = 1 } impl A { const B: u8 = 1; }",
            "#[cfg(test)] mod tests { fn f() { 1 } } #[test] fn f() { 1 }",
            "fn f() { let _: [u8; 1]; [a; 2]; g::<1>(); }",
            "fn f() { unsafe { g(1) } const { 1 } a + // b\n c; other.push(x); 1.0 }",
        ] {
            let mutants = find("a/src/b.rs", source).expect("valid");
            assert!(mutants.is_empty(), "{source}: {mutants:?}");
        }
    }
}
