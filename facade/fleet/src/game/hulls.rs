//! Hulls of ships: immutable bodies of cells that ships refer to by number.
//!
//! A ship that loses cells gets a new hull. The old hull stays, because saved states refer to it.
//! So saving a state copies no hulls:
//!
//! 1. Numbers ascend in the order of creation, and a number is reused only if a state from before
//!    its creation is loaded. Two peers that have simulated the same inputs have the same hulls
//!    under the same numbers.
//! 2. A state saves only the number of hulls and a hash over all of them. Loading it drops the
//!    hulls that were created later.
//! 3. A hull without a ship is retired: it is put into a list with the tick. It is freed when
//!    states from before that tick can no longer be loaded. Loading such a state cancels the
//!    retirement.

use alloc::collections::VecDeque;

use hexphase::hex::{Hex, HexBody, Point, Pose};

use super::clearance::{MAX_CELLS, MAX_REACH};
use crate::random::mixed;

/// A rigid body of cells. Ships with equal shapes at the start share one hull.
#[derive(Debug)]
pub(crate) struct Hull {
    /// The cells. The origin is the cell in the middle.
    pub(crate) body: HexBody,
    /// Number of cells, which is also the mass.
    pub(crate) cells: u32,
    /// Extent along an axis; see [`Entity::reach`](super::entity::Entity::reach).
    pub(crate) reach: u16,
    /// Centers of the cells of a small hull, for [`clearance`](super::clearance); otherwise empty.
    pub(crate) centers: Vec<Point>,
}

impl Hull {
    pub(super) fn new(body: HexBody) -> Self {
        let (cells, reach) = (body.len() as u32, reach(&body));
        let mut centers = Vec::new();
        if body.len() <= MAX_CELLS && reach <= MAX_REACH {
            centers.extend(body.cells().map(|cell| body.grid().center(cell)));
        }
        Self { body, cells, reach, centers }
    }
}

/// All hulls by number.
#[derive(Debug, Default)]
pub(crate) struct Hulls {
    list: Vec<Option<Box<Hull>>>,
    /// Hash of the cells of all hulls, in the order of creation.
    hash: u64,
    /// Retired hulls: the tick since which a hull has no ship, and its number; ascending by tick.
    retired: VecDeque<(u64, u32)>,
    /// Hulls below this number are the shapes of new ships and are never freed.
    shapes: u32,
}

impl Hulls {
    /// Adds a hull and returns its number and its reach.
    pub(crate) fn add(&mut self, body: HexBody) -> (u32, u16) {
        let mut hash = mixed(self.hash, body.len() as u64);
        for Hex { q, r } in body.cells() {
            hash = mixed(hash, u64::from(q as u32) << 32 | u64::from(r as u32));
        }
        self.hash = hash;
        let hull = Hull::new(body);
        let reach = hull.reach;
        self.list.push(Some(Box::new(hull)));
        (self.list.len() as u32 - 1, reach)
    }

    /// Declares all hulls up to now to be shapes of new ships, which are never freed.
    pub(crate) fn keep_all(&mut self) {
        self.shapes = self.list.len() as u32;
    }

    /// Returns the hull with this number, which a ship must have.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &Hull {
        self.list[number as usize].as_deref().expect("a ship has this hull")
    }

    /// Returns whether a hull is a shape of new ships.
    pub(crate) fn is_shape(&self, number: u32) -> bool {
        number < self.shapes
    }

    /// Retires a hull: no ship has it since this tick.
    pub(crate) fn retire(&mut self, tick: u64, number: u32) {
        if number >= self.shapes {
            self.retired.push_back((tick, number));
        }
    }

    /// Returns the number of hulls and their hash, which identify all of them.
    pub(crate) fn state(&self) -> (u32, u64) {
        (self.list.len() as u32, self.hash)
    }

    /// Restores the list to an earlier state, given the tick and the result of
    /// [`state`](Self::state) in it.
    pub(crate) fn rewind(&mut self, tick: u64, (len, hash): (u32, u64)) {
        self.list.truncate(len as usize);
        self.hash = hash;
        while self.retired.back().is_some_and(|&(at, _)| at >= tick) {
            self.retired.pop_back();
        }
    }

    /// Frees the retired hulls that only states before this tick refer to.
    pub(crate) fn forget(&mut self, tick: u64) {
        while let Some(&(at, number)) = self.retired.front()
            && at < tick
        {
            self.list[number as usize] = None;
            self.retired.pop_front();
        }
    }
}

/// Returns the squared distance of a cell from the origin, in units of the distance of neighbors.
const fn square(cell: Hex) -> i32 {
    cell.q * cell.q + cell.q * cell.r + cell.r * cell.r
}

/// Returns the extent along an axis of the circle around a body, in units, rounded up. It is at
/// most that of [`HexBody::span`], which contains the hexagon around the body.
///
/// The center of a cell is 512 √(2 (q² + qr + r²)) units from the origin, and the corners of a cell
/// are 512 √(2/3) units from its center. The extent of a circle along an axis is √(2/3) of its
/// radius.
fn reach(body: &HexBody) -> u16 {
    let size = body.grid().cell_size().unsigned_abs();
    let farthest = body.cells().map(square).max().unwrap_or(0).unsigned_abs();
    let center = (u64::from(farthest) * u64::from(4 * size * size)).div_ceil(3).isqrt() as u32 + 1;
    let reach = center + (2 * size).div_ceil(3);
    u16::try_from(reach).expect("ships have at most a few hundred cells")
}

/// Moves the origin of a body to its middle cell: among the cell at the center of mass and its
/// neighbors, the one with the smallest distance to its farthest cell. Returns the body and the
/// pose in which its cells keep their positions; `None` for a body without cells.
pub(crate) fn centered(body: HexBody, pose: Pose) -> Option<(HexBody, Pose)> {
    let near = body.grid().cell(body.center()?);
    let farthest = |origin: Hex| body.cells().map(|cell| square(cell - origin)).max();
    let cell = near.range(1).min_by_key(|&origin| (farthest(origin), origin != near))?;
    if cell == Hex::ORIGIN {
        return Some((body, pose));
    }
    let position = pose.to_world(body.grid().center(cell));
    let moved = body.cells().map(|one| one - cell).collect();
    Some((moved, Pose { position, ..pose }))
}

#[cfg(test)]
mod tests {
    use hexphase::hex::hex;

    use super::*;

    /// A hull without a ship is freed when the tick of its retirement can no longer be loaded, and
    /// stays if an earlier tick is loaded.
    #[test]
    fn retired_hulls_are_freed_when_no_state_needs_them() {
        let hulls = || {
            let mut hulls = Hulls::default();
            hulls.add(hex(0, 0).range(1).collect());
            hulls.retire(5, 0);
            hulls
        };
        let is_there = |hulls: &Hulls| hulls.list[0].is_some();
        let mut kept = hulls();
        kept.forget(5);
        assert!(is_there(&kept), "the state before tick 5 can be loaded");
        kept.forget(6);
        assert!(!is_there(&kept));
        for (loaded, stays) in [(5, true), (6, false)] {
            let mut again = hulls();
            again.rewind(loaded, again.state());
            again.forget(20);
            assert_eq!(is_there(&again), stays, "tick {loaded} loaded");
        }
    }
}
