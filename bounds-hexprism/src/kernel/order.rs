//! The order of comparisons: the planes of the first stage.
//!
//! A collection of volumes with `K` axes has `2 K` planes, one for the lower and one for the upper
//! ends of each axis. For every block, the first stage reads some of the planes. Only for blocks in
//! which a volume passed the first stage, the second stage reads the others. The best first stage
//! depends on the volume type:
//!
//! ```text
//!                planes     a    b    c    z
//! Sides<2>        min     [ 1 ][ 1 ]              a box: both ends of two axes
//!                 max     [ 1 ][ 1 ]
//! Up<3>           min                             a prism: the query's up triangle
//!                 max     [ 1 ][ 1 ][ 1 ]         against the volumes' down triangles
//! Down<3>         min     [ 1 ][ 1 ][ 1 ]         a prism: the query's down triangle
//!                 max                             against the volumes' up triangles
//! Up<4>           min                             a split prism: like Up<3>, and z
//!                 max     [ 1 ][ 1 ][ 1 ][ 1 ]
//! ```

/// The choice of planes for the first stage.
pub trait Order: 'static {
    /// Number of axes, from the first on, whose upper ends the first stage reads.
    const UPPER: usize;
    /// Number of axes, from the first on, whose lower ends the first stage reads.
    const LOWER: usize;
}

/// The first stage tests both ends of the first `N` axes.
#[derive(Clone, Copy, Debug)]
pub struct Sides<const N: usize>;

/// The first stage tests the upper ends of the first `N` axes against the query's lower ends.
#[derive(Clone, Copy, Debug)]
pub struct Up<const N: usize>;

/// The first stage tests the lower ends of the first `N` axes against the query's upper ends.
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
