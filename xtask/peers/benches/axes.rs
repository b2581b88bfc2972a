//! Measures whether costs depend on the order of axes, for scenes of several shapes.
//!
//! For each shape, structure and order of axes: the time to build and find all pairs, the time of a
//! tick, and the memory, printed before the times. The goal is a ratio of the worst order to the
//! best one of at most 2.

use core::array::from_fn;

use broadphase_core::Aabb;
use peers::world::{Boxes, Indexed, Motion, Run};
use peers::{Scene, Subject, Suite, measuring};

/// The number of ticks in which objects move back and forth.
const TICKS_PER_DIRECTION: u32 = 8;

/// A shape: its name, the number of objects, and the box of object `i`.
struct Shape<const D: usize> {
    name: &'static str,
    objects: u32,
    bounds: fn(u32) -> Aabb<f32, D>,
}

/// Returns a hash of a number, as a coordinate from 0 to 1.
fn random(seed: u32) -> f32 {
    let mixed = (seed ^ seed >> 16).wrapping_mul(0x7feb_352d);
    let mixed = (mixed ^ mixed >> 15).wrapping_mul(0x846c_a68b);
    ((mixed ^ mixed >> 16) >> 8) as f32 / (1 << 24) as f32
}

/// Returns a box from its low corner and extents.
fn sized<const D: usize>(low: [f32; D], extents: [f32; D]) -> Aabb<f32, D> {
    Aabb::new(low, from_fn(|axis| low[axis] + extents[axis]))
}

const FLAT: [Shape<2>; 3] = [
    Shape {
        name: "strips",
        objects: 160_000,
        bounds: |i| sized([-5e5, 2.0 * i as f32], [1e6, 1.0]),
    },
    Shape { name: "points on a line", objects: 200_000, bounds: |i| Aabb::point([5.0, i as f32]) },
    Shape {
        name: "bars in lanes",
        objects: 100_000,
        bounds: |i| sized([1e4 * random(i), 2.0 * (i % 1000) as f32], [50.0, 1.0]),
    },
];

const SPACE: [Shape<3>; 3] = [
    Shape {
        name: "beams",
        objects: 20_000,
        bounds: |i| sized(from_fn(|axis| 1e3 * random(3 * i + axis as u32)), [200.0, 2.0, 2.0]),
    },
    Shape {
        name: "rods",
        objects: 40_000,
        bounds: |i| sized([-5e5, 2.0 * (i % 200) as f32, 2.0 * (i / 200) as f32], [1e6, 1.0, 1.0]),
    },
    Shape {
        name: "plates",
        objects: 20_000,
        bounds: |i| {
            let at = |axis| 1e3 * random(3 * i + axis);
            sized([at(0), at(1), 50.0 * at(2)], [50.0, 50.0, 1.0])
        },
    },
];

fn main() {
    let mut suite = Suite::new("axes");
    for shape in &FLAT {
        measure(&mut suite, shape, &[[0, 1], [1, 0]]);
    }
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for shape in &SPACE {
        measure(&mut suite, shape, &orders);
    }
    suite.finish();
}

type Make<const D: usize> = fn(&Boxes<D>) -> Indexed<D>;

/// Measures a shape with each order of axes in both structures.
fn measure<const D: usize>(suite: &mut Suite, shape: &Shape<D>, orders: &[[usize; D]]) {
    let objects = if measuring() { shape.objects } else { shape.objects / 100 };
    let name = format!("{}:{objects}", shape.name);
    let bounds: Vec<Aabb<f32, D>> = (0..objects).map(shape.bounds).collect();
    let motion = Motion::between([-1e6, 1e6]).turning_after(TICKS_PER_DIRECTION);
    let boxes = Boxes { velocities: vec![[0.0625; D]; bounds.len()], bounds, motion };
    let expected = Run::after(0, Indexed::sorted(&boxes)).answer();
    let mut compared = suite.compare(Scene::objects(&name, boxes.bounds.len()), expected);
    compared.samples(10);
    for order in orders {
        let exchange = |corner: [f32; D]| from_fn(|axis| corner[order[axis]]);
        let exchanged = boxes.bounds.iter().map(|b| Aabb::new(exchange(b.min), exchange(b.max)));
        let boxes = Boxes { bounds: exchanged.collect(), ..boxes.clone() };
        let axes: String = order.iter().map(|&axis| ["x", "y", "z"][axis]).collect();
        let worlds: [(_, Make<D>); 2] = [("hshg", Indexed::grid), ("morton", Indexed::sorted)];
        for (structure, make) in worlds {
            let filled = || Run::after(0, make(&boxes));
            let subject = format!("{structure} first {axes}");
            let refill = |run: &mut Run<_>| *run = filled();
            compared.measure(Subject::detected(&subject), filled, refill, Run::answer);
            let subject = format!("{structure} tick {axes}");
            compared.measure(Subject::detected(&subject), filled, Run::tick, Run::answer);
            println!("{name}, {structure} {axes}: {} bytes", filled().world.index.memory_use());
        }
    }
}
