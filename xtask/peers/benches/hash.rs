//! The spatial hash: until it stands, one volume asked against many.

use bounds_hexprism::{Aabb, Backend, SlabVec};
use peers::{Answer, Scene, Subject, Suite, Work};
use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

fn main() {
    let mut suite = Suite::new("hash");
    let n = 10_000;
    let boxes: Vec<Aabb<f32, 2>> =
        (0..n).map(|i| Aabb::around([(i % 100) as f32, (i / 100) as f32], [0.6, 0.6])).collect();
    let ask = Aabb::around([50.0, 50.0], [3.0, 3.0]);
    let expected: Vec<u64> = (0..n as u64).filter(|&i| boxes[i as usize].overlaps(&ask)).collect();

    let scene = Scene { name: "lattice:10000", n, work: Work::Tests(n as u64) };
    let pairs = expected.len() as u64;
    let mut comparison = suite.compare(scene, Answer::new(pairs, expected));
    for backend in Backend::available() {
        let subject = Subject { name: "slabs", backend: &backend.to_string(), threads: 1 };
        comparison.ours(
            subject,
            || {
                let mut slabs = SlabVec::new();
                boxes.iter().for_each(|bounds| slabs.push(bounds.slabs()));
                (slabs, Vec::new())
            },
            |(slabs, found)| {
                found.clear();
                slabs.query(backend, &ask.slabs(), |index| found.push(index as u64));
            },
            |(_, found)| Answer::new(found.len() as u64, found.iter().copied()),
        );
    }
    comparison.peer(
        "rstar",
        || {
            let objects = boxes.iter().enumerate().map(|(index, bounds)| {
                let rectangle = Rectangle::from_corners(bounds.min, bounds.max);
                GeomWithData::new(rectangle, index as u64)
            });
            (RTree::bulk_load(objects.collect()), Vec::new())
        },
        |(tree, found)| {
            found.clear();
            let envelope = AABB::from_corners(ask.min, ask.max);
            found.extend(tree.locate_in_envelope_intersecting(&envelope).map(|object| object.data));
        },
        |(_, found)| {
            let mut found = found.clone();
            found.sort_unstable();
            Answer::new(found.len() as u64, found)
        },
    );
    suite.finish();
}
