//! A k-d tree of boxes: an order of objects in which neighbors are mostly near each other.
//!
//! 1. Divide the objects at the median of the longest axis of their low corners, into leaves of at
//!    most [`LEAF`] objects.
//! 2. Objects that are large in comparison with their part get their own parts: they would enlarge
//!    the bounds of small objects.
//! 3. Divide the leaves in the same way, down to eight objects. This is only an order, without
//!    nodes.
//!
//! Corners are rounded to `f32`, which affects only the order. O(n log n) time, on several threads.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, LANES, Scalar};

use crate::query::extent;
use crate::query::runs::MIN_OBJECTS_PER_THREAD;
use crate::tasks;

/// Maximum number of objects in a leaf.
const LEAF: usize = 4 * LANES;

/// Objects in the order of a tree. The index of an object in this order is its *place*.
pub(super) struct Leaves<S, const D: usize> {
    pub(super) keys: Vec<u32>,
    pub(super) bounds: Vec<Aabb<S, D>>,
    /// One tree for each part that was divided on one thread; a node precedes its children.
    trees: Vec<Vec<Node<S, D>>>,
}

/// Node of a tree.
#[derive(Clone, Debug)]
struct Node<S, const D: usize> {
    bounds: Aabb<S, D>,
    objects: Range<usize>,
    /// Number of nodes below this one; 0 for a leaf.
    below: usize,
}

/// Sort key of an object: its low corner, the longest side of its bounds, and its index.
#[derive(Clone, Copy, Debug)]
struct Item<const D: usize> {
    at: [f32; D],
    side: f32,
    index: u32,
}

impl<S: Scalar, const D: usize> Leaves<S, D> {
    pub(super) fn new(objects: &[(u32, Aabb<S, D>)]) -> Self {
        let mut items: Vec<Item<D>> =
            (0..).zip(objects).map(|(at, own)| item(at, &own.1)).collect();
        let mut keys = alloc::vec![0; objects.len()];
        let mut bounds = alloc::vec![Aabb::point([S::ZERO; D]); objects.len()];
        let mut parts = Vec::new();
        let (mut rest_keys, mut rest_bounds, mut begin) = (&mut keys[..], &mut bounds[..], 0);
        for items in divided_for_threads(&mut items) {
            let (keys, other_keys) = rest_keys.split_at_mut(items.len());
            let (bounds, other_bounds) = rest_bounds.split_at_mut(items.len());
            (rest_keys, rest_bounds) = (other_keys, other_bounds);
            let len = items.len();
            parts.push(Part { items, begin, keys, bounds, nodes: Vec::new() });
            begin += len;
        }
        tasks::each(&mut parts, |part| part.divide(objects));
        let trees = parts.into_iter().map(|part| part.nodes).collect();
        Self { keys, bounds, trees }
    }

    /// Returns parts of at most `most` objects: their bounds and places, ascending by place.
    pub(super) fn parts(&self, most: usize) -> Vec<(Aabb<S, D>, Range<usize>)> {
        let mut parts = Vec::new();
        for tree in &self.trees {
            let mut index = 0;
            while let Some(Node { bounds, objects, below }) = tree.get(index) {
                index += 1;
                if objects.len() <= most || *below == 0 {
                    parts.push((*bounds, objects.clone()));
                    index += below;
                }
            }
        }
        parts
    }

    /// Visits the leaves whose bounds overlap a box.
    pub(super) fn overlapping(&self, area: &Aabb<S, D>, mut visit: impl FnMut(Range<usize>)) {
        for tree in &self.trees {
            let mut index = 0;
            while let Some(Node { bounds, objects, below }) = tree.get(index) {
                index += 1;
                if !bounds.overlaps(area) {
                    index += below;
                } else if *below == 0 {
                    visit(objects.clone());
                }
            }
        }
    }
}

/// Returns the sort key of the object with this index.
fn item<S: Scalar, const D: usize>(index: u32, bounds: &Aabb<S, D>) -> Item<D> {
    let side = extent(bounds) as f32;
    Item { at: bounds.min.map(|x| x.to_f64() as f32), side, index }
}

/// Divides objects into parts for threads: one part if there are few objects or one thread.
fn divided_for_threads<const D: usize>(items: &mut [Item<D>]) -> Vec<&mut [Item<D>]> {
    let count = tasks::even(items.len(), MIN_OBJECTS_PER_THREAD).len();
    let mut parts = alloc::vec![items];
    while parts.len() < count {
        tasks::each(&mut parts, |items| {
            at_median(items, longest_axis(items).0);
        });
        let halves = parts.into_iter().flat_map(|items| {
            let (low, high) = items.split_at_mut(middle(items.len()));
            [low, high]
        });
        parts = halves.collect();
    }
    parts
}

/// A part of the objects, divided on one thread.
struct Part<'a, S, const D: usize> {
    items: &'a mut [Item<D>],
    /// Place of the first object.
    begin: usize,
    keys: &'a mut [u32],
    bounds: &'a mut [Aabb<S, D>],
    nodes: Vec<Node<S, D>>,
}

impl<S: Scalar, const D: usize> Part<'_, S, D> {
    /// Divides the part, and writes the keys and bounds in the order of its tree.
    fn divide(&mut self, objects: &[(u32, Aabb<S, D>)]) {
        let mut leaves = Vec::new();
        divide(self.items, 0, &mut leaves);
        for ((key, bounds), item) in self.keys.iter_mut().zip(&mut *self.bounds).zip(&*self.items) {
            (*key, *bounds) = objects[item.index as usize];
        }
        self.nodes.reserve_exact(leaves.len());
        self.nodes.extend(leaves.iter().map(|(objects, below)| {
            let all = self.begin + objects.start..self.begin + objects.end;
            Node { bounds: self.bounds[objects.start], objects: all, below: *below }
        }));
        // In reverse: children precede their parents.
        for index in (0..self.nodes.len()).rev() {
            let Node { mut bounds, ref objects, below } = self.nodes[index];
            if below == 0 {
                let own = objects.start - self.begin..objects.end - self.begin;
                bounds = self.bounds[own].iter().fold(bounds, |all, own| all.union(own));
            } else {
                let second = index + 2 + self.nodes[index + 1].below;
                bounds = self.nodes[index + 1].bounds.union(&self.nodes[second].bounds);
            }
            self.nodes[index].bounds = bounds;
        }
    }
}

/// Divides items, the first of which is at the place `begin`, and appends a node for each part: its
/// places, and the number of nodes below.
fn divide<const D: usize>(
    items: &mut [Item<D>],
    begin: usize,
    nodes: &mut Vec<(Range<usize>, usize)>,
) {
    if items.is_empty() {
        return;
    }
    let index = nodes.len();
    nodes.push((begin..begin + items.len(), 0));
    let (axis, width) = longest_axis(items);
    let small = move_small_to_front(items, width * 0.5);
    let middle = if small < items.len() && small > 0 {
        small
    } else if items.len() > LEAF {
        at_median(items, axis)
    } else {
        return arrange(items);
    };
    let (low, high) = items.split_at_mut(middle);
    divide(low, begin, nodes);
    divide(high, begin + middle, nodes);
    nodes[index].1 = nodes.len() - index - 1;
}

/// Orders the items of a leaf.
fn arrange<const D: usize>(items: &mut [Item<D>]) {
    if items.len() > LANES {
        let middle = at_median(items, longest_axis(items).0);
        let (low, high) = items.split_at_mut(middle);
        arrange(low);
        arrange(high);
    }
}

/// Moves the items whose longest side is at most this length to the front. Returns their number.
fn move_small_to_front<const D: usize>(items: &mut [Item<D>], length: f32) -> usize {
    let is_large = |item: &Item<D>| item.side > length;
    let Some(mut small) = items.iter().position(is_large) else { return items.len() };
    for index in small + 1..items.len() {
        if !is_large(&items[index]) {
            items.swap(small, index);
            small += 1;
        }
    }
    small
}

/// Returns the number of items in the first of two parts of `len` items: about half, and a multiple
/// of eight, so only the last group of eight is incomplete.
const fn middle(len: usize) -> usize {
    (len / 2).next_multiple_of(LANES)
}

/// Moves the items below the median on an axis to the front. Returns their number. There must be
/// more than eight items.
fn at_median<const D: usize>(items: &mut [Item<D>], axis: usize) -> usize {
    let middle = middle(items.len());
    items.select_nth_unstable_by(middle, |a, b| a.at[axis].total_cmp(&b.at[axis]));
    middle
}

/// Returns the axis on which corners are farthest apart, and their distance.
fn longest_axis<const D: usize>(items: &[Item<D>]) -> (usize, f32) {
    let first = items.first().map_or([0.0; D], |item| item.at);
    let (mut low, mut high) = (first, first);
    for item in items {
        for axis in 0..D {
            let x = item.at[axis];
            low[axis] = if x < low[axis] { x } else { low[axis] };
            high[axis] = if x > high[axis] { x } else { high[axis] };
        }
    }
    let mut longest = (0, high[0] - low[0]);
    for axis in 1..D {
        let width = high[axis] - low[axis];
        if width > longest.1 {
            longest = (axis, width);
        }
    }
    longest
}
