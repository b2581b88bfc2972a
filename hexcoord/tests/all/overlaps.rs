//! Tests of overlapping cells of two bodies against a polygon intersection test.

use std::thread;

use crate::geometry::{self, Corner, is_inside, segments_cross};
use crate::random::{Fnv, Random};
use hexcoord::{Angle, Grid, Hex, HexBody, Point, Pose, hex};

/// Returns the six corners of a cell in thirds of 2^-30 units, relative to `at`.
fn corners(body: &HexBody, pose: Pose, cell: Hex, at: Point) -> [Corner; 6] {
    let displacement = <[i32; 2]>::from(pose.position - at).map(|x| (3 * i128::from(x)) << 30);
    let corners = geometry::corners(body, pose, cell);
    corners.map(|[a, b]| [a + displacement[0], b + displacement[1]])
}

/// Returns whether two convex polygons share a point: a corner of one is inside the other, or two
/// sides cross. Uses only signs of integers, so the result is exact.
fn polygons_overlap(p: &[Corner; 6], q: &[Corner; 6]) -> bool {
    let side = |polygon: &[Corner; 6], i: usize| [polygon[i], polygon[(i + 1) % 6]];
    p.iter().any(|&c| is_inside(q, c))
        || q.iter().any(|&c| is_inside(p, c))
        || (0..6).any(|i| (0..6).any(|j| segments_cross(side(p, i), side(q, j))))
}

fn pairs_by_definition(
    body: &HexBody,
    pose: Pose,
    other: &HexBody,
    other_pose: Pose,
) -> Vec<[Hex; 2]> {
    let at = pose.position;
    let ours: Vec<_> = body.cells().map(|cell| (cell, corners(body, pose, cell, at))).collect();
    let theirs: Vec<_> =
        other.cells().map(|cell| (cell, corners(other, other_pose, cell, at))).collect();
    // Skip the polygon test if the bounding boxes are disjoint.
    let bounds = |c: &[Corner; 6]| {
        [0, 1].map(|i| {
            let all = c.iter().map(|c| c[i]);
            [all.clone().min().expect("six"), all.max().expect("six")]
        })
    };
    let theirs: Vec<_> = theirs.into_iter().map(|(cell, c)| (cell, c, bounds(&c))).collect();
    let mut pairs = vec![];
    for (cell, p) in &ours {
        let b = bounds(p);
        for (their_cell, q, c) in &theirs {
            let near = (0..2).all(|i| b[i][0] <= c[i][1] && c[i][0] <= b[i][1]);
            if near && polygons_overlap(p, q) {
                pairs.push([*cell, *their_cell]);
            }
        }
    }
    pairs.sort();
    pairs
}

fn pairs(body: &HexBody, pose: Pose, other: &HexBody, other_pose: Pose) -> Vec<[Hex; 2]> {
    let mut pairs = vec![];
    body.overlaps(pose, other, other_pose, |ours, theirs| pairs.push([ours, theirs]));
    pairs.sort_unstable();
    pairs
}

/// Returns the pose of a body with its center of mass at a position.
fn pinned(position: Point, body: &HexBody, angle: Angle) -> Pose {
    let pivot = body.center().expect("cells");
    Pose::new(position - angle.rotation().rotate(pivot), angle)
}

/// Returns a random body of up to `most` cells with holes.
fn body(random: &mut Random, grid: Grid, most: u32) -> HexBody {
    let mut body = HexBody::with_grid(grid);
    // Sometimes place the cells near the largest allowed distance from the body's origin.
    let far = if random.once_in(8) { (1 << 28) >> grid.shift() } else { 2 };
    let center = hex(random.between(-far, far) as i32, random.between(-far, far) as i32);
    let holes = random.between(2, 6) as u64;
    for cell in center.spiral(2).take(random.between(1, i64::from(most)) as usize) {
        if !random.once_in(holes) {
            body.insert(cell);
        }
    }
    body.insert(center);
    body
}

/// Returns two random angles: equal, a sixth of a turn apart, close to these, or unrelated.
fn angles(random: &mut Random) -> [Angle; 2] {
    let first = Angle(if random.once_in(4) { 0 } else { random.any() as u16 });
    let turn = match random.between(0, 7) {
        0 | 1 => 0,
        2 => 10_923,
        3 => random.between(-2, 2) as u16,
        4 => 5_461,
        _ => random.any() as u16,
    };
    [first, first + Angle(turn)]
}

#[test]
fn pairs_match_polygon_definition() {
    const PARTS: u64 = 8;
    const CASES: usize = 1_000_000;
    let part = |part: u64| move || poses(Random::new(30 + part), CASES / PARTS as usize);
    let (mut touching, mut close, mut found) = (0, 0, 0);
    thread::scope(|scope| {
        let parts: Vec<_> = (0..PARTS).map(|number| scope.spawn(part(number))).collect();
        for part in parts {
            let counted = part.join().expect("no panic in a worker");
            touching += counted.0;
            close += counted.1;
            found += counted.2;
        }
    });
    let percent = |n: usize| n as f64 * 100.0 / CASES as f64;
    println!(
        "{CASES} poses, {:.1} % touching, {:.1} % within 2 units of touching, {found} pairs",
        percent(touching),
        percent(close)
    );
    assert!(touching * 10 >= CASES * 3, "too few touching poses: {touching}");
    assert!(close * 10 >= CASES, "too few poses near touching: {close}");
}

/// Tests `cases` random poses of two bodies. Returns how many poses touch, how many are within two
/// units of touching, and the number of pairs.
fn poses(mut random: Random, cases: usize) -> (usize, usize, usize) {
    let (mut touching, mut close, mut found) = (0, 0, 0);
    for case in 0..cases {
        let grid = if random.once_in(4) {
            Grid::new(random.between(0, 14) as u32)
        } else {
            Grid::default()
        };
        let other_grid =
            if random.once_in(8) { Grid::new(random.between(7, 11) as u32) } else { grid };
        let (ours, theirs) = (body(&mut random, grid, 5), body(&mut random, other_grid, 7));
        let [angle, other_angle] = angles(&mut random);
        // Some bodies lie across the ends of `i32`.
        let any = Point::new(random.any(), random.any());
        let at = if case % 32 == 9 {
            Point::new(i32::MAX.wrapping_sub(any.a % 999), i32::MIN)
        } else {
            any
        };
        let pose = pinned(at, &ours, angle);
        // Choose a random offset. In three of four cases, scale it by bisection until the bodies
        // just touch. Then change each coordinate by at most one unit.
        let size = i64::from(grid.cell_size().max(other_grid.cell_size()));
        let away = |random: &mut Random, reach: i64| random.between(-reach, reach) as i32;
        let posed = |displacement: Point| pinned(at + displacement, &theirs, other_angle);
        let mut displacement = Point::new(away(&mut random, 3 * size), away(&mut random, 3 * size));
        let touch = |displacement: Point| ours.overlaps_any(pose, &theirs, posed(displacement));
        if case % 4 != 0 {
            let (mut low, mut high) = (0, 1 << 12);
            let part = |t: i64| {
                let scaled = |x: i32| ((i64::from(x) * t) >> 10) as i32;
                Point::new(scaled(displacement.a), scaled(displacement.b))
            };
            while high - low > 1 {
                let middle = (low + high) / 2;
                if touch(part(middle)) { low = middle } else { high = middle }
            }
            let end = part(if case % 8 < 4 { low } else { high });
            displacement = end + Point::new(away(&mut random, 1), away(&mut random, 1));
        }
        let other_pose = posed(displacement);
        let expected = pairs_by_definition(&ours, pose, &theirs, other_pose);
        let pairs = pairs(&ours, pose, &theirs, other_pose);
        assert_eq!(pairs, expected, "{case}: {ours:?} {pose:?} {theirs:?} {other_pose:?}");
        assert_eq!(touch(displacement), !expected.is_empty());
        let mut swapped = self::pairs(&theirs, other_pose, &ours, pose);
        swapped.iter_mut().for_each(|pair| pair.reverse());
        swapped.sort();
        assert_eq!(swapped, expected, "{case}");
        touching += usize::from(!expected.is_empty());
        found += expected.len();
        let around = [[2, 0], [-2, 0], [0, 2], [0, -2], [2, -2], [-2, 2]];
        let changes =
            |step: [i32; 2]| touch(displacement + Point::from(step)) == expected.is_empty();
        close += usize::from(around.into_iter().any(changes));
    }
    (touching, close, found)
}

#[test]
fn pairs_of_large_bodies_match_definition() {
    let mut random = Random::new(31);
    for case in 0..300 {
        let grid = Grid::default();
        let mut large = HexBody::with_grid(grid);
        let center = hex(random.between(-70, 70) as i32, random.between(-70, 70) as i32);
        for cell in center.range(random.between(4, 40) as u32) {
            if !random.once_in(3) {
                large.insert(cell);
            }
        }
        large.insert(center);
        let small: HexBody = hex(0, 0).range(random.between(0, 6) as u32).collect();
        let [angle, other_angle] = angles(&mut random);
        let pose = pinned(Point::ORIGIN, &large, angle);
        let away = |random: &mut Random| random.between(-40 * 512, 40 * 512) as i32;
        let other_pose = Pose::new(Point::new(away(&mut random), away(&mut random)), other_angle);
        let expected = pairs_by_definition(&large, pose, &small, other_pose);
        assert_eq!(pairs(&large, pose, &small, other_pose), expected, "{case}");
        let swapped: Vec<_> = pairs(&small, other_pose, &large, pose);
        assert_eq!(swapped.len(), expected.len(), "{case}");
    }
}

#[test]
fn cells_of_the_largest_grids_overlap_exactly() {
    let mut random = Random::new(32);
    for case in 0..20_000 {
        let grids =
            [random.between(24, 29), random.between(20, 29)].map(|shift| Grid::new(shift as u32));
        let bodies = grids.map(|grid| {
            let mut body = HexBody::with_grid(grid);
            body.extend(hex(0, 0).range(1));
            body
        });
        let [angle, other_angle] = angles(&mut random);
        let pose = Pose::new(Point::new(random.any() >> 2, random.any() >> 2), angle);
        let displacement = Point::new(random.any() >> 2, random.any() >> 2);
        // Find by bisection the last position along the offset at which the cells touch. At the
        // next position they are apart. One unit is 2^-29 of the largest cells.
        let (mut touching, mut apart) = (0, 1 << 29);
        let posed = |t: i64| {
            let part = |x: i32| ((i64::from(x) * t) >> 28) as i32;
            Pose::new(
                pose.position + Point::new(part(displacement.a), part(displacement.b)),
                other_angle,
            )
        };
        while apart - touching > 1 {
            let t = (touching + apart) / 2;
            if bodies[0].overlaps_any(pose, &bodies[1], posed(t)) {
                touching = t;
            } else {
                apart = t;
            }
        }
        let poses = [pose, posed(if case % 2 == 0 { touching } else { apart })];
        let expected = pairs_by_definition(&bodies[0], poses[0], &bodies[1], poses[1]);
        assert_eq!(pairs(&bodies[0], poses[0], &bodies[1], poses[1]), expected, "{case}");
    }
}

#[test]
fn visitor_can_stop() {
    let disc: HexBody = hex(0, 0).range(3).collect();
    let (pose, near) = (Pose::default(), Pose::new(Point::new(700, 100), Angle(4000)));
    let mut seen = 0;
    let third = disc.overlaps(pose, &disc, near, |ours, theirs| {
        seen += 1;
        if seen == 3 { Err((ours, theirs)) } else { Ok(()) }
    });
    assert_eq!(seen, 3);
    let (ours, theirs) = third.expect_err("stopped");
    assert!(pairs(&disc, pose, &disc, near).contains(&[ours, theirs]));
}

#[test]
fn ten_thousand_overlaps_match_the_golden_hash() {
    // Overlap tests use scalar integer code only, so there is one hash for all backends.
    let mut random = Random::new(33);
    let (mut hash, mut count) = (Fnv::new(), 0);
    for case in 0..10_000 {
        let mut one = || {
            let mut body = HexBody::new();
            for cell in hex(0, 0).range(4) {
                if !random.once_in(4) {
                    body.insert(cell);
                }
            }
            let away = |random: &mut Random| random.between(-2500, 2500) as i32;
            let position = Point::new(away(&mut random), away(&mut random));
            (body, Pose::new(position, Angle(random.any() as u16)))
        };
        let ((ours, pose), (theirs, other_pose)) = (one(), one());
        let pairs = pairs(&ours, pose, &theirs, other_pose);
        if case % 50 == 0 {
            assert_eq!(pairs, pairs_by_definition(&ours, pose, &theirs, other_pose));
        }
        for [h, k] in pairs {
            [h.q, h.r, k.q, k.r].into_iter().for_each(|n| hash.add(n));
            count += 1;
        }
        hash.add(-1);
    }
    assert_eq!((count, hash.0), (480_796, 15_872_075_442_940_984_331));
}
