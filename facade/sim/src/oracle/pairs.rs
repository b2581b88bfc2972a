//! The expected pairs: every pair of objects is tested.

use hexphase::{Handle, Motion, Overlap};

use super::{Object, Oracle};
use crate::shape::{Box64, PairFound, PairSearch};
use crate::situations::Situations;

impl Oracle {
    /// Returns the pairs of objects in the current state, ascending. If `along_paths`, a swept
    /// object is tested with the box around its path, and its volume is ignored if it has moved.
    fn current_pairs(
        &mut self,
        along_paths: bool,
        situations: &mut Situations,
    ) -> Vec<[Object; 2]> {
        let objects: Vec<Object> = self.objects().copied().collect();
        let bounds = |object: &Object| match object.was {
            Some(was) if along_paths => self.space.box_of_path(&self.sides, &was, &object.bounds),
            _ => object.bounds,
        };
        let boxes: Vec<Box64> = objects.iter().map(bounds).collect();
        let Self { space, overlaps, sides, dimensions, found, .. } = self;
        overlaps.find(&boxes, sides, *dimensions, found);
        let pairs = found.iter().map(|pair| pair.map(|index| objects[index as usize]));
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
    pub(crate) fn pairs_of_step(&mut self, situations: &mut Situations) -> Vec<Overlap<u32>> {
        let overlap = |[a, b]: [Object; 2]| Overlap {
            handles: [a.handle, b.handle],
            users: [a.user, b.user],
            filters: [a.filter, b.filter],
        };
        self.current_pairs(true, situations).into_iter().map(overlap).collect()
    }

    /// Returns the objects that currently form a pair with an object, ascending.
    pub(crate) fn overlapping(&mut self, handle: Handle) -> Vec<Handle> {
        let pairs = self.current_pairs(false, &mut Situations::default());
        let pairs = pairs.iter().map(|[a, b]| [a.handle, b.handle]);
        pairs.filter(|pair| pair.contains(&handle)).flatten().filter(|&one| one != handle).collect()
    }

    /// Returns the pairs within a distance whose first object is in a layer of `layers[0]` and the
    /// second in a layer of `layers[1]`, or the other way round.
    pub(crate) fn pairs_within(&self, search: &PairSearch) -> Vec<PairFound> {
        let objects: Vec<Object> = self.objects().copied().collect();
        let (boxes, mut near, mut pairs) = (self.boxes(), Vec::new(), Vec::new());
        let distance = search.distance.unwrap_or(0.0);
        for (index, own) in objects.iter().enumerate() {
            near.clear();
            let rest = &boxes[index + 1..];
            self.space.within(&self.sides, &own.bounds, distance, rest, &mut near);
            for other in near.iter().map(|&other| &objects[index + 1 + other]) {
                let chosen = search.admits(own, other) || search.admits(other, own);
                let at_rest = [own.motion, other.motion] == [Motion::Static; 2];
                if chosen && !at_rest && own.filter.accepts(&other.filter) {
                    pairs.push(([own.handle, other.handle], [own.user, other.user]));
                }
            }
        }
        pairs
    }

    /// Returns the pairs of an object and one of `others` whose volumes overlap, or, if a distance
    /// is given, whose boxes are within it. `others` ascend by handle.
    pub(crate) fn pairs_with(&self, others: &[Object], search: &PairSearch) -> Vec<PairFound> {
        let boxes: Vec<Box64> = others.iter().map(|object| object.bounds).collect();
        let (mut near, mut pairs) = (Vec::new(), Vec::new());
        for own in self.objects() {
            near.clear();
            let distance = search.distance.unwrap_or(0.0);
            self.space.within(&self.sides, &own.bounds, distance, &boxes, &mut near);
            let volume = (own.volume, own.bounds);
            let touch = |other: &Object| {
                let other = (other.volume, other.bounds);
                search.distance.is_some() || self.space.volumes_touch(&self.sides, volume, other)
            };
            let near = near.iter().map(|&other| &others[other]);
            let near = near.filter(|other| {
                search.admits(own, other) && own.filter.accepts(&other.filter) && touch(other)
            });
            pairs.extend(near.map(|other| ([own.handle, other.handle], [own.user, other.user])));
        }
        pairs
    }
}

impl PairSearch {
    /// Returns whether the layers of two objects admit them as first and second of a pair.
    const fn admits(&self, a: &Object, b: &Object) -> bool {
        let [ours, theirs] = self.layers;
        let all = ours == !0 && theirs == !0;
        all || a.filter.layers & ours != 0 && b.filter.layers & theirs != 0
    }
}
