//! `SpatialIndex` for [`Together`]: each call is applied to all structures.

use core::ops::ControlFlow;

use broadphase_core::{
    Aabb, Backend, IndexError, IndexObject, IndexState, Maintenance, Motion, Near, Neighbors, Pair,
    PairSearch, Region, Scalar, Search, SpatialIndex, Visit, Walk,
};

use super::{Together, describe};

impl<S: Scalar, const D: usize> SpatialIndex<S, D> for Together<S, D> {
    fn insert_many(&mut self, objects: &[IndexObject<S, D>]) -> Result<(), IndexError> {
        self.apply(&mut |one| one.insert_many(objects))
    }
    fn set_bounds(&mut self, key: u32, bounds: Aabb<S, D>) -> Result<(), IndexError> {
        self.apply(&mut |one| one.set_bounds(key, bounds))
    }
    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.apply(&mut |one| one.set_motion(key, motion))
    }
    fn remove_many(&mut self, keys: &[u32]) -> Result<(), IndexError> {
        self.apply(&mut |one| one.remove_many(keys))
    }
    fn clear(&mut self) {
        self.apply(&mut |one| one.clear());
    }
    fn walk(&mut self, walk: Walk<'_, S, D>) -> Result<(), IndexError> {
        match walk {
            Walk::All(change) => self.walk_alike(change, |one, walk| one.walk(Walk::All(walk))),
            Walk::Dynamic(change) => {
                self.walk_alike(change, |one, walk| one.walk(Walk::Dynamic(walk)))
            }
            Walk::Parallel(change) => self.apply(&mut |one| one.walk(Walk::Parallel(change))),
        }
    }

    fn get(&self, key: u32) -> Option<IndexObject<S, D>> {
        self.read(&|one| one.get(key))
    }
    fn bounds_of(&self, keys: &[u32], out: &mut [[[S; D]; 2]]) {
        let found = self.read(&|one| {
            let mut found = out.to_vec();
            one.bounds_of(keys, &mut found);
            found
        });
        out.copy_from_slice(&found);
    }
    fn len(&self) -> usize {
        self.read(&|one| one.len())
    }
    /// Returns the keys of the first structure. Asserts that the others store the same keys. If
    /// they differ only in their backends, the order must be equal, too.
    fn keys(&self) -> Vec<u32> {
        let _ = self.read(&|one| {
            let mut keys = one.keys();
            if !self.same_order {
                keys.sort_unstable();
            }
            keys
        });
        self.all[0].keys()
    }

    fn find_pairs(&mut self, search: &PairSearch<'_, S>, out: &mut Vec<Pair>) {
        let before = out.clone();
        *out = self.apply(&mut |one| {
            let mut found = before.clone();
            one.find_pairs(search, &mut found);
            if !search.sorted {
                found.sort_unstable();
            }
            found
        });
    }
    fn visit(&self, search: &Search<S, D>, visit: &mut Visit<'_, S, D>) -> ControlFlow<()> {
        let (first, others) = self.first_and_others();
        let in_any_order = matches!(search, Search::Region(_));
        let (mut visits, mut last) = (Vec::new(), ControlFlow::Continue(()));
        let flow = first.visit(search, &mut |entry, number| {
            assert!(!in_any_order || number == S::Real::ZERO, "the number of a region");
            visits.push((entry, number));
            last = visit(entry, number);
            last
        });
        assert_eq!(flow, last, "the last flow is returned");
        if in_any_order {
            visits.sort_unstable_by_key(|(entry, _)| entry.key);
        }
        for (other, number) in others {
            let (mut found, name) = (Vec::new(), describe(number, other));
            let flow = other.visit(search, &mut |entry, number| {
                let ours = first.get(entry.key).map(|object| object.bounds);
                assert_eq!(Some(entry.bounds), ours, "{name}: object {}", entry.key);
                found.push((entry, number));
                if found.len() == visits.len() { last } else { ControlFlow::Continue(()) }
            });
            assert_eq!(flow, last, "{name}: the last flow is returned");
            if in_any_order {
                found.sort_unstable_by_key(|(entry, _)| entry.key);
                let once = found.is_sorted_by(|a, b| a.0.key < b.0.key);
                assert!(once, "{name}: each visit once: {found:?}");
            }
            if in_any_order && last.is_break() {
                assert_eq!(found.len(), visits.len(), "{name} compared with the first");
            } else {
                assert_eq!(found, visits, "{name} compared with the first");
            }
        }
        flow
    }
    fn find_keys(&self, region: &Region<S, D>, out: &mut Vec<u32>) {
        self.read_into(out, &|one, out| one.find_keys(region, out));
    }
    fn find_neighbors(&self, near: Near<S>, out: &mut Neighbors) {
        self.read_into(out, &|one, out| one.find_neighbors(near, out));
    }

    /// Returns the state of the first structure; `None` as the backend if the backends differ.
    fn state(&self) -> IndexState {
        let state = self.all[0].state();
        let is_common = self.all.iter().all(|one| one.state().backend == state.backend);
        IndexState { backend: state.backend.filter(|_| is_common), ..state }
    }
    fn set_backend(&mut self, backend: Backend) {
        self.apply(&mut |one| one.set_backend(backend));
    }
    fn maintain(&mut self, task: Maintenance) -> Result<(), IndexError> {
        self.apply(&mut |one| one.maintain(task))
    }
    fn memory_use(&self) -> usize {
        self.all.capacity() * size_of::<Box<dyn SpatialIndex<S, D>>>()
            + self.all.iter().map(|one| size_of_val(&**one) + one.memory_use()).sum::<usize>()
    }
    fn assert_well_formed(&self) {
        self.all.iter().for_each(|one| one.assert_well_formed());
    }
    fn boxed_clone(&self) -> Box<dyn SpatialIndex<S, D>> {
        Box::new(self.clone())
    }
}
