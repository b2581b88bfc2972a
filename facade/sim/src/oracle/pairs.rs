//! The expected pairs: every pair of objects is tested.

use hexphase::{Handle, Motion, Overlap};

use super::{Object, Oracle};
use crate::shape::{Box64, PairFound, PairSearch};
use crate::totals::Situations;

impl Oracle {
    /// Returns the pairs of objects in the current state, ascending. If `along_paths`, a swept
    /// object is tested with the box around its path, and its volume is ignored if it has moved.
    fn current_pairs(&self, along_paths: bool, situations: &mut Situations) -> Vec<[Object; 2]> {
        let (objects, space, sides) = (self.to_list(), self.space, &self.sides);
        let bounds = |object: &Object| match object.was {
            Some(was) if along_paths => space.box_of_path(sides, &was, &object.bounds),
            _ => object.bounds,
        };
        let boxes: Vec<Box64> = objects.iter().map(bounds).collect();
        let pairs = overlaps(&boxes, sides).into_iter().map(|pair| pair.map(|one| objects[one]));
        let is_pair = |[a, b]: &[Object; 2]| {
            let moved = |object: &Object| object.was.is_some_and(|was| was != object.bounds);
            let motions = [a.motion, b.motion];
            if motions == [Motion::Static; 2] {
                situations.add("both static", 1);
            } else if !a.filter.accepts(&b.filter) {
                situations.add("filtered", 1);
            } else if !(along_paths && (moved(a) || moved(b)))
                && !space.volumes_touch(sides, (a.volume, a.bounds), (b.volume, b.bounds))
            {
                situations.add("only boxes overlap", 1);
            } else {
                let at_rest = !motions.contains(&Motion::Dynamic) && a.motion != b.motion;
                situations.add_if(at_rest, "a sleeping and a static object");
                let apart = !a.bounds.overlaps(&b.bounds);
                situations.add_if(apart, "overlap on the path or across the seam");
                return true;
            }
            false
        };
        pairs.filter(is_pair).collect()
    }

    /// Returns the pairs that a step would find in the current state.
    pub(crate) fn pairs_of_step(&self, situations: &mut Situations) -> Vec<Overlap<u32>> {
        let overlap = |[a, b]: [Object; 2]| Overlap {
            handles: [a.handle, b.handle],
            users: [a.user, b.user],
            filters: [a.filter, b.filter],
        };
        self.current_pairs(true, situations).into_iter().map(overlap).collect()
    }

    /// Returns the objects that currently form a pair with an object, ascending.
    pub(crate) fn overlapping(&self, handle: Handle) -> Vec<Handle> {
        let pairs = self.current_pairs(false, &mut Situations::default());
        let pairs = pairs.iter().map(|[a, b]| [a.handle, b.handle]);
        pairs.filter(|pair| pair.contains(&handle)).flatten().filter(|&one| one != handle).collect()
    }

    /// Returns the pairs within a distance whose first object is in a layer of `layers[0]` and the
    /// second in a layer of `layers[1]`, or the other way round.
    pub(crate) fn pairs_within(&self, search: &PairSearch) -> Vec<PairFound> {
        let (objects, boxes, mut pairs) = (self.to_list(), self.boxes(), Vec::new());
        for (own, rest) in objects.iter().zip(1..) {
            let is_pair = |other: &Object| {
                let at_rest = [own.motion, other.motion] == [Motion::Static; 2];
                !at_rest && (search.admits(own, other) || search.admits(other, own))
            };
            let others = (&objects[rest..], &boxes[rest..]);
            self.add_near_pairs(own, others, search, is_pair, &mut pairs);
        }
        pairs
    }

    /// Returns the pairs of an object and one of `others` whose volumes overlap, or, if a distance
    /// is given, whose boxes are within it. `others` ascend by handle.
    pub(crate) fn pairs_with(&self, others: &[Object], search: &PairSearch) -> Vec<PairFound> {
        let boxes: Vec<Box64> = others.iter().map(|object| object.bounds).collect();
        let mut pairs = Vec::new();
        for own in self.objects() {
            let is_pair = |other: &Object| {
                let [own_volume, other_volume] = [own, other].map(|one| (one.volume, one.bounds));
                let touch = || self.space.volumes_touch(&self.sides, own_volume, other_volume);
                search.admits(own, other) && (search.distance.is_some() || touch())
            };
            self.add_near_pairs(own, (others, &boxes), search, is_pair, &mut pairs);
        }
        pairs
    }

    /// Appends the pairs of an object with others, given with their boxes, that are within the
    /// distance of a search and have filters that accept each other.
    fn add_near_pairs(
        &self,
        own: &Object,
        (others, boxes): (&[Object], &[Box64]),
        search: &PairSearch,
        is_pair: impl Fn(&Object) -> bool,
        pairs: &mut Vec<PairFound>,
    ) {
        let distance = search.distance.unwrap_or(0.0);
        let near = self.space.within(&self.sides, &own.bounds, distance, boxes);
        let near = near.into_iter().map(|other| &others[other]);
        let near = near.filter(|other| own.filter.accepts(&other.filter) && is_pair(other));
        pairs.extend(near.map(|other| ([own.handle, other.handle], [own.user, other.user])));
    }
}

/// Returns the overlapping pairs of home boxes as indices, ascending. The boxes are sorted along
/// the first axis, and the pairs whose intervals overlap on this axis are tested on all axes.
///
/// Two intervals overlap if each begins before the other ends. On an axis that wraps, they also
/// overlap if one of them, moved down by a side, reaches the other. Moving down is exact for every
/// interval that can reach another one. If the first axis wraps, a box across the seam is sorted a
/// second time, as an interval from −∞ to its upper end moved down by a side.
fn overlaps(boxes: &[Box64], sides: &[f64; 3]) -> Vec<[usize; 2]> {
    let below = |one: &Box64, axis: usize| match sides[axis] > 0.0 {
        true => one.max[axis] - sides[axis],
        false => f64::NEG_INFINITY,
    };
    let overlap = |a: &Box64, b: &Box64, axis: usize| {
        (a.min[axis] <= b.max[axis] && b.min[axis] <= a.max[axis])
            || below(a, axis) >= b.min[axis]
            || below(b, axis) >= a.min[axis]
    };
    let intervals = boxes.iter().map(|one| (one.min[0], one.max[0]));
    let images = boxes.iter().map(|one| (f64::NEG_INFINITY, below(one, 0)));
    let mut sorted: Vec<((f64, f64), usize)> = intervals.zip(0..).collect();
    sorted.extend(images.zip(0..).filter(|(image, _)| image.1 >= 0.0));
    sorted.sort_unstable_by(|a, b| a.0.0.total_cmp(&b.0.0));
    let mut pairs = Vec::new();
    for (place, &((_, end), a)) in sorted.iter().enumerate() {
        let reached = sorted[place + 1..].iter().take_while(|other| other.0.0 <= end);
        for &(_, b) in reached.filter(|other| other.1 != a) {
            if (0..3).all(|axis| overlap(&boxes[a], &boxes[b], axis)) {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl PairSearch {
    /// Returns whether the layers of two objects admit them as first and second of a pair.
    const fn admits(&self, a: &Object, b: &Object) -> bool {
        let [ours, theirs] = self.layers;
        let all = ours == !0 && theirs == !0;
        all || a.filter.layers & ours != 0 && b.filter.layers & theirs != 0
    }
}
