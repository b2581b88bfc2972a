//! Prints nanoseconds per pair of neighbor lists of random particles, medians of several runs.
//!
//! ```console
//! $ cargo run --release -p hexphase-periodic --features rayon --example neighbor_times 1000000
//! ```

use std::env;
use std::time::Instant;

use hexphase_periodic::{Cell, Columns, Cutoff, Error, NeighborList, NeighborSearch, VerletList};

const RUNS: usize = 5;

fn main() -> Result<(), Error> {
    let count = env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(5_000);
    let mut state: u64 = 1;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let side = (count as f64).cbrt();
    let positions: Vec<[f64; 3]> = (0..count).map(|_| [(); 3].map(|()| random() * side)).collect();
    let cell = Cell::periodic([[side, 0.0, 0.0], [0.0, side, 0.0], [0.0, 0.0, side]]);
    let edges = Columns { first: true, second: true, shifts: true, ..Columns::NONE };
    // The radius of a ball of this volume.
    let radius = |neighbors: f64| (neighbors * 0.75 / core::f64::consts::PI).cbrt();
    for neighbors in [30.0, 60.0] {
        let cutoff = Cutoff::Uniform(radius(neighbors));
        for (name, half, columns) in
            [("ijS", false, edges), ("ijSdD", false, Columns::ALL), ("ijS, half", true, edges)]
        {
            let search = NeighborSearch { cutoff: cutoff.clone(), half, columns };
            measure(&format!("{neighbors} neighbors, {name}"), |out| {
                search.find(&positions, &cell, out)
            })?;
        }
        let search = NeighborSearch { columns: edges, ..NeighborSearch::new(cutoff) };
        let mut verlet = VerletList::new(search, 0.3)?;
        measure(&format!("{neighbors} neighbors, ijS, update"), |out| {
            verlet.update(&positions, &cell, out).map(|_| ())
        })?;
    }
    let radii = (0..count).map(|_| radius(10.0) * 0.01f64.powf(random())).collect();
    let search = NeighborSearch { columns: edges, ..NeighborSearch::new(Cutoff::Radii(radii)) };
    measure("radii 1:100, ijS", |out| search.find(&positions, &cell, out))
}

/// Prints the median of several runs, each with a new list.
fn measure(
    name: &str,
    mut find: impl FnMut(&mut NeighborList) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut times = Vec::new();
    let mut pairs = 0;
    for _ in 0..RUNS {
        let mut list = NeighborList::default();
        let start = Instant::now();
        find(&mut list)?;
        times.push(start.elapsed().as_secs_f64() * 1e9);
        pairs = list.len();
    }
    times.sort_by(f64::total_cmp);
    let median = times[RUNS / 2];
    println!("{name:28} {pairs:10} pairs {:6.1} ns a pair", median / pairs as f64);
    Ok(())
}
