//! Tests of bodies: editing, bounds, splitting, and queries with points and segments.

use alloc::collections::BTreeSet;

use crate::geometry::{corners, is_inside, orientation, segments_cross};
use crate::random::Random;
use hexcoord::{Angle, Grid, Hex, HexBody, Layout, Orientation, OutOfReach, Point, Pose, hex};
use proptest::prelude::*;

/// Returns a world point in thirds of 2^-30 units, relative to the body's position.
fn world_point(pose: Pose, point: Point) -> [i128; 2] {
    let displacement = point - pose.position;
    [(3 * i128::from(displacement.a)) << 30, (3 * i128::from(displacement.b)) << 30]
}

/// Returns the depth of the point inside the hexagon, in units; negative outside.
fn depth(corners: &[[i128; 2]; 6], p: [i128; 2]) -> f64 {
    let side = |i: usize| {
        let (a, b) = (corners[i], corners[(i + 1) % 6]);
        let length =
            ((b[0] - a[0]).pow(2) + (b[0] - a[0]) * (b[1] - a[1]) + (b[1] - a[1]).pow(2)) as f64;
        orientation(a, b, p) as f64 / length.sqrt()
    };
    (0..6).map(side).fold(f64::INFINITY, f64::min) / 3.0 / f64::from(1 << 30)
}

fn bodies() -> impl Strategy<Value = Vec<(bool, Hex)>> {
    let near = (-6..6, -6..6);
    let far = (-90..90, -90..90);
    let cell = prop_oneof![4 => near, 1 => far].prop_map(|(q, r)| hex(q, r));
    prop::collection::vec((prop::bool::weighted(0.6), cell), 0..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn editing_matches_a_set(edits in bodies()) {
        let (mut body, mut set) = (HexBody::new(), BTreeSet::new());
        for (insert, cell) in edits {
            if insert {
                prop_assert_eq!(body.insert(cell), set.insert(cell));
            } else {
                prop_assert_eq!(body.remove(cell), set.remove(&cell));
            }
            prop_assert_eq!(body.contains(cell), insert);
            prop_assert_eq!(body.len(), set.len());
            let span = |axis: fn(&Hex) -> i32| Some([set.iter().map(axis).min()?, set.iter().map(axis).max()?]);
            let extent = [span(|h| h.q), span(|h| h.r), span(|h| h.s())].map(|s| s.unwrap_or_default());
            prop_assert_eq!(body.extent().unwrap_or_default(), extent);
            let sum = set.iter().fold([0, 0], |[a, b], h| [a + h.q, b + h.r]);
            let mean = |sum: i32| (f64::from(sum) * 512.0 / set.len() as f64 + 0.5).floor() as i32;
            let center = (!set.is_empty()).then(|| Point::new(mean(sum[0]), mean(sum[1])));
            prop_assert_eq!(body.center(), center);
        }
        prop_assert!(body.cells().is_sorted_by_key(|h| (h.r, h.q)));
        prop_assert_eq!(body.cells().collect::<BTreeSet<_>>(), set.clone());
        let again: HexBody = set.iter().copied().collect();
        prop_assert_eq!(&again, &body);
    }

    #[test]
    fn split_returns_connected_components(edits in bodies()) {
        let mut body: HexBody = edits.into_iter().map(|(_, cell)| cell).collect();
        let all: BTreeSet<_> = body.cells().collect();
        let mut parts = vec![];
        body.split(|part| parts.push(part));
        prop_assert!(parts.iter().all(|part| part.len() <= body.len() && !part.is_empty()));
        parts.push(body);
        // Compute the expected components by flood fill.
        let mut left = all.clone();
        let mut floods = BTreeSet::new();
        while let Some(start) = left.pop_first() {
            let (mut flood, mut open) = (BTreeSet::from([start]), vec![start]);
            while let Some(cell) = open.pop() {
                for next in cell.neighbors() {
                    if left.remove(&next) {
                        flood.insert(next);
                        open.push(next);
                    }
                }
            }
            floods.insert(flood);
        }
        if !all.is_empty() {
            let parts: BTreeSet<BTreeSet<_>> = parts.iter().map(|part| part.cells().collect()).collect();
            prop_assert_eq!(parts, floods);
        }
    }

    #[test]
    fn bounds_are_tight_around_all_corners(edits in bodies(), a in -1 << 28..1 << 28, b in -1 << 28..1 << 28, angle in any::<u16>()) {
        let body: HexBody = edits.into_iter().map(|(_, cell)| cell).collect();
        let pose = Pose::new(Point::new(a, b), Angle(angle));
        let rhombus = body.rhombus(pose);
        let hexagon = body.intervals(pose);
        let corners: Vec<_> = body.cells().flat_map(|cell| corners(&body, pose, cell)).collect();
        let unit = 3i128 << 30;
        for (axis, at) in [a, b].into_iter().enumerate() {
            let low = corners.iter().map(|c| c[axis]).min().unwrap_or(0).div_euclid(unit) as i32;
            let high = -(-corners.iter().map(|c| c[axis]).max().unwrap_or(0)).div_euclid(unit) as i32;
            prop_assert_eq!([rhombus.min[axis], rhombus.max[axis]], [at + low, at + high]);
        }
        prop_assert_eq!([hexagon.up.min_a, hexagon.up.min_b], rhombus.min);
        prop_assert_eq!([hexagon.down.max_a, hexagon.down.max_b], rhombus.max);
        let third = |c: &[i128; 2]| -c[0] - c[1];
        let low = corners.iter().map(third).min().unwrap_or(0).div_euclid(unit) as i32;
        let high = -(-corners.iter().map(third).max().unwrap_or(0)).div_euclid(unit) as i32;
        prop_assert_eq!([hexagon.up.min_c, hexagon.down.max_c], [low - a - b, high - a - b]);
        let span = body.span(pose.position);
        prop_assert!(span.contains(&rhombus));
        // The span is tight: at most 20 % larger than a bound computed from the body's extent.
        let [_, r, s] = body.extent().unwrap_or_default();
        let widest = f64::from(r[1].abs().max(r[0].abs()) + s[1].abs().max(s[0].abs()) + 2) * 512.0;
        prop_assert!(f64::from(span.max[0] - pose.position.a) <= 1.2 * widest.max(900.0));
    }
}

#[test]
fn disc_bounds_are_tight() {
    let mut random = Random::new(20);
    for _ in 0..100_000 {
        let most = 1 << random.between(0, 31);
        let radius = random.between(0, most) as u32;
        let hexagon = Point::ORIGIN.disc_bounds(radius);
        let reach = f64::from(radius) * (2.0f64 / 3.0).sqrt();
        let ends = hexagon.down.to_array();
        let found = f64::from(ends[0]);
        assert!(found >= reach - 1e-6 && found < reach + 1.0 + 1e-6, "{radius}");
        assert!(ends == [ends[0]; 3] && hexagon.up.to_array() == ends.map(|x| -x));
    }
    let far = Point::new(i32::MAX, i32::MIN).disc_bounds(1000);
    assert_eq!((far.down.max_a, far.up.min_b), (i32::MAX, i32::MIN));
}

#[test]
fn empty_body_has_point_bounds_and_no_hits() {
    let nothing = HexBody::new();
    let pose = Pose::new(Point::new(5, -7), Angle(9));
    assert_eq!(nothing.rhombus(pose).min, [5, -7]);
    assert_eq!(nothing.span(pose.position).max, [5, -7]);
    assert_eq!(nothing.center(), None);
    assert_eq!(nothing.cell_at(pose, pose.position), None);
    assert_eq!(nothing.first_on_segment(pose, pose.position, Point::ORIGIN), None);
    assert!(!nothing.overlaps_any(pose, &nothing, pose));
}

#[test]
fn out_of_reach_cells_are_rejected_without_change() {
    let mut body: HexBody = [hex(0, 0)].into_iter().collect();
    let widest = HexBody::MAX_EXTENT as i32;
    let before = body.clone();
    for cell in [
        hex(widest, 0),
        hex(0, -widest),
        hex(widest / 2, widest / 2),
        hex(1 << 21, 0),
        hex(i32::MIN, i32::MIN),
    ] {
        assert_eq!(body.try_insert(cell), Err(OutOfReach { cell }));
        assert_eq!(body, before);
    }
    assert_eq!(body.try_insert(hex(widest - 1, 0)), Ok(true));
    assert_eq!(body.try_insert(hex(-1, 0)), Err(OutOfReach { cell: hex(-1, 0) }));
    assert_eq!(
        OutOfReach { cell: hex(1, 2) }.to_string(),
        "cell (1, 2) is out of reach of the body"
    );
    // Cells may be up to 2^29 units from the origin: 2^20 cells on the default grid, one cell on
    // the coarsest.
    let far: HexBody = hex((1 << 20) - 9, 0).range(3).collect();
    assert_eq!(far.len(), 37);
    let mut coarse = HexBody::with_grid(Grid::new(29));
    coarse.extend(hex(0, 0).range(1));
    assert!(coarse.try_insert(hex(2, 0)).is_err());
}

fn body(random: &mut Random) -> HexBody {
    let grid =
        if random.once_in(2) { Grid::default() } else { Grid::new(random.between(0, 14) as u32) };
    let mut body = HexBody::with_grid(grid);
    let middle = if random.once_in(8) { 14_000 } else { 3 };
    let center =
        hex(random.between(-middle, middle) as i32, random.between(-middle, middle) as i32);
    for cell in center.range(random.between(0, 6) as u32) {
        if !random.once_in(4) {
            body.insert(cell);
        }
    }
    body.insert(center);
    body
}

#[test]
fn cell_at_matches_definition() {
    let mut random = Random::new(21);
    let (mut inside, mut undecided) = (0, 0);
    for _ in 0..300_000 {
        let body = body(&mut random);
        let pose =
            Pose::new(Point::new(random.any() >> 2, random.any() >> 2), Angle(random.any() as u16));
        let middle = pose.to_world(body.center().expect("cells"));
        let reach = 8 * i64::from(body.grid().cell_size());
        let away = |random: &mut Random| random.between(-reach, reach) as i32;
        let point = middle + Point::new(away(&mut random), away(&mut random));
        let found = body.cell_at(pose, point);
        inside += usize::from(found.is_some());
        let depth_of = |cell: Hex| depth(&corners(&body, pose, cell), world_point(pose, point));
        // Allow an error: rounding C and U moves a border by up to 2^-29 of its distance to the
        // body's origin.
        match found {
            Some(cell) => assert!(depth_of(cell) > -0.05, "{cell} {}", depth_of(cell)),
            None => assert!(body.cells().all(|cell| depth_of(cell) < 0.05)),
        }
        undecided += usize::from(found.is_some_and(|cell| depth_of(cell) < 0.05));
    }
    assert!(inside > 40_000 && undecided < 4_000, "{inside} {undecided}");
    // At angle 0 the lookup equals the grid's lookup, borders included.
    let disc: HexBody = hex(0, 0).range(4).collect();
    for _ in 0..100_000 {
        let point =
            Point::new(random.between(-2300, 2300) as i32, random.between(-2300, 2300) as i32);
        let expected = Some(Grid::default().cell(point)).filter(|cell| cell.length() <= 4);
        let at = Point::new(random.any(), random.any());
        assert_eq!(disc.cell_at(Pose::new(at, Angle(0)), at + point), expected);
    }
}

/// Returns whether the segment touches the closed hexagon: an end is inside, or it crosses a side.
fn touches(corners: &[[i128; 2]; 6], from: [i128; 2], to: [i128; 2]) -> bool {
    let side = |i: usize| [corners[i], corners[(i + 1) % 6]];
    is_inside(corners, from)
        || is_inside(corners, to)
        || (0..6).any(|i| segments_cross(side(i), [from, to]))
}

/// Returns the fraction at which the segment enters the hexagon, in floats.
fn enters(corners: &[[i128; 2]; 6], from: [i128; 2], to: [i128; 2]) -> f64 {
    (0..6)
        .map(|i| {
            let (a, b) = (corners[i], corners[(i + 1) % 6]);
            let (x, y) = (orientation(a, b, from) as f64, orientation(a, b, to) as f64);
            if y > x { -x / (y - x) } else { 0.0 }
        })
        .fold(0.0, f64::max)
}

/// Returns the cell's corners and the segment's ends in the body's frame, where the query is exact.
fn in_body_frame(
    body: &HexBody,
    pose: Pose,
    cell: Hex,
    ends: [Point; 2],
) -> ([[i128; 2]; 6], [[i128; 2]; 2]) {
    let corners = corners(body, Pose::new(pose.position, Angle(0)), cell);
    let [re, im] = pose.angle.rotation().constants().map(i128::from);
    let back = |[a, b]: [i32; 2]| {
        let [a, b] = [a, b].map(|x| 3 * i128::from(x));
        [(re + im) * a + 2 * im * b, (re - im) * b - 2 * im * a]
    };
    let from = ends[0] - pose.position;
    let displacement = ends[1] - ends[0];
    let (from, displacement) = (back(from.into()), back(displacement.into()));
    (corners, [from, [from[0] + displacement[0], from[1] + displacement[1]]])
}

#[test]
fn first_on_segment_matches_definition() {
    let mut random = Random::new(22);
    let (mut hits, mut grazes) = (0, 0);
    for case in 0..60_000 {
        let body = body(&mut random);
        let aligned = random.once_in(3);
        let angle = if aligned { Angle(0) } else { Angle(random.any() as u16) };
        let pose = Pose::new(Point::new(random.any() >> 3, random.any() >> 3), angle);
        let size = i64::from(body.grid().cell_size());
        let middle = pose.to_world(body.center().expect("cells"));
        let reach = if random.once_in(3) { 100_000 } else { 9 };
        let end = |random: &mut Random| {
            let away = |random: &mut Random| {
                random.between(-reach * size, reach * size).clamp(-1 << 28, 1 << 28) as i32
            };
            // Often choose ends at multiples of a third of a cell, where corners and edges are.
            let third = (size / 3).max(1) as i32;
            let p = Point::new(away(random), away(random));
            middle + if aligned { Point::new(p.a / third * third, p.b / third * third) } else { p }
        };
        let mut ends = [end(&mut random), end(&mut random)];
        if random.once_in(9) {
            ends[1] = ends[0];
        } else if random.once_in(3) {
            // Choose a segment that passes within one unit of a corner.
            let cell = body
                .cells()
                .nth(random.between(0, body.len() as i64 - 1) as usize)
                .expect("a cell");
            let corner = corners(&body, pose, cell)[case % 6].map(|x| ((x / 3) >> 30) as i32);
            let corner =
                pose.position + Point::from(corner) + Point::new(random.between(-1, 1) as i32, 0);
            ends[1] = corner + (corner - ends[0]);
        }
        let touched: Vec<_> = body
            .cells()
            .map(|cell| (cell, in_body_frame(&body, pose, cell, ends)))
            .filter(|(_, (corners, [from, to]))| touches(corners, *from, *to))
            .map(|(cell, (corners, [from, to]))| (enters(&corners, from, to), cell))
            .collect();
        let found = body.first_on_segment(pose, ends[0], ends[1]);
        assert_eq!(found.is_some(), !touched.is_empty(), "{case}: {touched:?}");
        let at_start = body.cell_at(pose, ends[0]);
        assert!(ends[0] != ends[1] || at_start.is_none() || found.is_some(), "{case}");
        if let Some(hit) = found {
            hits += 1;
            grazes += usize::from(touched.len() == 1);
            let first = touched.iter().map(|t| t.0).fold(f64::INFINITY, f64::min);
            assert!((hit.fraction - first).abs() < 1e-9, "{case}: {hit:?} {first}");
            let at = touched.iter().find(|t| t.1 == hit.cell).expect("a touched cell").0;
            assert!((at - first).abs() < 1e-9, "{case}: {hit:?}");
            let starts_there = at_start.is_none_or(|cell| cell == hit.cell);
            assert!(hit.fraction > 0.0 || starts_there, "{case}");
        }
    }
    assert!(hits > 10_000 && grazes > 2_000, "{hits} {grazes}");
}

#[test]
fn segments_find_cells_inside_long_rows() {
    // A row has five words of 64 cells; test each bit of a word that is neither the first nor last.
    for q in 100..164 {
        let body: HexBody = [hex(0, 3), hex(q, 0), hex(300, -3)].into_iter().collect();
        let [from, to] = [Point::new(-512 * 9, 0), Point::new(512 * 400, 0)];
        let hit = body.first_on_segment(Pose::default(), from, to);
        assert_eq!(hit.map(|hit| hit.cell), Some(hex(q, 0)));
    }
}

#[test]
fn segment_ties_return_the_greatest_cell() {
    let body: HexBody = hex(0, 0).range(1).collect();
    let pose = Pose::default();
    // The segment starts outside the body and runs along the edge between (1, -1) and (1, 0).
    let hit =
        body.first_on_segment(pose, Point::new(1024, -512), Point::new(0, 0)).expect("on the edge");
    assert_eq!(hit.cell, hex(1, 0));
}

#[test]
fn corners_for_drawing_match_the_exact_corners() {
    let mut random = Random::new(7);
    for shift in [0, 4, 9, 20] {
        let mut body = HexBody::with_grid(Grid::new(shift));
        body.extend(hex(3, -2).range(2));
        for _ in 0..200 {
            let pose =
                Pose::new(Point::new(random.any(), random.any()), Angle(random.any() as u16));
            let unit = 3.0 * (1 << 30) as f64 * f64::from(body.grid().cell_size());
            for cell in body.cells() {
                let mut exact = corners(&body, pose, cell).map(|corner| {
                    let position = [pose.position.a, pose.position.b];
                    [0, 1].map(|axis| ((3 * i128::from(position[axis])) << 30) + corner[axis])
                });
                exact.rotate_left(1); // now the corner between E and SE is the first
                let exact = exact.map(|corner| Point::from(corner.map(|x| x as f64 / unit)));
                assert_eq!(body.cell_corners(pose, cell), exact);
                let rounded = exact.map(|corner| Point::new(corner.a as f32, corner.b as f32));
                assert_eq!(body.cell_corners(pose, cell), rounded);
            }
        }
    }
    // Without rotation, the corners are those of the layout.
    let (body, layout) = (HexBody::new(), Layout::new(Orientation::Pointy, 8.0));
    for cell in hex(0, 0).range(3) {
        let drawn = body.cell_corners(Pose::default(), cell).map(|corner| layout.position(corner));
        for ([x, y], [u, v]) in drawn.into_iter().zip(layout.corners(cell)) {
            assert!((x - u).abs() < 1e-4 && (y - v).abs() < 1e-4, "{cell}");
        }
    }
}
