//! Nearest objects on a torus, each at its nearest image.
//!
//! 1. The wrapped structure visits the objects by their distance as stored.
//! 2. Before it visits an object farther away than a seam, queries at the images of a ball around
//!    the target collect the objects that are nearer across a seam, to be visited before it. The
//!    ball grows with the distance.
//! 3. An object that is nearer across a seam is skipped when it is visited as stored.
//!
//! Where squares of distances may underflow or overflow, box queries in shells find all objects.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::ControlFlow;

use bounds_hexprism::{Aabb, Scalar};

use super::Torus;
use super::images::{Images, rounding_margin};
use crate::query::{
    Hit, Near, Neighbors, SearchShells, Target, Visit, compare, entry, find_neighbors_by_visits,
    gaps, has_corner_near_zero, square_root_above,
};
use crate::{Entry, SpatialIndex, SpatialIndexExt, tasks};

/// Ratio of the radius in which images are searched to the distance that requires the search.
const RADIUS_PER_DISTANCE: f64 = 1.5;

/// Visits the objects within the limits of a target, ascending by distance, then by key.
pub(super) fn nearest<S: Scalar, const D: usize>(
    torus: &Torus<S, D>,
    target: Target<S, D>,
    visit: &mut Visit<'_, S, D>,
) -> ControlFlow<()> {
    let Some(target) = target.normalized() else { return ControlFlow::Continue(()) };
    let Some(home) = torus.world.reduce(*target.bounds()) else { return ControlFlow::Continue(()) };
    let target = target.moved_to(home);
    let mut visited = 0usize;
    // If the square of the limit overflows, the wrapped structure may omit an object within the
    // limit across a seam.
    if !(torus.may_underflow(&home) || target.limit_overflows()) {
        let mut overflows = false;
        let mut emit = |entry: Entry<S, D>, square| {
            visited += 1;
            visit(entry, square)
        };
        let mut across = Across::new(torus, target);
        let mut answer = torus.inner.nearest(target, |entry, square| {
            if square > S::Real::MAX {
                overflows = true;
                return ControlFlow::Break(());
            }
            if square >= across.seam {
                let next = Hit { number: square, key: entry.key, slot: 0 };
                across.emit_before(Some(&next), &mut emit)?;
                if torus.nearest_square(&home, &entry.bounds) < square {
                    return ControlFlow::Continue(());
                }
            }
            emit(entry, square)
        });
        if answer.is_continue() {
            answer = across.emit_before(None, &mut emit);
        }
        if !overflows {
            return answer;
        }
    }
    let mut skipped = 0;
    nearest_in_shells(torus, target, &mut |entry, square| {
        skipped += 1;
        if skipped > visited { visit(entry, square) } else { ControlFlow::Continue(()) }
    })
}

/// Visits the objects as [`nearest`] does, by box queries; the target must be home.
fn nearest_in_shells<S: Scalar, const D: usize>(
    torus: &Torus<S, D>,
    target: Target<S, D>,
    visit: &mut Visit<'_, S, D>,
) -> ControlFlow<()> {
    let Torus { inner, world, .. } = torus;
    let home = *target.bounds();
    let Some(mut shells) = SearchShells::new(&target, inner.state().spacing, inner.len()) else {
        return ControlFlow::Continue(());
    };
    shells.add_image(&world.image_below(&home));
    shells.each(
        &mut |shell, hits| {
            let _ = torus.candidates(&shell.area(), |entry| {
                let (target, bounds) = world.nearest(&home, &entry.bounds);
                hits.see(entry.key, 0, || shell.square_between(&target, &bounds))
            });
        },
        &mut |hit| visit(entry(&**inner, hit.key), hit.number),
    )
}

/// Implements [`SpatialIndex::find_neighbors`] for [`Near::Nearest`].
///
/// 1. The wrapped structure searches all objects.
/// 2. One visit copies the boxes of all objects, which is faster than reading boxes by key.
/// 3. If the last result of an object is farther away than a seam, queries at images find objects
///    that are nearer than this result across a seam, and nearer than as stored.
/// 4. These objects, if any, are sorted together with the results.
pub(super) fn nearest_to_each<S: Scalar, const D: usize>(
    torus: &Torus<S, D>,
    count: usize,
    out: &mut Neighbors,
) {
    if count == 0 || count >= torus.inner.len() {
        return find_neighbors_by_visits(torus, Near::Nearest(count), out);
    }
    torus.inner.nearest_to_each(count, out);
    let boxes = Boxes::new(&*torus.inner, out.keys());
    // For each object with other results, its index and its list.
    let mut found = Vec::new();
    let lists = &*out;
    tasks::find(0..lists.keys().len(), &mut found, |index, found| {
        let (key, list) = (lists.keys()[index], lists.lists().get(index).unwrap_or_default());
        let begin = found.len();
        found.push(index as u32);
        if torus.nearest_of(&boxes, key, list, found) {
            debug_assert_eq!(found.len() - begin, count + 1, "each list has this many objects");
        } else {
            found.truncate(begin);
        }
    });
    for list in found.chunks_exact(count + 1) {
        out.replace(list[0] as usize, &list[1..]);
    }
}

/// The boxes of all objects, in the order of their keys.
struct Boxes<'a, S, const D: usize> {
    keys: &'a [u32],
    boxes: Vec<Aabb<S, D>>,
}

impl<'a, S: Scalar, const D: usize> Boxes<'a, S, D> {
    /// Copies the boxes of a structure; `keys` must be all keys, ascending.
    fn new(inner: &dyn SpatialIndex<S, D>, keys: &'a [u32]) -> Self {
        let boxes = vec![Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; keys.len()];
        let mut all = Self { keys, boxes };
        inner.query_unordered(Aabb { min: [S::MIN; D], max: [S::MAX; D] }, |entry| {
            let index = all.index(entry.key);
            all.boxes[index] = entry.bounds;
        });
        all
    }

    fn of(&self, key: u32) -> Aabb<S, D> {
        self.boxes[self.index(key)]
    }

    fn index(&self, key: u32) -> usize {
        // If no smaller key is unused, the key is its index.
        if self.keys.get(key as usize) == Some(&key) {
            key as usize
        } else {
            self.keys.partition_point(|&other| other < key)
        }
    }
}

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Appends the objects nearest to an object to `found`, given the nearest as stored. Returns
    /// `false`, without effect, if they are equal.
    fn nearest_of(
        &self,
        boxes: &Boxes<'_, S, D>,
        own: u32,
        list: &[u32],
        found: &mut Vec<u32>,
    ) -> bool {
        let Some(&last) = list.last() else { return false };
        let (home, last) = (boxes.of(own), boxes.of(last));
        let limit = S::squared_length(gaps(&home, &last));
        if limit < self.square_to_seam(&home) {
            return false;
        }
        let target = Target::from(home);
        if limit > S::Real::MAX || self.may_underflow(&home) {
            // Squares may not be in the order of the distances.
            let end = found.len() + list.len();
            let _ = self.nearest(target, |other, _| {
                if other.key != own {
                    found.push(other.key);
                }
                if found.len() == end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            return true;
        }
        let mut across = Across::new(self, target);
        across.search(&target.within_squared(limit).reach(), limit.next_above());
        let mut hits = across.found;
        hits.retain(|hit| hit.key != own);
        if hits.is_empty() {
            return false;
        }
        for &key in list {
            let other = boxes.of(key);
            let number = S::squared_length(gaps(&home, &other));
            // Any other object is among the hits.
            if self.nearest_square(&home, &other) == number {
                hits.push(Hit { number, key, slot: 0 });
            }
        }
        hits.sort_unstable_by(compare);
        found.extend(hits[..list.len()].iter().map(|hit| hit.key));
        true
    }
}

/// The objects that are nearer to a target across a seam than as stored.
struct Across<'a, S: Scalar, const D: usize> {
    torus: &'a Torus<S, D>,
    target: Target<S, D>,
    /// Lower bound of the squared distances of these objects.
    seam: S::Real,
    /// All of these objects with a smaller square were found.
    searched: S::Real,
    /// Objects found and not visited yet, the nearest one last.
    found: Vec<Hit<S>>,
    /// Typical distance between adjacent objects; 0 if unknown.
    spacing: f64,
}

impl<'a, S: Scalar, const D: usize> Across<'a, S, D> {
    fn new(torus: &'a Torus<S, D>, target: Target<S, D>) -> Self {
        let seam = torus.square_to_seam(target.bounds());
        let spacing = torus.inner.state().spacing.unwrap_or(0.0);
        Self { torus, target, seam, searched: S::Real::ZERO, found: Vec::new(), spacing }
    }

    /// Calls `emit` with the objects that come before another one, or with all remaining objects.
    fn emit_before(
        &mut self,
        next: Option<&Hit<S>>,
        emit: &mut impl FnMut(Entry<S, D>, S::Real) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let end = self.target.end();
        if next.map_or(self.searched < end, |next| next.number >= self.searched) {
            let area = next.and_then(|next| {
                let radius = square_root_above(next.number.to_f64()) * RADIUS_PER_DISTANCE;
                let area = self.target.nearer(radius.max(self.spacing));
                area.filter(|&(_, to)| next.number < to && to < end)
            });
            let (area, to) = area.unwrap_or_else(|| (self.target.reach(), end));
            self.search(&area, to);
        }
        let is_before = |hit: &mut Hit<S>| next.is_none_or(|next| compare(hit, next).is_lt());
        while let Some(hit) = self.found.pop_if(is_before) {
            emit(entry(&*self.torus.inner, hit.key), hit.number)?;
        }
        ControlFlow::Continue(())
    }

    /// Finds the objects with a squared distance from `searched` to below `to`, all of which the
    /// images of `area` overlap.
    fn search(&mut self, area: &Aabb<S, D>, to: S::Real) {
        let Self { torus, target, searched: from, ref mut found, .. } = *self;
        let home = target.bounds();
        let images = Images::new(&torus.world, area, &torus.far);
        // Image 0, the box itself, is omitted. The only image of a wide box has all objects.
        torus.visit_images(&images, usize::from(!images.is_wide), |entry| {
            let (a, b) = torus.world.nearest(home, &entry.bounds);
            let Some(number) = target.square_between(&a, &b) else { return };
            let is_nearer = number < S::squared_length(gaps(home, &entry.bounds));
            if from <= number && number < to && is_nearer {
                found.push(Hit { number, key: entry.key, slot: 0 });
            }
        });
        found.sort_unstable_by(|a, b| compare(b, a));
        self.searched = to;
    }
}

impl<S: Scalar, const D: usize> Torus<S, D> {
    /// Returns whether the squared distance of a home box from an object may underflow.
    fn may_underflow(&self, home: &Aabb<S, D>) -> bool {
        [*home, self.world.image_below(home)].iter().any(has_corner_near_zero)
    }

    /// Returns the squared distance of two home boxes, at their nearest images.
    fn nearest_square(&self, a: &Aabb<S, D>, b: &Aabb<S, D>) -> S::Real {
        let (a, b) = self.world.nearest(a, b);
        S::squared_length(gaps(&a, &b))
    }

    /// Returns a lower bound of the squared distance from a home box to any object across a seam.
    #[inline]
    fn square_to_seam(&self, home: &Aabb<S, D>) -> S::Real {
        let mut least = S::MAX;
        for axis in 0..D {
            let Some(side) = self.world.side(axis) else { continue };
            let below = home.min[axis].plus(side).minus(self.far[axis]);
            let above = side.minus(home.max[axis]);
            let gap = if below < above { below } else { above };
            let gap = gap.minus(rounding_margin(side));
            least = if gap < least { gap } else { least };
        }
        if least > S::ZERO { S::squared_length([S::gap(S::ZERO, least)]) } else { S::Real::ZERO }
    }
}
