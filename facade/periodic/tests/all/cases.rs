//! Random particles, cells and cutoffs.

use hexphase_periodic::{Cell, Cutoff};
use proptest::prelude::*;
use proptest::sample::select;

use crate::oracle::vector;

#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) cell: Cell,
    pub(crate) cutoff: Cutoff,
    pub(crate) half: bool,
}

/// Returns a cell of about the size 1, whose axes are not degenerate.
fn cells() -> impl Strategy<Value = Cell> {
    let sides = prop::array::uniform3(prop_oneof![Just(1.0), 0.5..3.0]);
    let skew = prop::array::uniform3(prop_oneof![Just(0.0), -1.0..1.0]);
    let periodic = prop_oneof![Just([true; 3]), any::<[bool; 3]>()];
    (sides, skew, periodic, 0..3usize, any::<bool>()).prop_map(
        |([x, y, z], [a, b, c], periodic, turn, zero)| {
            let mut vectors: [[f64; 3]; 3] = [[x, 0.0, 0.0], [a, y, 0.0], [b, c, -z]];
            vectors.iter_mut().for_each(|vector| vector.rotate_left(turn));
            for (vector, periodic) in vectors.iter_mut().zip(periodic) {
                if zero && !periodic {
                    *vector = [0.0; 3];
                }
            }
            Cell { vectors, periodic }
        },
    )
}

/// Returns fractional coordinates inside of the cell, on its faces, and outside.
fn fractions() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..1.0, 2 => (-8i32..9).prop_map(|x| f64::from(x) / 4.0), 1 => -3.0..3.0]
}

/// Returns `few` particles with cutoffs up to three cells, or `many` with smaller ones.
pub(crate) fn cases() -> impl Strategy<Value = Case> {
    let few = (prop::collection::vec(prop::array::uniform3(fractions()), 0..9), 0.0..1.6);
    let many = (prop::collection::vec(prop::array::uniform3(fractions()), 30..80), 0.0..0.4);
    let scales = prop_oneof![3 => Just(1.0), 1 => select(vec![1e-6, 0.1, 1e6, 1e-40, 1e40])];
    // Whole cells by which particles are moved.
    let offsets = prop_oneof![3 => Just(0i32), 1 => select(vec![1, 3, 1000, 1_000_000])];
    let particles = prop_oneof![few.boxed(), many.boxed()];
    let cutoffs = (0..4u8, any::<u64>(), any::<bool>());
    (cells(), particles, scales, offsets, cutoffs).prop_map(
        |(cell, (fractions, size), scale, offset, (kind, seed, half))| {
            let vectors = cell.vectors.map(|vector| vector.map(|x| x * scale));
            let cell = Cell { vectors, ..cell };
            let mut random = seed;
            let mut below = |count: u64| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (random >> 33) % count
            };
            let mut offset = || (below(3) as i32 - 1) * offset;
            let positions: Vec<[f64; 3]> = fractions
                .iter()
                .map(|f| {
                    let shift = cell.periodic.map(|is| if is { offset() } else { 0 });
                    // In open space, coordinates are not those of the cell.
                    let inside = [0, 1, 2].map(|k| {
                        let rows = cell.vectors.iter().zip(f);
                        let sum: f64 = rows.map(|(vector, f)| vector[k] * f).sum();
                        if cell.vectors[k] == [0.0; 3] { sum + f[k] * scale } else { sum }
                    });
                    vector(&cell, [0.0; 3], inside, shift)
                })
                .collect();
            let size = size * scale;
            let cutoff = match kind {
                0 => Cutoff::Uniform(size),
                // The length of one vector exactly.
                1 => {
                    let limit = if positions.len() < 10 { 1.6 } else { 0.4 } * scale;
                    let d = positions.first().zip(positions.last()).map_or(0.0, |(&p, &q)| {
                        shifts_near(&cell, p, q)
                            .into_iter()
                            .map(|shift| square(vector(&cell, p, q, shift)))
                            .fold(f64::INFINITY, f64::min)
                    });
                    let mut cutoff = d.sqrt().min(limit);
                    while cutoff * cutoff < d && cutoff < limit {
                        cutoff = cutoff.next_up();
                    }
                    Cutoff::Uniform(cutoff)
                }
                2 => {
                    let radii = positions.iter().map(|_| match below(4) {
                        0 => size / 2.0,
                        1 => 0.0,
                        _ => size / 200.0,
                    });
                    Cutoff::Radii(radii.collect())
                }
                _ => {
                    let species = positions.iter().map(|_| below(3) as u32).collect();
                    let [a, b, c] = [Some(size), Some(size / 3.0), None];
                    Cutoff::Species {
                        species,
                        table: vec![vec![b, a, c], vec![a, c, b], vec![c, b, a]],
                    }
                }
            };
            Case { positions, cell, cutoff, half }
        },
    )
}

fn square(d: [f64; 3]) -> f64 {
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// Returns shifts by which the image of a particle is near another one: for each axis in turn the
/// shift that shortens the vector most.
fn shifts_near(cell: &Cell, p: [f64; 3], q: [f64; 3]) -> Vec<[i32; 3]> {
    let mut shift = [0; 3];
    let mut found = vec![shift];
    for axis in [2, 1, 0, 2, 1, 0] {
        if cell.periodic[axis] {
            let d = vector(cell, p, q, shift);
            let c = cell.vectors[axis];
            let along = (d[0] * c[0] + d[1] * c[1] + d[2] * c[2]) / square(c);
            shift[axis] -= along.round() as i32;
            found.push(shift);
        }
    }
    found
}
