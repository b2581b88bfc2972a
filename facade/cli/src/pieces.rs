//! Writes all pairs of a world in canonical order without storing them all.
//!
//! 1. Take the next objects in ascending order, an equal number for each thread.
//! 2. Each thread queries, for each of its objects, the overlapping objects with higher handles. It
//!    writes the lines of these pairs to its own buffer, and stops early if the buffer is full.
//! 3. Output the buffers in order, ending with that of the first thread that stopped early.
//!    Continue with the first object that this thread did not process.
//!
//! To discard little work, the number of objects in step 1 doubles while the buffers stay small,
//! and halves if one was full. Each thread needs memory for a buffer and for the objects that
//! overlap one object. Each pair is found twice, so this is slower than a step, which would store
//! all pairs.

use core::ops::Range;
use std::io::{self, Write};

use broadphase_core::tasks;
use hexphase::{BroadPhase, Handle};

use crate::pairs::Lines;
use crate::scene::{Ids, Number};

/// Size in bytes at which a buffer of lines is full.
const FULL: usize = 1 << 20;
/// Initial number of objects for each thread.
const INITIAL_OBJECTS: usize = 16;

/// A range of objects, and the lines of their pairs.
struct Piece<'a> {
    /// Indices of the objects that are not yet processed.
    range: Range<usize>,
    lines: Lines<'a>,
    partners: Vec<Handle>,
}

/// Writes a line for each pair of the world. `handles` are the handles of all objects, ascending;
/// the user data of an object is its index in `ids`.
pub(crate) fn write<S: Number, const D: usize>(
    world: &BroadPhase<S, D, u32>,
    handles: &[Handle],
    ids: &Ids,
    out: &mut dyn Write,
) -> io::Result<()> {
    let piece = || Piece { range: 0..0, lines: Lines::new(ids), partners: Vec::new() };
    let mut pieces: Vec<_> = (0..tasks::threads()).map(|_| piece()).collect();
    let (mut next, mut size) = (0, INITIAL_OBJECTS);
    while next < handles.len() {
        for (begin, piece) in (next..).step_by(size).zip(&mut pieces) {
            let [begin, end] = [begin, begin + size].map(|index| index.min(handles.len()));
            piece.range = begin..end;
        }
        tasks::each(&mut pieces, |piece| fill(world, handles, piece));
        let mut most = 0;
        let mut stopped = false;
        for Piece { range, lines, .. } in &pieces {
            out.write_all(lines.text())?;
            (next, stopped) = (range.start, !range.is_empty());
            most = most.max(lines.text().len());
            if stopped {
                break;
            }
        }
        if stopped {
            size = (size / 2).max(1);
        } else if most < FULL / 2 {
            size *= 2;
        }
    }
    Ok(())
}

/// Writes the lines of the objects of a piece until its buffer is full.
fn fill<S: Number, const D: usize>(
    world: &BroadPhase<S, D, u32>,
    handles: &[Handle],
    piece: &mut Piece<'_>,
) {
    let Piece { range, lines, partners } = piece;
    lines.clear();
    while lines.text().len() < FULL
        && let Some(index) = range.next()
    {
        let object = handles[index];
        let Some(bounds) = world.get(object).map(|object| object.bounds) else { continue };
        world.query(bounds).filter(|other, _| other > object).write_to(partners);
        lines.begin(world[object]);
        for &other in &*partners {
            lines.push(world[other]);
        }
    }
}

#[cfg(test)]
mod tests {
    use core::fmt::Write as _;

    use hexphase::{Aabb, Options};

    use super::*;

    /// The world has a sparse part, a dense part and an object that overlaps all others. Ids differ
    /// from slots.
    #[test]
    fn lines_are_those_of_a_step() {
        let mut world: BroadPhase<f32, 2, u32> = BroadPhase::with_options(Options::new());
        let sparse = (0..5000u16).map(|x| Aabb::of_ball([f32::from(x), 0.0], 0.5));
        let dense = (0..2000u16).map(|x| Aabb::of_ball([-9.0, f32::from(x) * 1e-3], 2.0));
        let all = [Aabb::new([-1e5, -1e5], [1e5, 1e5])];
        let more = (0..5000u16).map(|x| Aabb::of_ball([f32::from(x), 9.0], 0.5));
        for (bounds, index) in sparse.chain(dense).chain(all).chain(more).zip(0..) {
            world.insert(bounds, index).expect("finite bounds");
        }
        world.step();
        let ids = Ids::Numbers((0..world.len() as u64).map(|index| 3 * index).collect());
        let mut expected = String::new();
        for [a, b] in world.pairs().map(|pair| pair.users) {
            writeln!(expected, "{},{}", 3 * a, 3 * b).expect("a string accepts all text");
        }
        assert!(expected.len() > 3 * FULL, "{}", expected.len());
        let handles: Vec<_> = world.handles().collect();
        let mut out = Vec::new();
        write(&world, &handles, &ids, &mut out).expect("a list accepts all bytes");
        assert!(out == expected.as_bytes(), "{} bytes, expected {}", out.len(), expected.len());
    }
}
