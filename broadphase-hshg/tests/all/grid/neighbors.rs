//! Neighbor lists of every length.

use broadphase_hshg::{Aabb, Backend, Hshg, Neighbors, Scalar, SpatialIndex, SpatialIndexExt};

/// The number of objects at each place. The kernel sorts eight lists of up to 256 neighbors at
/// once; longer lists are sorted in another way.
const COUNTS: [u32; 24] =
    [1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 18, 24, 32, 33, 34, 63, 64, 65, 66, 97, 255, 256, 257, 300];

/// Places objects one upon the other, `COUNTS[i]` of them at the `i`-th place, and checks that
/// each is the neighbor of all others at its place. Half of the objects are boxes if `boxes` is
/// set, else all are points.
fn check<S: Scalar, const D: usize>(boxes: bool) {
    for backend in Backend::available() {
        let mut grid: Hshg<S, D> = Hshg::new();
        grid.set_backend(backend);
        let mut expected: Vec<Vec<u32>> = Vec::new();
        let total: u32 = COUNTS.iter().sum();
        let mut number = 0;
        for (place, count) in (0..).zip(COUNTS) {
            let mut all = Vec::new();
            for index in 0..count {
                let key = number * 1009 % total;
                number += 1;
                let min = [S::from_f64(f64::from(16 * place)); D];
                let end = if boxes { f64::from(index % 2) } else { 0.0 };
                let max = min.map(|x| x.plus(S::from_f64(end)));
                grid.insert(key, Aabb { min, max }).expect("keys are free");
                all.push(key);
            }
            all.sort_unstable();
            expected.push(all);
        }
        for _ in 0..2 {
            let mut found = Neighbors::default();
            grid.neighbors(S::from_f64(2.0), &mut found);
            assert_eq!(found.keys().len() as u32, total);
            for all in &expected {
                for (index, &key) in all.iter().enumerate() {
                    let list = found.of(key).expect("every object has a list");
                    let others = all[..index].iter().chain(&all[index + 1..]);
                    assert!(others.eq(list), "{} neighbors in {} on {backend}", all.len(), S::NAME);
                }
            }
            grid.optimize();
        }
    }
}

#[test]
fn lists_of_every_length_are_complete() {
    check::<i32, 1>(true);
    check::<f32, 2>(true);
    check::<f32, 2>(false);
    check::<f64, 3>(false);
}
