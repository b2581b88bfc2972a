//! The tree of broccoli, rebuilt each tick.

use broadphase_core::{Aabb, Pair};
use broccoli::Tree;
use broccoli::axgeom::Rect;

use super::{Boxes, World};

/// A tree rebuilt each tick from pairs of box and key, in the order of keys. Elements that also
/// have the velocities could start in the order of the last tick, but sorting them takes 50 %
/// longer.
#[derive(Debug)]
pub struct Broccoli {
    boxes: Boxes<2>,
    elements: Vec<(Rect<f32>, u32)>,
}

impl Broccoli {
    /// Creates the world. The tree is built in each search.
    pub fn new(boxes: &Boxes<2>) -> Self {
        Self { boxes: boxes.clone(), elements: Vec::new() }
    }

    /// Builds a tree for one search and writes every overlapping pair.
    pub fn find_pairs(boxes: &Boxes<2>, out: &mut Vec<Pair>) {
        find(boxes, &mut Vec::new(), out);
    }
}

impl World<2> for Broccoli {
    fn advance(&mut self) {
        self.boxes.advance();
    }

    fn collect(&mut self, out: &mut Vec<Pair>) {
        find(&self.boxes, &mut self.elements, out);
    }
}

fn find(boxes: &Boxes<2>, elements: &mut Vec<(Rect<f32>, u32)>, out: &mut Vec<Pair>) {
    let element = |(key, bounds)| {
        let Aabb { min: [left, low], max: [right, high] } = bounds;
        (broccoli::rect(left, right, low, high), key)
    };
    elements.clear();
    elements.extend(boxes.objects().map(element));
    out.clear();
    Tree::new(elements).find_colliding_pairs(|a, b| {
        out.push([*a.unpack_inner(), *b.unpack_inner()]);
    });
}
