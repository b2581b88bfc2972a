//! Morton-sorted objects as a structure like any other.

use alloc::vec::Vec;

use broadphase_core::objects::Change;
use broadphase_core::{
    Aabb, Backend, Entry, Flow, IndexError, Motion, Region, Scalar, SpatialIndex,
};

use super::MortonCells;
use super::join::JoinTrees;
use super::layer::GONE;
use super::places::{BUSY, Places, STILL};
use super::tree::{Descent, Find};

/// With so many times as many static objects as others, groups of those reach over too many.
const SPARSE: usize = 8;
/// Places found at a time.
const FOUND: usize = 256;

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialIndex<S, D>
    for MortonCells<S, D, T>
{
    type Data = T;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
    ) -> Result<(), IndexError> {
        self.places.try_reserve(1)?;
        self.objects.insert(key, bounds.into(), data)?;
        self.places.add();
        Ok(())
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds.into())?;
        self.places.set_aside(slot);
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        let before = self.objects.motion(key);
        let slot = self.objects.set_motion(key, motion)?;
        if (before == Some(Motion::Static)) != (motion == Motion::Static) {
            self.places.set_aside(slot);
        }
        Ok(())
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.objects.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.objects.slot(key)?;
        self.places.remove(slot);
        Some(self.objects.swap_remove(slot).data)
    }

    fn get(&self, key: u32) -> Option<Entry<'_, S, D, T>> {
        self.objects.slot(key).map(|slot| self.objects.entry(slot))
    }

    fn data_mut(&mut self, key: u32) -> Option<&mut T> {
        let slot = self.objects.slot(key)?;
        Some(&mut self.objects.data_mut()[slot])
    }

    fn len(&self) -> usize {
        self.objects.len()
    }

    fn clear(&mut self) {
        self.objects.clear();
        self.places.clear();
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let places = &mut self.places;
        let answer = self.objects.retain(keep, |_, change| match change {
            Change::Bounds { slot } => places.touch(slot),
            Change::Removal { slot } => places.remove(slot),
        });
        self.refresh();
        answer
    }

    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let places = &mut self.places;
        let answer = self.objects.update_dynamic(change, |_, change| match change {
            Change::Bounds { slot } => places.touch(slot),
            Change::Removal { slot } => places.remove(slot),
        });
        self.refresh();
        answer
    }

    fn renumber(&mut self, old: &mut Vec<u32>) {
        self.refresh();
        self.objects.renumber(old);
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.objects.keys().iter().copied()
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use() + self.places.memory_use()
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        self.refresh();
        for other in [BUSY, STILL] {
            let answer = self.join(other, &mut visit);
            if answer.stops() {
                return answer;
            }
        }
        R::CONTINUE
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().askable() else { return R::CONTINUE };
        self.find(&region, &mut visit)
    }

    fn spacing(&self) -> Option<f64> {
        self.typical_spacing()
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.backend)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.places.try_reserve(additional)?;
        self.objects.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.refresh();
        self.objects.shrink_to_fit();
        self.places.shrink_to_fit();
    }

    fn optimize(&mut self) {
        self.refresh();
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        self.places.assert_well_formed(&self.objects);
    }
}

impl<S: Scalar, const D: usize, T: Copy> MortonCells<S, D, T> {
    /// Brings the order up to date.
    fn refresh(&mut self) {
        self.places.refresh(&mut self.objects, self.backend);
    }

    /// Visits the pairs of what may move with a layer.
    fn join<R: Flow>(
        &mut self,
        other: usize,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Self { objects, places, backend } = self;
        let [busy, other_layer] = [&places.layers[BUSY], &places.layers[other]];
        if busy.slots.is_empty() || other_layer.slots.is_empty() {
            return R::CONTINUE;
        }
        if other == STILL && other_layer.slots.len() > SPARSE * busy.slots.len() {
            return self.look_up(visit);
        }
        let join = &mut places.join;
        join.begin();
        loop {
            let trees = [&busy.tree, &other_layer.tree];
            let alone = other == BUSY;
            let filled = backend.dispatch(JoinTrees { trees, alone, join });
            if filled == 0 {
                return R::CONTINUE;
            }
            for &[a, b] in &join.hits[..filled] {
                // Padding seems to overlap what spans everything.
                let (Some(&a), Some(&b)) =
                    (busy.slots.get(a as usize), other_layer.slots.get(b as usize))
                else {
                    continue;
                };
                let (a, b) = (a as usize, b as usize);
                if b == GONE as usize || objects.motions().keep_apart(a, b) {
                    continue;
                }
                let [a, b] = objects.entries(a, b);
                if S::EXACT_KEYS || a.bounds.overlaps(&b.bounds) {
                    let answer = visit(a, b);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
    }

    /// Visits the pairs of what may move with what is static, one object after the other.
    fn look_up<R: Flow>(
        &self,
        visit: &mut impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Self { objects, places, backend } = self;
        let [busy, still] = [&places.layers[BUSY], &places.layers[STILL]];
        let volumes = busy.tree.heights[0].view();
        let mut out = [0; FOUND];
        for (place, &own) in busy.slots.iter().enumerate() {
            let volume = &volumes.get(place);
            let mut descent = Descent::DONE;
            descent.begin(&still.tree);
            while !descent.is_done() {
                let (tree, descent) = (&still.tree, &mut descent);
                let filled = backend.dispatch(Find { tree, volume, descent, out: &mut out });
                let found = out[..filled].iter().map(|&place| still.slots[place as usize]);
                let answer = each(found.filter(|&slot| slot != GONE), |slot| {
                    if objects.motions().keep_apart(own as usize, slot as usize) {
                        return R::CONTINUE;
                    }
                    let [a, b] = objects.entries(own as usize, slot as usize);
                    let met = S::EXACT_KEYS || a.bounds.overlaps(&b.bounds);
                    if met { visit(a, b) } else { R::CONTINUE }
                });
                if answer.stops() {
                    return answer;
                }
            }
        }
        R::CONTINUE
    }

    /// Visits what overlaps a region.
    fn find<R: Flow>(
        &self,
        region: &Region<S, D>,
        visit: &mut impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut see = |slot: u32, decided: bool| {
            let entry = self.objects.entry(slot as usize);
            if decided || region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        };
        let Places { layers, aside, .. } = &self.places;
        if layers.iter().any(|layer| layer.stale) {
            // A walk was left in the middle.
            return each(0..self.objects.len() as u32, |slot| see(slot, false));
        }
        let decided = S::EXACT_KEYS && region.is_box();
        let volume = &region.reach().slabs();
        let mut out = [0; FOUND];
        for layer in layers {
            let mut descent = Descent::DONE;
            descent.begin(&layer.tree);
            while !descent.is_done() {
                let find = Find { tree: &layer.tree, volume, descent: &mut descent, out: &mut out };
                let filled = self.backend.dispatch(find);
                let found = out[..filled].iter().map(|&place| layer.slots[place as usize]);
                let answer = each(found.filter(|&slot| slot != GONE), |slot| see(slot, decided));
                if answer.stops() {
                    return answer;
                }
            }
        }
        each(aside.iter().copied(), |slot| see(slot, false))
    }

    /// About how far it is from one object to the next.
    fn typical_spacing(&self) -> Option<f64> {
        let largest = self.places.layers.iter().max_by_key(|layer| layer.slots.len())?;
        let bounds = largest.tree.bounds()?;
        let mut volume = 1.0;
        for axis in 0..D {
            let (min, max) = (S::of_key(bounds.min[axis]), S::of_key(bounds.max[axis]));
            volume *= max.to_f64() - min.to_f64();
        }
        let each = volume / largest.slots.len() as f64;
        (each > 0.0 && each < f64::MAX).then(|| root::<D>(each))
    }
}

/// Visits one after the other, until the visitor stops.
fn each<R: Flow>(items: impl Iterator<Item = u32>, mut visit: impl FnMut(u32) -> R) -> R {
    for item in items {
        let answer = visit(item);
        if answer.stops() {
            return answer;
        }
    }
    R::CONTINUE
}

/// About the `D`-th root, from below or above by less than half.
fn root<const D: usize>(x: f64) -> f64 {
    let (mut low, mut high) = (f64::MIN_POSITIVE, f64::MAX);
    // Halving the exponents first, then the rest.
    for _ in 0..64 {
        let bits = low.to_bits().midpoint(high.to_bits());
        let middle = f64::from_bits(bits);
        let power = (1..D).fold(middle, |power, _| power * middle);
        if power < x { low = middle } else { high = middle }
    }
    low
}
