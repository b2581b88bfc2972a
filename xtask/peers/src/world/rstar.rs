//! The tree of rstar, rebuilt each tick: the fastest method if all objects move.
//!
//! If there are many pairs, one query per object, in the order of the tree, is slightly faster than
//! a self-join; otherwise it is slower.

use broadphase_core::{Aabb, Pair};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::{Boxes, World};

/// A tree that is rebuilt each tick and then joined with itself.
#[derive(Debug)]
pub struct Rstar<const D: usize> {
    boxes: Boxes<D>,
    tree: Tree<D>,
}

impl<const D: usize> Rstar<D> {
    /// Builds the tree.
    pub fn new(boxes: &Boxes<D>) -> Self {
        Self { boxes: boxes.clone(), tree: tree(&boxes.bounds) }
    }

    /// Writes every overlapping pair of an object of this tree and one of `other`.
    pub fn collect_with(&self, other: &Self, out: &mut Vec<[u32; 2]>) {
        out.clear();
        let both = self.tree.intersection_candidates_with_other_tree(&other.tree);
        out.extend(both.map(|(a, b)| [a.data, b.data]));
    }
}

/// A tree of boxes with keys.
pub type Tree<const D: usize> = RTree<GeomWithData<Rectangle<[f32; D]>, u32>>;

impl<const D: usize> World<D> for Rstar<D> {
    fn advance(&mut self) {
        self.boxes.advance();
        self.tree = tree(&self.boxes.bounds);
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        out.clear();
        // The self-join yields each pair in both orders, and each object with itself.
        let both = self.tree.intersection_candidates_with_other_tree(&self.tree);
        out.extend(both.map(|(a, b)| [a.data, b.data]).filter(|[a, b]| a < b));
    }
}

/// Builds a tree; box `i` has the key `i`.
pub fn tree<const D: usize>(bounds: &[Aabb<f32, D>]) -> Tree<D> {
    let object = |(key, bounds): (u32, &Aabb<f32, D>)| {
        GeomWithData::new(Rectangle::from_corners(bounds.min, bounds.max), key)
    };
    RTree::bulk_load((0..).zip(bounds).map(object).collect())
}

/// Returns the pairs of objects at most `distance` apart, found by a tree and tested one by one.
pub fn pairs_within<const D: usize>(boxes: &Boxes<D>, distance: f32) -> Vec<Pair> {
    let bounds = &boxes.bounds;
    let tree = tree(bounds);
    let mut pairs = Vec::new();
    for (key, own) in (0..).zip(bounds) {
        // Enlarge a little more than the distance, because the addition rounds.
        let around = own.enlarged(distance * 1.001);
        let candidates =
            tree.locate_in_envelope_intersecting(AABB::from_corners(around.min, around.max));
        let others = candidates.map(|leaf| leaf.data).filter(|&other| key < other);
        let near = others.filter(|&other| are_within(own, &bounds[other as usize], distance));
        pairs.extend(near.map(|other| [key, other]));
    }
    pairs
}

/// Returns whether two boxes are at most `distance` apart.
pub fn are_within<const D: usize>(a: &Aabb<f32, D>, b: &Aabb<f32, D>, distance: f32) -> bool {
    let gap = |axis: usize| (b.min[axis] - a.max[axis]).max(a.min[axis] - b.max[axis]).max(0.0);
    (0..D).map(|axis| gap(axis) * gap(axis)).sum::<f32>() <= distance * distance
}
