//! Pairs of objects and ghosts within a radius of each other, found in strips.

use alloc::vec::Vec;
use core::ops::Range;

use bounds_hexprism::{Aabb, Backend, instances};

use super::Radius;
use super::sorted::{Extent, Strips};
use crate::kernel::near::Scratch;
use crate::kernel::rank;
use crate::query::ListBuffer;
use crate::query::runs::MIN_OBJECTS_PER_THREAD;
use crate::tasks;

/// Decides whether an object and a ghost, given by indices, are a pair, and appends it to a list.
/// Called from several threads.
type Emit<'a> = dyn Fn(u32, u32, &mut Vec<[u32; 2]>) + Sync + 'a;

instances! {
    /// Calls `emit` with each object and each ghost within the radius of each other; `boxes` has
    /// the objects, then the ghosts from index `ghosts` on. Appends the lists that `emit` fills to
    /// `out`.
    ///
    /// The square of the radius must not be scaled. Takes about linear time if no box is much
    /// larger than the radius and most boxes.
    pub(crate) fn pairs_with_ghosts<S, D>(
        boxes: &[(u32, Aabb<S, D>)],
        ghosts: usize,
        radius: Radius<S>,
        backend: Backend,
        emit: &Emit<'_>,
        out: &mut Vec<[u32; 2]>,
    ) {
        let Radius { radius, spacing } = radius;
        if ghosts == 0 || ghosts == boxes.len() {
            return;
        }
        let strips = Strips::new(boxes, ghosts, Extent::of(boxes), radius, spacing);
        let run = |runs: Range<usize>, out: &mut Vec<[u32; 2]>| {
            let (mut scratch, mut lists) = (Scratch::default(), ListBuffer::default());
            for run in runs.filter(|&run| !strips.is_of_ghosts(run)) {
                lists.clear();
                strips.write_lists(run, backend, false, &mut scratch, &mut lists);
                for (index, place) in strips.objects(run..run + 1).enumerate() {
                    let own = rank::unsigned(strips.runs.keys[place]);
                    for &other in lists.get(index).iter().filter(|&&other| other as usize >= ghosts) {
                        emit(own, other, out);
                    }
                }
            }
        };
        let ranges = tasks::weighed(strips.lens(), MIN_OBJECTS_PER_THREAD);
        if ranges.is_empty() {
            return run(0..strips.len(), out);
        }
        let mut jobs: Vec<_> = ranges.into_iter().map(|range| (range, Vec::new())).collect();
        tasks::each(&mut jobs, |(range, found)| run(range.clone(), found));
        jobs.iter().for_each(|(_, found)| out.extend_from_slice(found));
    }
}
