//! Grids of all configurations side by side: they are told the same and must answer the same.

use alloc::collections::BTreeMap;

use broadphase_hshg::{
    Aabb, Backend, Entry, Flow, Hshg, HshgConfig, IndexError, Motion, Neighbors, Path, Region,
    Scalar, SpatialIndex,
};

/// The same objects in structures that are configured in different ways.
#[derive(Clone, Debug)]
pub(crate) struct Together<I, const N: usize> {
    pub(crate) all: [I; N],
}

impl<S: Scalar, const D: usize> Together<Hshg<S, D, u32>, 7> {
    /// Grids that are configured in every way there is.
    pub(crate) fn new() -> Self {
        let config = HshgConfig::new;
        let fine = if S::INTEGER { S::from_f64(1.0) } else { S::from_f64(0.0625) };
        let mut all = [
            // Cells far smaller than the objects: many levels.
            config().smallest_cell(fine),
            // Nearly everything is too large for the highest level.
            config().smallest_cell(fine).levels(1),
            // Two levels, of the objects that are there when there are many; whatever comes.
            config().levels(2),
            // Levels of the first objects, whatever comes.
            config().manual_upkeep(),
            config(),
            config(),
            config(),
        ]
        .map(Hshg::with_config);
        // Slabs a little larger than the objects, and far larger.
        all[4].set_skin(fine);
        all[5].set_skin(S::from_f64(1e3));
        Self { all }
    }
}

impl<I, const N: usize> Together<I, N> {
    /// The answer of all of them.
    fn ask<R: PartialEq + core::fmt::Debug>(&mut self, mut ask: impl FnMut(&mut I) -> R) -> R {
        let (first, others) = self.all.split_first_mut().expect("there are some");
        let answer = ask(first);
        for (index, other) in others.iter_mut().enumerate() {
            assert_eq!(ask(other), answer, "configuration {} beside the first", index + 1);
        }
        answer
    }

    /// Carries over what was written through `data_mut`, which reaches the first alone.
    fn share_data<S: Scalar, const D: usize>(&mut self)
    where
        I: SpatialIndex<S, D, Data = u32>,
    {
        let (first, others) = self.all.split_first_mut().expect("there are some");
        for key in first.order() {
            let data = *first.get(key).expect("it is there").data;
            for other in &mut *others {
                *other.data_mut(key).expect("it is there") = data;
            }
        }
    }

    /// Walks over the first, and lets the others do what was done.
    fn walk<S: Scalar, const D: usize>(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
        walk: impl Fn(
            &mut I,
            &mut dyn FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
        ) -> Result<(), IndexError>,
    ) -> Result<(), IndexError>
    where
        I: SpatialIndex<S, D, Data = u32>,
    {
        let (first, others) = self.all.split_first_mut().expect("there are some");
        let mut done = BTreeMap::new();
        let answer = walk(first, &mut |key, data, bounds| {
            let keep = change(key, data, bounds);
            done.insert(key, (keep, *data, *bounds));
            keep
        });
        for other in others {
            let mut seen = 0;
            let theirs = walk(other, &mut |key, data, bounds| {
                seen += 1;
                let keep;
                (keep, *data, *bounds) = done[&key];
                keep
            });
            assert_eq!((theirs, seen), (answer, done.len()));
        }
        answer
    }
}

impl<S, const D: usize, I, const N: usize> SpatialIndex<S, D> for Together<I, N>
where
    S: Scalar,
    I: SpatialIndex<S, D, Data = u32>,
{
    type Data = u32;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: u32,
    ) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.ask(|grid| grid.insert(key, bounds, data))
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let bounds = bounds.into();
        self.ask(|grid| grid.set_bounds(key, bounds))
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.ask(|grid| grid.set_motion(key, motion))
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        let motion = self.all[0].motion(key);
        assert!(self.all.iter().all(|grid| grid.motion(key) == motion));
        motion
    }

    fn remove(&mut self, key: u32) -> Option<u32> {
        self.share_data();
        self.ask(|grid| grid.remove(key))
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, u32>> {
        let entry = self.all[0].get(key);
        let bounds = entry.map(|entry| entry.bounds);
        assert!(self.all.iter().all(|grid| grid.get(key).map(|entry| entry.bounds) == bounds));
        entry
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut u32> {
        self.all[0].data_mut(key)
    }

    fn len(&self) -> usize {
        assert!(self.all.iter().all(|grid| grid.len() == self.all[0].len()));
        self.all[0].len()
    }

    fn clear(&mut self) {
        self.ask(I::clear);
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut u32, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        self.walk(keep, |grid, keep| grid.retain(keep))
    }

    fn update_dynamic(
        &mut self,
        mut change: impl FnMut(u32, &mut u32, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let change = |key, data: &mut _, bounds: &mut _| {
            change(key, data, bounds);
            true
        };
        self.walk(change, |grid, keep| {
            grid.update_dynamic(|key, data, bounds| {
                keep(key, data, bounds);
            })
        })
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.all[0].order()
    }

    fn renumber(&mut self, old: &mut Vec<u32>) {
        self.share_data();
        self.all[0].renumber(old);
        // Others are stored in another order: they take over the keys of the first.
        for grid in &mut self.all[1..] {
            let before = grid.clone();
            grid.clear();
            for (new, &old) in (0..).zip(&*old) {
                let entry = before.get(old).expect("it was there");
                grid.insert(new, entry.bounds, *entry.data).expect("it was there");
                grid.set_motion(new, before.motion(old).expect("it was there")).expect("it is");
            }
        }
    }

    fn memory_use(&self) -> usize {
        self.all.iter().map(I::memory_use).sum()
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.ask(|grid| grid.try_reserve(additional))
    }

    fn shrink_to_fit(&mut self) {
        self.ask(I::shrink_to_fit);
    }

    fn optimize(&mut self) {
        self.ask(I::optimize);
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        visit: impl FnMut(Entry<'_, S, D, u32>, Entry<'_, S, D, u32>) -> R,
    ) -> R {
        self.share_data();
        self.ask(|grid| {
            let mut pairs = Vec::new();
            grid.pairs(&mut pairs);
            pairs
        });
        self.all[0].pairs_unordered(visit)
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        visit: impl FnMut(Entry<'_, S, D, u32>) -> R,
    ) -> R {
        let region = region.into();
        let found = self.all.each_ref().map(|grid| {
            let mut found = Vec::new();
            grid.query(region, &mut found);
            found
        });
        assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
        self.all[0].query_unordered(region, visit)
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        visit: impl FnMut(Entry<'_, S, D, u32>, S::Real) -> R,
    ) -> R {
        let found = self.all.each_ref().map(|grid| {
            let mut found = Vec::new();
            grid.cast(path, |entry, fraction| found.push((entry.key, fraction)));
            found
        });
        assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
        self.all[0].cast(path, visit)
    }

    fn neighbors(&self, radius: S, out: &mut Neighbors) {
        let mut other = Neighbors::default();
        self.all[0].neighbors(radius, out);
        for grid in &self.all[1..] {
            grid.neighbors(radius, &mut other);
            assert_eq!(other, *out, "within {radius}");
        }
    }

    fn set_backend(&mut self, backend: Backend) {
        self.ask(|grid| grid.set_backend(backend));
    }

    fn backend(&self) -> Option<Backend> {
        self.all[0].backend()
    }

    fn assert_well_formed(&self) {
        self.all.iter().for_each(I::assert_well_formed);
    }
}
