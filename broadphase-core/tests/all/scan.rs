//! Scans of a run: they find the volumes that overlap a box, and the gate of a path accepts the
//! volumes that the path touches, and few others.

use core::array::from_fn;
use core::marker::PhantomData;

use broadphase_core::kernel::hits;
use broadphase_core::kernel::sweep::{Along, Line, SPARE, query};
use broadphase_core::kernel::within::{Gate, Open};
use broadphase_core::{Aabb, Backend, Kernel, LANES, Lanes, Path, Scalar, SlabVec, Slabs};
use laws::random::Random;

/// Kernel: returns the indices of the first `len` volumes that overlap `area` and, if a line is
/// given, pass its gate. The hit buffer holds one block.
struct Scan<'a, S, const K: usize> {
    volumes: &'a SlabVec<K>,
    len: usize,
    area: Slabs<K>,
    line: Option<&'a Line<K>>,
    scalar: PhantomData<S>,
}

impl<S: Scalar, const K: usize> Kernel for Scan<'_, S, K> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Vec<u32> {
        let (planes, scalar) = (self.volumes.planes(), self.scalar);
        match self.line {
            Some(line) => self.hits(lanes, Along { planes, line, scalar }),
            None => self.hits(lanes, Open),
        }
    }
}

impl<S, const K: usize> Scan<'_, S, K> {
    #[inline(always)]
    fn hits<L: Lanes, G: Gate<L>>(&self, lanes: L, gate: G) -> Vec<u32> {
        let Self { volumes, len, area, .. } = self;
        let (planes, mut next, mut all) = (volumes.planes(), 0, Vec::new());
        let mut hits = [0; LANES + hits::SPARE];
        while next < *len {
            let filled = query(lanes, &planes, area, gate, &mut next, *len, &mut hits, 0);
            all.extend_from_slice(&hits[..filled]);
        }
        all
    }
}

/// Returns a direction, and boxes with whole coordinates, sorted on the first axis: points on the
/// ray from the origin, boxes near it, and boxes anywhere.
fn scene<S: Scalar, const K: usize>(random: &mut Random) -> ([S; K], Vec<Aabb<S, K>>) {
    let mut draw = |below: u32| f64::from(random.below(below));
    let way: [f64; K] = from_fn(|axis| if axis == 0 { draw(9) + 1.0 } else { draw(9) - 4.0 });
    let mut boxes: Vec<Aabb<S, K>> = Vec::new();
    for index in 0..300 {
        let (far, is_point) = (draw(3000), index % 3 == 0);
        let min = way.map(|way| match index % 3 {
            0 => way * far,
            1 => way * far + draw(9) - 4.0,
            _ => draw(20_000) - 10_000.0,
        });
        let max = min.map(|x| S::from_f64(x + if is_point { 0.0 } else { draw(4) }));
        boxes.push(Aabb { min: min.map(S::from_f64), max });
    }
    boxes.sort_by(|a, b| a.min[0].partial_cmp(&b.min[0]).expect("numbers"));
    (way.map(S::from_f64), boxes)
}

fn check<S: Scalar, const K: usize>() {
    let (mut touched, mut accepted) = (0, 0);
    for seed in 0..20u32 {
        let (way, boxes) = scene::<S, K>(&mut Random::new(seed.into()));
        let start = Aabb::around([S::ZERO; K], [S::from_f64(f64::from(seed % 3)); K]);
        let path = Path::sweep(start, way).until(S::Real::from_f64(f64::INFINITY));
        let line = Line::new(&start, &way.map(Scalar::to_f64));
        let mut volumes = SlabVec::new();
        let padding = [Slabs::PADDING; SPARE];
        let all = boxes.iter().map(Aabb::slabs).chain(padding);
        all.for_each(|volume| volumes.push(volume));
        let ends = |first: f64, others: f64| {
            from_fn(|axis| S::from_f64(if axis == 0 { first } else { others }))
        };
        let area = Aabb::new(ends(900.0, -1e5), ends(3000.0, 1e5));
        let overlap = (0..).zip(&boxes).filter(|(_, bounds)| bounds.overlaps(&area));
        let expected: Vec<u32> = overlap.map(|(index, _)| index).collect();
        for backend in Backend::available() {
            let scan = |line| Scan {
                volumes: &volumes,
                len: boxes.len(),
                area: area.slabs(),
                line,
                scalar: PhantomData::<S>,
            };
            assert_eq!(backend.dispatch(scan(None)), expected, "seed {seed} on {backend}");
            let found = backend.dispatch(scan(Some(&line)));
            let is_touched = |index: &&u32| path.first_touch(&boxes[**index as usize]).is_some();
            for index in expected.iter().filter(is_touched) {
                let bounds = boxes[*index as usize];
                assert!(found.contains(index), "{path:?} touches {bounds:?} on {backend}");
                touched += 1;
            }
            accepted += found.len();
        }
    }
    assert!(touched > 100 && accepted < touched + touched / 4, "{accepted} for {touched}");
}

#[test]
fn scans_find_the_volumes_that_a_path_touches() {
    check::<f32, 2>();
    check::<f32, 3>();
    check::<i32, 2>();
    check::<i32, 3>();
    check::<f64, 3>();
}
