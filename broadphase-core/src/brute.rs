//! Brute force: tests every pair of objects, eight at a time. It is the reference in the tests of
//! all structures, and the fastest structure for a few hundred objects.

use bounds_hexprism::{
    Aabb, Backend, Flow, Kernel, Keys, Lanes, Scalar, SlabPlanes, SlabVec, instances,
};

use crate::kernel::within::{self, Cursor, Open};
use crate::objects::{Change, Objects};
use crate::query::{CastSegment, CastSegments, Hits, SearchShell, SearchShells};
use crate::{Entry, IndexError, Motion, Path, Region, SpatialIndex, Target};

/// Brute force: all objects in one list. A search for pairs tests every pair of objects and a
/// query tests every object, eight at a time.
///
/// The structure has no settings and needs no maintenance. Wherever the objects are, pairs cost
/// O(n²), queries O(n) and changes O(1).
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, SpatialIndex};
///
/// let mut world: BruteForce<f32, 3> = BruteForce::new();
/// let cube = |key: u32| Aabb::around([key as f32 * 3.0, 0.0, 0.0], [1.0, 1.0, 1.0]);
/// world.extend((0..4).map(|key| (key, cube(key), ())))?;
/// let mut found = Vec::new();
/// world.query(Aabb::new([1.0, 0.0, 0.0], [5.0, 0.0, 0.0]), &mut found);
/// assert_eq!(found, [0, 1, 2]);
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Debug)]
pub struct BruteForce<S = f32, const D: usize = 2, T = ()> {
    objects: Objects<S, D, T>,
    slabs: SlabVec<D>,
    backend: Backend,
}

impl<S: Scalar, const D: usize, T: Copy> BruteForce<S, D, T> {
    /// Creates an empty structure with the fastest available backend.
    #[must_use]
    pub fn new() -> Self {
        const { bounds_hexprism::assert_compiled(D) };
        Self { objects: Objects::new(), slabs: SlabVec::new(), backend: Backend::detect() }
    }
}

impl<S: Scalar, const D: usize, T: Copy> Default for BruteForce<S, D, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: Scalar, const D: usize, T: Copy + Send + Sync + 'static> SpatialIndex<S, D>
    for BruteForce<S, D, T>
{
    type Data = T;

    fn insert(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
    ) -> Result<(), IndexError> {
        self.insert_with(key, bounds, data, Motion::Dynamic)
    }

    fn insert_with(
        &mut self,
        key: u32,
        bounds: impl Into<Aabb<S, D>>,
        data: T,
        motion: Motion,
    ) -> Result<(), IndexError> {
        self.slabs.try_reserve(1).map_err(|_| IndexError::OutOfMemory)?;
        let slot = self.objects.insert_with(key, bounds.into(), data, motion)?;
        self.slabs.push(self.objects.bounds()[slot].slabs());
        Ok(())
    }

    fn set_bounds(&mut self, key: u32, bounds: impl Into<Aabb<S, D>>) -> Result<(), IndexError> {
        let slot = self.objects.set_bounds(key, bounds.into())?;
        self.slabs.set(slot, self.objects.bounds()[slot].slabs());
        Ok(())
    }

    fn set_motion(&mut self, key: u32, motion: Motion) -> Result<(), IndexError> {
        self.objects.set_motion(key, motion).map(|_| ())
    }

    fn motion(&self, key: u32) -> Option<Motion> {
        self.objects.motion(key)
    }

    fn remove(&mut self, key: u32) -> Option<T> {
        let slot = self.objects.slot(key)?;
        self.slabs.swap_remove(slot);
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
        self.slabs.clear();
    }

    fn retain(
        &mut self,
        keep: impl FnMut(u32, &mut T, &mut Aabb<S, D>) -> bool,
    ) -> Result<(), IndexError> {
        let slabs = &mut self.slabs;
        self.objects.retain(keep, |objects, change| apply_change(slabs, objects, change))
    }

    fn update_dynamic(
        &mut self,
        change: impl FnMut(u32, &mut T, &mut Aabb<S, D>),
    ) -> Result<(), IndexError> {
        let slabs = &mut self.slabs;
        self.objects.update_dynamic(change, |objects, change| apply_change(slabs, objects, change))
    }

    fn order(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.objects.keys().iter().copied()
    }

    fn memory_use(&self) -> usize {
        self.objects.memory_use() + self.slabs.memory_use()
    }

    fn pairs_unordered<R: Flow>(
        &mut self,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, T>) -> R,
    ) -> R {
        let mut hits = [[0; 2]; 512];
        let mut cursor = Cursor::default();
        while cursor.row < self.slabs.len() {
            let (planes, len) = (self.slabs.planes(), self.slabs.len());
            let (at, out) = (&mut cursor, &mut hits);
            let filled = find_pairs(self.backend, AllPairs { planes, len, cursor: at, hits: out });
            for &[a, b] in &hits[..filled] {
                if self.objects.motions().keep_apart(a as usize, b as usize) {
                    continue;
                }
                let [a, b] = self.objects.entries(a as usize, b as usize);
                if S::EXACT_KEYS || a.bounds.overlaps(&b.bounds) {
                    let flow = visit(a, b);
                    if flow.stops() {
                        return flow;
                    }
                }
            }
        }
        R::CONTINUE
    }

    fn query_unordered<R: Flow>(
        &self,
        region: impl Into<Region<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>) -> R,
    ) -> R {
        let Some(region) = region.into().normalized() else { return R::CONTINUE };
        let decided = S::EXACT_KEYS && region.is_box();
        self.slabs.query(self.backend, &region.reach().slabs(), |slot| {
            let entry = self.objects.entry(slot);
            if decided || region.overlaps(&entry.bounds) { visit(entry) } else { R::CONTINUE }
        })
    }

    fn cast<R: Flow>(
        &self,
        path: Path<S, D>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let geometry = self.geometry();
        let Some(mut segments) = CastSegments::new(&path, None, self.objects.len(), true) else {
            return R::CONTINUE;
        };
        segments.each(
            |segment, hits| test_segment(geometry, segment, hits),
            |hit| visit(self.objects.entry(hit.slot as usize), hit.number),
        )
    }

    fn nearest<R: Flow>(
        &self,
        target: impl Into<Target<S, D>>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, S::Real) -> R,
    ) -> R {
        let geometry = self.geometry();
        let Some(mut shells) = SearchShells::new(target.into(), None, self.objects.len()) else {
            return R::CONTINUE;
        };
        shells.each(
            |shell, hits| test_shell(geometry, shell, hits),
            |hit| visit(self.objects.entry(hit.slot as usize), hit.number),
        )
    }

    fn set_backend(&mut self, backend: Backend) {
        self.backend = backend;
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.backend)
    }

    fn try_reserve(&mut self, additional: usize) -> Result<(), IndexError> {
        self.slabs.try_reserve(additional).map_err(|_| IndexError::OutOfMemory)?;
        self.objects.try_reserve(additional)
    }

    fn shrink_to_fit(&mut self) {
        self.objects.shrink_to_fit();
        self.slabs.shrink_to_fit();
    }

    fn assert_well_formed(&self) {
        self.objects.assert_well_formed();
        assert_eq!(self.slabs.len(), self.objects.len(), "numbers of slabs and objects are equal");
        for (slot, bounds) in self.objects.bounds().iter().enumerate() {
            assert_eq!(self.slabs.get(slot), bounds.slabs(), "slabs agree with the bounds");
        }
    }
}

impl<S: Scalar, const D: usize, T: Copy> BruteForce<S, D, T> {
    #[inline]
    fn geometry(&self) -> Geometry<'_, S, D> {
        let Self { objects, slabs, backend } = self;
        Geometry { keys: objects.keys(), bounds: objects.bounds(), slabs, backend: *backend }
    }
}

/// Keys and bounds of all objects, borrowed without the caller's data: functions that take this
/// type are compiled once per number type, in this crate.
#[derive(Clone, Copy)]
struct Geometry<'a, S, const D: usize> {
    /// Keys by slot.
    keys: &'a [u32],
    /// Bounds by slot.
    bounds: &'a [Aabb<S, D>],
    slabs: &'a SlabVec<D>,
    backend: Backend,
}

instances! {
    /// Tests all objects against a segment of a cast. Adds the objects that the path first touches
    /// in this segment to `hits`.
    fn test_segment<S, D>(
        geometry: Geometry<'_, S, D>,
        segment: &CastSegment<'_, S, D>,
        hits: &mut Hits<S>,
    ) {
        let Geometry { keys, bounds, slabs, backend } = geometry;
        let _ = slabs.query(backend, &segment.area().slabs(), |slot| {
            hits.see(keys[slot], slot as u32, || segment.first_touch(&bounds[slot]))
        });
    }

    /// Tests all objects against a shell around a target. Adds the objects that belong to the shell
    /// to `hits`.
    fn test_shell<S, D>(geometry: Geometry<'_, S, D>, shell: &SearchShell<'_, S, D>, hits: &mut Hits<S>) {
        let Geometry { keys, bounds, slabs, backend } = geometry;
        let _ = slabs.query(backend, &shell.area().slabs(), |slot| {
            hits.see(keys[slot], slot as u32, || shell.distance_squared(&bounds[slot]))
        });
    }
}

/// Applies a change that was made in `objects` to `slabs`, the bounds as integer keys by slot.
#[inline(always)]
fn apply_change<S: Scalar, const D: usize, T: Copy>(
    slabs: &mut SlabVec<D>,
    objects: &Objects<S, D, T>,
    change: Change,
) {
    match change {
        Change::Bounds { slot } => slabs.set(slot, objects.bounds()[slot].slabs()),
        Change::Removal { slot } => {
            slabs.swap_remove(slot);
        }
    }
}

instances! {
    /// Runs [`AllPairs`] on a backend; returns the number of hits written.
    fn find_pairs<D>(backend: Backend, kernel: AllPairs<'_, D>) -> usize {
        backend.dispatch(kernel)
    }
}

/// Kernel: continues the loop over all pairs of slots from `cursor` until all are done or `hits`
/// has no room for another block of eight; returns the number of hits written.
struct AllPairs<'a, const D: usize> {
    planes: SlabPlanes<'a, D>,
    len: usize,
    cursor: &'a mut Cursor,
    hits: &'a mut [[u32; 2]],
}

impl<const D: usize> Kernel for AllPairs<'_, D> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        within::pairs(lanes, &self.planes, self.len, Open, self.cursor, self.hits, 0)
    }
}
