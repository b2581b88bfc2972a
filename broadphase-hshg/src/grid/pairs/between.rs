//! Pairs of one object each of two grids.

use broadphase_core::{Entry, Flow, Scalar, instances};

use crate::grid::data::MoveData;
use crate::grid::pairs::sweep::{RowPairCursor, SweepRowPairs, sweep_rows};
use crate::grid::storage::axis_order::AxisOrder;
use crate::grid::storage::row::{STATIC, visit_block};
use crate::grid::storage::store::View;
use crate::grid::{Core, Hshg};

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Visits every overlapping pair of an object of this grid and one of another, in unspecified
    /// order, until the visitor stops. Two static objects are not a pair.
    ///
    /// Faster than [`pairs_with`](crate::SpatialIndex::pairs_with), which accepts any other
    /// structure and sorts the pairs: this takes as long as [`pairs`](crate::SpatialIndex::pairs).
    ///
    /// ```
    /// use broadphase_hshg::{Aabb, Hshg, SpatialIndex};
    ///
    /// let (mut ships, mut rocks): (Hshg<f32, 2, &str>, Hshg<f32, 2, u8>) = Default::default();
    /// ships.insert(0, Aabb::of_ball([0.0, 0.0], 2.0), "Ada")?;
    /// rocks.insert(0, Aabb::of_ball([3.0, 0.0], 1.0), 7)?;
    /// rocks.insert(1, Aabb::of_ball([9.0, 0.0], 1.0), 8)?;
    /// let mut hits = Vec::new();
    /// ships.pairs_between(&mut rocks, |ship, rock| hits.push((*ship.data, *rock.data)));
    /// assert_eq!(hits, [("Ada", 7)]);
    /// # Ok::<(), broadphase_hshg::IndexError>(())
    /// ```
    pub fn pairs_between<U: Copy, R: Flow>(
        &mut self,
        other: &mut Hshg<S, D, U>,
        mut visit: impl FnMut(Entry<'_, S, D, T>, Entry<'_, S, D, U>) -> R,
    ) -> R {
        self.refresh();
        other.refresh();
        if self.core.store.axes != other.core.store.axes {
            // Both grids must be swept along one axis: rebuild the smaller one.
            let (axes, others) = (self.core.store.axes, other.core.store.axes);
            if self.core.len < other.core.len {
                rebuild_with_axes(&mut self.core, others, &mut self.data);
            } else {
                rebuild_with_axes(&mut other.core, axes, &mut other.data);
            }
        }
        find_cross_pairs(&mut self.core, &other.core);
        let (core, others) = (&mut self.core, &other.core);
        let may_hit_holes = S::INTEGER || (D == 1 && core.holes + others.holes > 0);
        let exact = core.store.is_exact() && others.store.is_exact();
        let mut hits = [[0; 2]; 1024];
        let mut cursor =
            RowPairCursor { end: core.row_pairs.cross.len(), ..RowPairCursor::default() };
        while cursor.index < cursor.end {
            let kernel = SweepRowPairs {
                planes: [core.store.planes(), others.store.planes()],
                rows: [&core.rows, &others.rows],
                tiers: [&core.tiers, &others.tiers],
                same_grid: false,
                row_index: None,
                key_output: None,
                row_pairs: &core.row_pairs.cross,
                hits_often: false,
                picked: &mut core.row_pairs.scratch.picked,
                work: &mut [],
                cursor: &mut cursor,
                hits: &mut hits,
            };
            let filled = sweep_rows(core.backend, kernel);
            let views = (
                View::new(&core.store, &self.data.placed),
                View::new(&others.store, &other.data.placed),
            );
            for hit in &hits[..filled] {
                let [a, b] = hit.map(|slot| slot as usize);
                if may_hit_holes && !(core.is_live(a) && others.is_live(b)) {
                    continue;
                }
                let (a, b) = (views.0.entry(a), views.1.entry(b));
                if exact || a.bounds.overlaps(&b.bounds) {
                    let answer = visit(a, b);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
        R::CONTINUE
    }
}

instances! {
    /// [`Core::rebuild_with_axes`], compiled once.
    fn rebuild_with_axes<S, D>(core: &mut Core<S, D>, axes: AxisOrder, data: &mut dyn MoveData) {
        core.rebuild_with_axes(axes, data);
    }

    /// [`Core::find_cross_pairs`], compiled once.
    fn find_cross_pairs<S, D>(core: &mut Core<S, D>, other: &Core<S, D>) {
        core.find_cross_pairs(other);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Finds the row pairs to sweep between two grids.
    fn find_cross_pairs(&mut self, other: &Self) {
        let classes = other.rows.last().map_or(0, |row| row.id.class + 1);
        let row_pairs = &mut self.row_pairs.cross;
        row_pairs.clear();
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.len > 0) {
            let own = self.tiers.iter().find(|tier| tier.number == row.id.tier);
            let own = own.expect("the tier of a row exists");
            for tier in &other.tiers {
                let cells = tier.cells_reached(own, &row.id.cell);
                for class in (0..classes).filter(|&class| class.min(row.id.class) < STATIC) {
                    visit_block(&other.rows, [i32::from(class), tier.number], cells, |theirs| {
                        let near = &other.rows[theirs];
                        if near.len > 0 && near.bounds.overlaps(&row.bounds) {
                            row_pairs.push([index as u32, theirs as u32]);
                        }
                    });
                }
            }
        }
        let all = self.rows.iter().map(|row| row.len);
        let longest = all.chain(other.rows.iter().map(|row| row.len)).max().unwrap_or(0);
        self.row_pairs.scratch.picked.reserve(longest, D > 2);
    }
}
