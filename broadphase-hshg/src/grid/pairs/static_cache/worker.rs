//! The refill of the static cache: finds static neighbors of expired entries, on all threads.

use alloc::vec::Vec;
use core::ops::Range;

use broadphase_core::kernel::sweep::RowIndexes;
use broadphase_core::{Backend, Scalar, SlabPlanes, Slabs, tasks};

use super::lookup::{Lookup, MAX_LOOKUPS, RunLookups};
use super::{Expired, Neighbor};
use crate::grid::storage::row::{Class, Row, visit_block};
use crate::grid::storage::tiers::Tier;

/// The minimum number of expired entries per thread.
const MIN_EXPIRED_PER_TASK: usize = 1024;

/// The shared input of all workers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a, const D: usize> {
    pub(super) backend: Backend,
    pub(super) planes: SlabPlanes<'a, D>,
    pub(super) rows: &'a [Row<D>],
    pub(super) row_index: &'a RowIndexes,
    /// The tiers with static objects, each with its range of rows.
    pub(super) tiers: &'a [(Tier, Range<usize>)],
    pub(super) expired: &'a [Expired<D>],
    /// Maximum number of neighbors in the cache. A worker stops above this number or `max_work`.
    pub(super) max_neighbors: usize,
    pub(super) max_work: usize,
}

/// The buffers of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker<const D: usize> {
    range: Range<usize>,
    /// Lookups to run, and the candidates of running lookups: the index of the expired entry, and a
    /// slot.
    lookups: Vec<Lookup<D>>,
    candidates: Vec<[u32; 2]>,
    neighbors: Vec<Neighbor<D>>,
    /// The number of lookups and candidates in this refill.
    work: usize,
}

/// Appends the static neighbors of all expired entries in order. Returns `false` if there are too
/// many neighbors, or too many lookups and candidates.
pub(super) fn refill_all<S: Scalar, const D: usize>(
    workers: &mut Vec<Worker<D>>,
    context: &Context<'_, D>,
    neighbors: &mut Vec<Neighbor<D>>,
) -> bool {
    let stretches = tasks::even(context.expired.len(), MIN_EXPIRED_PER_TASK);
    let count = stretches.len().max(1);
    if workers.len() < count {
        workers.resize_with(count, Worker::default);
    }
    let workers = &mut workers[..count];
    workers[0].range = 0..context.expired.len();
    for (worker, range) in workers.iter_mut().zip(stretches) {
        worker.range = range;
    }
    core::mem::swap(neighbors, &mut workers[0].neighbors);
    tasks::each(workers, |worker| {
        worker.work = 0;
        worker.refill::<S>(context);
    });
    core::mem::swap(neighbors, &mut workers[0].neighbors);
    for worker in &mut workers[1..] {
        neighbors.append(&mut worker.neighbors);
    }
    // A worker that stopped early has exceeded a limit on its own, and so does the sum.
    let work: usize = workers.iter().map(|worker| worker.work).sum();
    neighbors.len() <= context.max_neighbors && work <= context.max_work
}

impl<const D: usize> Worker<D> {
    pub(super) fn memory_use(&self) -> usize {
        self.lookups.capacity() * size_of::<Lookup<D>>()
            + self.candidates.capacity() * size_of::<[u32; 2]>()
            + self.neighbors.capacity() * size_of::<Neighbor<D>>()
    }

    fn refill<S: Scalar>(&mut self, context: &Context<'_, D>) {
        self.lookups.clear();
        for expired in self.range.clone() {
            let range = context.expired[expired].range;
            for (tier, of_tier) in context.tiers {
                let min = range.min.map(|min| tier.reach.earliest(min));
                let begins = Slabs { min, max: range.max };
                let cells = tier.cells_near::<S, D>(&range);
                let rows = &context.rows[of_tier.clone()];
                visit_block(rows, (Class::Static, tier.number), cells, |index| {
                    if rows[index].bounds.overlaps(&range) {
                        let [expired, row] = [expired, of_tier.start + index].map(|n| n as u32);
                        self.lookups.push(Lookup { expired, row, begins });
                    }
                });
            }
            if self.lookups.len() >= MAX_LOOKUPS {
                self.run_lookups(context);
            }
            if self.neighbors.len() > context.max_neighbors || self.work > context.max_work {
                return;
            }
        }
        self.run_lookups(context);
    }

    fn run_lookups(&mut self, context: &Context<'_, D>) {
        let Self { lookups, candidates, neighbors, work, .. } = self;
        let &Context { planes, rows, row_index, .. } = context;
        let slabs = planes.of_one_length();
        for lookups in lookups.chunks(MAX_LOOKUPS) {
            candidates.clear();
            let max_candidates = context.max_work.saturating_sub(*work);
            context.backend.dispatch(RunLookups {
                planes,
                rows,
                row_index,
                lookups,
                candidates,
                max_candidates,
            });
            *work += lookups.len() + candidates.len();
            for &[expired, slot] in &*candidates {
                let Expired { entry, slot: mover, range } = context.expired[expired as usize];
                let slabs = slabs.get(slot as usize);
                if slabs.overlaps(&range) && neighbors.len() <= context.max_neighbors {
                    neighbors.push(Neighbor { entry, mover, slot, slabs });
                }
            }
        }
        lookups.clear();
    }
}
