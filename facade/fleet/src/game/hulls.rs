//! Hulls of ships: immutable bodies that ships refer to by number.
//!
//! A ship that loses cells gets a new hull; the old one stays, because earlier states refer to it.
//! So saving a state costs nothing per hull:
//!
//! 1. Numbers ascend in the order of creation and are never used again. Two peers that have
//!    simulated the same inputs have given out the same numbers.
//! 2. A state saves the number of hulls and a hash over all of them. Loading it drops the hulls
//!    that were created later.
//! 3. A hull without a ship is retired with the tick. When that tick can no longer be loaded, the
//!    hull is freed. Loading an earlier tick cancels the retirement.

use std::collections::VecDeque;

use hexphase::hex::{Hex, HexBody, Point, Pose};

use crate::random::mixed;

/// A rigid body of cells, shared by all ships with this shape.
#[derive(Debug)]
pub(crate) struct Hull {
    /// Cells; the origin is the cell next to the center of mass.
    pub(crate) body: HexBody,
    /// Number of cells; the mass.
    pub(crate) cells: u32,
    /// See [`Entity::reach`](super::entity::Entity::reach).
    pub(crate) reach: u16,
}

/// All hulls by number.
#[derive(Debug, Default)]
pub(crate) struct Hulls {
    list: Vec<Option<Box<Hull>>>,
    /// Hash of the cells of all hulls, in the order of creation.
    hash: u64,
    /// Hulls that have no ship since a tick.
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
        let reach = body.span(Point::ORIGIN).0.max[0];
        let reach = u16::try_from(reach).expect("ships have at most a few hundred cells");
        let cells = body.len() as u32;
        self.list.push(Some(Box::new(Hull { body, cells, reach })));
        (self.list.len() as u32 - 1, reach)
    }

    /// Makes the present hulls shapes of new ships.
    pub(crate) fn keep_all(&mut self) {
        self.shapes = self.list.len() as u32;
    }

    /// Returns a hull that a ship has.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &Hull {
        self.list[number as usize].as_deref().expect("a ship has this hull")
    }

    /// Returns whether a hull is a shape of new ships.
    pub(crate) fn is_shape(&self, number: u32) -> bool {
        number < self.shapes
    }

    /// Notes that no ship has this hull since a tick.
    pub(crate) fn retire(&mut self, tick: u64, number: u32) {
        if number >= self.shapes {
            self.retired.push_back((tick, number));
        }
    }

    /// Returns the number of hulls and their hash, which identify all of them.
    pub(crate) fn state(&self) -> (u32, u64) {
        (self.list.len() as u32, self.hash)
    }

    /// Returns to an earlier state, before a tick.
    pub(crate) fn rewind(&mut self, tick: u64, (len, hash): (u32, u64)) {
        self.list.truncate(len as usize);
        self.hash = hash;
        while self.retired.back().is_some_and(|&(at, _)| at >= tick) {
            self.retired.pop_back();
        }
    }

    /// Frees the hulls that are needed only to load ticks up to this one.
    pub(crate) fn forget(&mut self, tick: u64) {
        while let Some(&(at, number)) = self.retired.front()
            && at < tick
        {
            self.list[number as usize] = None;
            self.retired.pop_front();
        }
    }
}

/// Moves the origin of a body to the cell next to its center of mass. Returns the body and the pose
/// that leaves its cells where they are; `None` without cells.
pub(crate) fn centered(body: HexBody, pose: Pose) -> Option<(HexBody, Pose)> {
    let cell = body.grid().cell(body.center()?);
    if cell == Hex::ORIGIN {
        return Some((body, pose));
    }
    let position = pose.to_world(body.grid().center(cell));
    let moved = body.cells().map(|one| one - cell).collect();
    Some((moved, Pose { position, ..pose }))
}
