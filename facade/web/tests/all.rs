//! The simulation is the same on every machine: golden hashes, which the page and the npm package
//! must have, too.

use hexphase::Algorithm;
use hexphase_web::discs::{Discs, Settings, Sizes};

const TICKS: u32 = 500;

fn settings(sizes: Sizes, wraps: bool, algorithm: Algorithm) -> Settings {
    Settings { seed: 7, count: 1000, sizes, speed: 0.5, resting: 0.1, wraps, algorithm }
}

#[test]
fn hashes_after_500_ticks_are_equal_with_every_structure() {
    for (sizes, wraps, hash) in [
        (Sizes::Equal, false, 0x8e0c_e1d0_a75f_6eac),
        (Sizes::Mixed, true, 0xc1a1_895f_3e65_2d68),
        (Sizes::Tail, true, 0xeab9_bf6b_0cbf_64f2),
    ] {
        for &algorithm in Algorithm::ALL {
            let mut discs = Discs::new(settings(sizes, wraps, algorithm));
            (0..TICKS).for_each(|_| discs.tick());
            let found = discs.hash();
            assert_eq!(found, hash, "{sizes:?}, {wraps}, {algorithm}: {found:#x}");
        }
    }
}

#[test]
fn pairs_are_the_overlapping_discs() {
    for wraps in [false, true] {
        let mut discs = Discs::new(settings(Sizes::Tail, wraps, Algorithm::Auto));
        for _ in 0..20 {
            discs.advance();
            discs.step();
            let distance = |a: f32, b: f32| {
                let way = f64::from(a) - f64::from(b);
                if wraps { (way - 1000.0 * (way / 1000.0).round()).abs() } else { way.abs() }
            };
            let mut expected = Vec::new();
            for (a, one) in discs.balls().iter().enumerate() {
                for (b, other) in discs.balls().iter().enumerate().skip(a + 1) {
                    let way = [0, 1].map(|axis| distance(one.center[axis], other.center[axis]));
                    let reach = f64::from(one.radius) + f64::from(other.radius);
                    let rest = discs.rests(a) && discs.rests(b);
                    if way[0] * way[0] + way[1] * way[1] <= reach * reach && !rest {
                        expected.push([a as u32, b as u32]);
                    }
                }
            }
            assert_eq!(discs.pairs(), expected, "wraps: {wraps}");
            discs.bounce();
        }
    }
}
