//! A declared type with a type parameter.
//~ `plain!` accepts structs and enums without type parameters, lifetimes and `where`
//~ --> src/bin/plain_with_type_parameters.rs:4:1
hexphase::plain! {
    #[derive(Clone, Copy)]
    struct Pair<T>(T, T);
}

fn main() {}
