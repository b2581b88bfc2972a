//! How a world comes to stand on the structure that suits it.

use alloc::boxed::Box;

use bounds_hexprism::Bounds;
use broadphase_core::{BruteForce, Scalar, SpatialIndex, Torus};

use super::{BroadPhase, Choice};
use crate::structure::{Proxy, Structure};
use crate::{Algorithm, Options};

impl<S: Scalar, const D: usize, U: Copy + Send + Sync, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// The structure the world stands on at the moment. A new world begins on brute force, which
    /// costs nothing to fill; steps move it on to what suits it.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
    /// for user in 0..1_000 {
    ///     world.insert(Aabb::point([user as f32]), user)?;
    /// }
    /// let before = world.choice().algorithm;
    /// world.step();
    /// println!("from {before:?} to {}", world.choice());
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub const fn choice(&self) -> Choice<S> {
        self.choice
    }

    /// Moves the world on to the structure that suits it, and does what upkeep that has to do: part
    /// of every [`step`](Self::step), to be called alone by those who ask much and never step, or
    /// who have time before a step.
    ///
    /// ```
    /// # use hexphase::{Aabb, BroadPhase};
    /// let mut world: BroadPhase<f32, 1, u32> = BroadPhase::new();
    /// for user in 0..1_000 {
    ///     world.insert(Aabb::point([user as f32]), user)?;
    /// }
    /// world.optimize();
    /// assert_eq!(world.query(Aabb::new([10.0], [20.0])).count(), 11);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn optimize(&mut self) {
        self.choose();
        self.structure.optimize();
    }

    /// Moves the world on to the structure that suits it.
    pub(super) fn choose(&mut self) {
        if self.choice.algorithm.is_none() {
            return;
        }
        let objects = self.len();
        let (algorithm, reason) = Choice::algorithm(&self.options, self.choice, objects);
        self.choice.reason = reason;
        let same = self.choice.algorithm == Some(algorithm);
        let measures_cells = self.choice.cell.is_some() && self.options.cell.is_none();
        if same && !(measures_cells && self.choice.is_outdated(objects)) {
            return;
        }
        self.rebuild(algorithm);
    }

    fn rebuild(&mut self, algorithm: Algorithm) {
        let (mut structure, cell) = self.build(algorithm);
        structure.set_backend(self.backend);
        // A hint: without it the structure grows step by step.
        let _ = structure.try_reserve(self.len().max(self.options.capacity));
        self.structure.each(&mut |key, body| {
            structure.insert(key, body).expect("what was in one structure fits another");
        });
        self.structure = structure;
        let objects = self.len();
        self.choice = Choice { algorithm: Some(algorithm), cell, objects, ..self.choice };
    }

    /// An empty structure, and the side of its cells.
    fn build(&self, algorithm: Algorithm) -> (Box<dyn Structure<S, D>>, Option<S>) {
        let options = &self.options;
        match algorithm {
            #[cfg(feature = "hash")]
            Algorithm::Hash => {
                use broadphase_hshg::SpatialHash;
                let cell = options.cell.unwrap_or_else(|| {
                    let mut all = alloc::vec::Vec::with_capacity(self.len());
                    self.structure.each(&mut |_, body| all.push(body.bounds));
                    SpatialHash::<S, D, Proxy>::recommend(all)
                });
                (boxed(SpatialHash::<S, D, Proxy>::new(cell), options), Some(cell))
            }
            #[cfg(feature = "hshg")]
            Algorithm::Hshg => {
                use broadphase_hshg::{Hshg, HshgConfig};
                let config = options.cell.map(|cell| HshgConfig::new().smallest_cell(cell));
                let mut grid = Hshg::<S, D, Proxy>::with_config(config.unwrap_or_default());
                if options.skin > S::ZERO {
                    grid.set_skin(options.skin);
                }
                (boxed(grid, options), None)
            }
            #[cfg(feature = "morton")]
            Algorithm::Morton => {
                use broadphase_morton::MortonCells;
                let mut cells = MortonCells::<S, D, Proxy>::new();
                if options.skin > S::ZERO {
                    cells.set_skin(options.skin);
                }
                (boxed(cells, options), None)
            }
            _ => (boxed(BruteForce::<S, D, Proxy>::new(), options), None),
        }
    }
}

/// A structure for a world of these options.
pub(super) fn boxed<S: Scalar, const D: usize>(
    index: impl SpatialIndex<S, D, Data = Proxy> + 'static,
    options: &Options<S, D>,
) -> Box<dyn Structure<S, D>> {
    if options.wraps() {
        Box::new(Torus::new(index, options.sides).expect("checked when the options were made"))
    } else {
        Box::new(index)
    }
}
