//! The trees of `packed_spatial_index`. They are static: its documentation recommends to rebuild a
//! tree if objects move.
//!
//! Each tree is built from all boxes in the order of keys and joined with itself. The build can run
//! on several threads, the join runs on one. `Index2D` with nodes of 16 items, the default, is
//! fastest: with `SimdIndex2D` both steps take 60 % longer, with nodes of 8 items 3 % longer
//! (500,000 discs).

use core::ops::ControlFlow;

use broadphase_core::Pair;
use packed_spatial_index::{Box2D, Box3D, Index2D, Index2DBuilder, Index3D, Index3DBuilder};

use super::{Boxes, World};

/// Defines the tree for one dimension.
macro_rules! packed {
    (
        $name:ident, $tree:ident, $builder:ident, $box:ident, $dimensions:literal,
        $($axis:literal),+
    ) => {
        /// A tree that is rebuilt for each search.
        #[derive(Debug)]
        pub struct $name(Boxes<$dimensions>);

        impl $name {
            /// Creates the world. The tree is built in each search.
            pub fn new(boxes: &Boxes<$dimensions>) -> Self {
                Self(boxes.clone())
            }

            /// Builds a tree; if `parallel` is set, on the threads of the current pool.
            pub fn tree(boxes: &Boxes<$dimensions>, parallel: bool) -> $tree {
                let mut builder = $builder::new(boxes.bounds.len()).parallel(parallel);
                for bounds in &boxes.bounds {
                    let [low, high] = [bounds.min, bounds.max].map(|at| at.map(f64::from));
                    builder.add($box::new($(low[$axis],)+ $(high[$axis]),+));
                }
                builder.finish().expect("all boxes were added")
            }

            /// Builds a tree on one thread and writes every overlapping pair.
            pub fn find_pairs(boxes: &Boxes<$dimensions>, out: &mut Vec<Pair>) {
                Self::find(&Self::tree(boxes, false), out);
            }

            /// Builds a tree on the threads of the current pool and writes every overlapping pair.
            pub fn par_find_pairs(boxes: &Boxes<$dimensions>, out: &mut Vec<Pair>) {
                Self::find(&Self::tree(boxes, true), out);
            }

            fn find(tree: &$tree, out: &mut Vec<Pair>) {
                out.clear();
                let _ = tree.pairs_each(|a, b| {
                    out.push([a as u32, b as u32]);
                    ControlFlow::<()>::Continue(())
                });
            }
        }

        impl World<$dimensions> for $name {
            fn advance(&mut self) {
                self.0.advance();
            }

            fn collect(&mut self, out: &mut Vec<Pair>) {
                Self::find_pairs(&self.0, out);
            }
        }
    };
}

packed!(Packed2, Index2D, Index2DBuilder, Box2D, 2, 0, 1);
packed!(Packed3, Index3D, Index3DBuilder, Box3D, 3, 0, 1, 2);
