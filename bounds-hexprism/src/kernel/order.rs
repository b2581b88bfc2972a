//! Which comparisons come first: the two stages of a test.
//!
//! A volume of `K` slabs has `2 K` planes, the lower and the upper end of each. The first stage
//! reads some of them for every volume there is; the second reads the rest where the first found
//! something in a block. What a good first stage is depends on the volume:
//!
//! ```text
//!                planes     a    b    c    z
//! Sides<2>        min     [ 1 ][ 1 ]              a box: two slabs whole
//!                 max     [ 1 ][ 1 ]
//! Up<3>           min                             a prism: the query's up triangle
//!                 max     [ 1 ][ 1 ][ 1 ]         against the volumes' down triangles
//! Down<3>         min     [ 1 ][ 1 ][ 1 ]         the other way round
//!                 max
//! Up<4>           min                             a split prism: and one end of z
//!                 max     [ 1 ][ 1 ][ 1 ][ 1 ]
//! ```

/// The planes of the first stage.
pub trait Order: 'static {
    /// On how many of the first axes the volumes' upper ends are read first.
    const UPPER: usize;
    /// On how many of the first axes the volumes' lower ends are read first.
    const LOWER: usize;
}

/// Both ends of the first `N` axes.
#[derive(Clone, Copy, Debug)]
pub struct Sides<const N: usize>;

/// The upper ends of the first `N` axes, against the query's lower ones.
#[derive(Clone, Copy, Debug)]
pub struct Up<const N: usize>;

/// The lower ends of the first `N` axes, against the query's upper ones.
#[derive(Clone, Copy, Debug)]
pub struct Down<const N: usize>;

impl<const N: usize> Order for Sides<N> {
    const UPPER: usize = N;
    const LOWER: usize = N;
}

impl<const N: usize> Order for Up<N> {
    const UPPER: usize = N;
    const LOWER: usize = 0;
}

impl<const N: usize> Order for Down<N> {
    const UPPER: usize = 0;
    const LOWER: usize = N;
}
