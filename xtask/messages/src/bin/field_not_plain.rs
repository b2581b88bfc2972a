//! A field of a declared type that is not `Plain`.
//~ `usize` cannot be stored in a snapshot
//~ `usize` and `isize` differ between machines: use `u32`, `u64`, `i32` or `i64`
hexphase::plain! {
    #[derive(Clone, Copy)]
    struct Ship {
        index: usize,
    }
}

fn main() {}
