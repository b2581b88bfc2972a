//! Counts of a world, and debug drawing.

use crate::UserData;
use bounds_hexprism::Bounds;
use broadphase_core::{Pair, Scalar};

use super::{BroadPhase, Line, Stats};

impl<S: Scalar, const D: usize, U: UserData, B: Bounds<S, D>> BroadPhase<S, D, U, B> {
    /// Returns numbers of objects and pairs, allocated memory, and levels of the structure. Takes
    /// time linear in the number of objects.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Motion, Object};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// for n in 0..1000 {
    ///     world.insert(Aabb::of_ball([n as f32, 0.0], 0.75), ())?;
    /// }
    /// let ground = Aabb::new([0.0, -9.0], [1000.0, -1.0]);
    /// world.insert_object(Object::new(ground, ()).motion(Motion::Static))?;
    /// world.step();
    /// let stats = world.stats();
    /// assert_eq!((stats.objects, stats.dynamic, stats.statics), (1001, 1000, 1));
    /// assert_eq!((stats.pairs, stats.began, stats.ended), (999, 999, 0));
    /// println!("{stats}");
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn stats(&self) -> Stats<S> {
        let mut stats = self.engine.stats(&self.registry);
        stats.bytes += self.users.memory_use()
            + self.volumes.capacity() * size_of::<B>()
            + self.found.capacity() * size_of::<Pair>();
        stats
    }

    /// Draws the world as lines for debugging: first the current boxes of all objects, by handle;
    /// then the cells of the structure, level by level; then the pairs of the last step whose
    /// objects still exist. Takes time and memory linear in the number of objects.
    ///
    /// A box has 1, 4 or 12 edges in one, two or three dimensions. Each cell is drawn completely:
    /// shared edges are drawn twice. Brute force and structures of the caller have no cells. The
    /// cells of Morton-sorted objects are clusters of eight objects, and groups of eight clusters.
    /// In a world that wraps boxes are drawn at their stored coordinates, and a pair to the nearest
    /// image of its second object.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, LineKind, Motion};
    ///
    /// let mut world: BroadPhase = BroadPhase::new();
    /// world.insert(Aabb::new([0.0, 0.0], [2.0, 2.0]), ())?;
    /// world.insert(Aabb::new([1.0, 0.0], [5.0, 4.0]), ())?;
    /// world.step();
    /// let mut lines = Vec::new();
    /// world.debug_lines(|line| lines.push(line));
    /// assert_eq!(lines.len(), 4 + 4 + 1);
    /// assert_eq!(lines[0].ends, [[0.0, 0.0], [2.0, 0.0]]);
    /// assert_eq!(lines[0].kind, LineKind::Bounds(Motion::Dynamic));
    /// assert_eq!(lines[8].ends, [[1.0, 1.0], [3.0, 2.0]]);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    pub fn debug_lines(&self, mut draw: impl FnMut(Line<S, D>)) {
        self.engine.debug_lines(&self.registry, &mut draw);
    }
}
