//! The bounding volume hierarchies of parry2d and parry3d, one library compiled for two dimensions
//! and for three.
//!
//! Each tick updates the leaves and refits the inner nodes. Rebuilding the tree each tick, with
//! either build strategy, takes two to five times as long on every scene.

use core::fmt;

use broadphase_core::Pair;

use super::{Boxes, World};

/// Number of ticks between incremental optimizations with a full refit.
const TICKS_PER_OPTIMIZATION: u32 = 8;

/// Defines the world for one dimension.
macro_rules! parry {
    ($name:ident, $parry:ident, $dimensions:literal) => {
        /// A tree that is refitted each tick, and optimized every few ticks.
        pub struct $name {
            boxes: Boxes<$dimensions>,
            ticks: u32,
            optimizes: bool,
            tree: $parry::partitioning::Bvh,
            workspace: $parry::partitioning::BvhWorkspace,
        }

        impl $name {
            /// Builds the tree.
            pub fn new(boxes: &Boxes<$dimensions>) -> Self {
                let leaves = boxes.bounds.iter().map(|bounds| $parry::bounding_volume::Aabb {
                    mins: bounds.min.into(),
                    maxs: bounds.max.into(),
                });
                let strategy = $parry::partitioning::BvhBuildStrategy::Binned;
                Self {
                    boxes: boxes.clone(),
                    ticks: 0,
                    optimizes: true,
                    tree: $parry::partitioning::Bvh::from_iter(strategy, leaves.enumerate()),
                    workspace: $parry::partitioning::BvhWorkspace::default(),
                }
            }

            /// Keeps the first structure of the tree, which is only refitted.
            pub fn only_refitted(self) -> Self {
                Self { optimizes: false, ..self }
            }

            /// Writes every overlapping pair of an object of this tree and one of `other`.
            pub fn collect_with(&self, other: &Self, out: &mut Vec<[u32; 2]>) {
                out.clear();
                let both = self.tree.leaf_pairs(&other.tree, |a, b| a.intersects(b));
                out.extend(both.map(|(a, b)| [a, b]));
            }

            /// Moves the objects and their leaves. Inner nodes are stale afterwards.
            fn advance_leaves(&mut self) {
                let Boxes { bounds, velocities, motion } = &mut self.boxes;
                let tick = motion.tick();
                for (key, (bounds, velocity)) in (0..).zip(bounds.iter_mut().zip(velocities)) {
                    tick.advance(velocity, bounds);
                    let (mins, maxs) = (bounds.min.into(), bounds.max.into());
                    let leaf = $parry::bounding_volume::Aabb { mins, maxs };
                    self.tree.insert_or_update_partially(leaf, key, 0.0);
                }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("tree", &self.tree).finish_non_exhaustive()
            }
        }

        impl World<$dimensions> for $name {
            fn advance(&mut self) {
                self.ticks += 1;
                if self.optimizes && self.ticks.is_multiple_of(TICKS_PER_OPTIMIZATION) {
                    self.tree.optimize_incremental(&mut self.workspace);
                    self.advance_leaves();
                    self.tree.refit(&mut self.workspace);
                } else {
                    self.advance_leaves();
                    self.tree.refit_without_opt();
                }
            }

            fn collect(&mut self, out: &mut Vec<Pair>) {
                out.clear();
                let mut found = |a, b| out.push([a, b]);
                self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut found);
            }
        }
    };
}

parry!(Parry2, parry2d, 2);
parry!(Parry3, parry3d, 3);
