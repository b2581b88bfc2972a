//! Polygons, sight and paths, compared with simple definitions.
//!
//! The first byte selects the function. Points and cells are close together, so that edges often
//! coincide, cross at centers of cells, or run along their sides.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::RangeInclusive;

use arbitrary::{Result, Unstructured};
use hexcoord::{
    Containment, Grid, Hex, PathLimits, Point, PolygonFill, Run, Sight, find_path, hex, reachable,
};

#[path = "../../../hexcoord/tests/all/polygons/clip.rs"]
mod clip;
#[allow(dead_code, reason = "the targets call a part of it")]
#[path = "../../../hexcoord/tests/all/geometry.rs"]
mod geometry;
#[path = "../../../hexcoord/tests/all/polygons/parts.rs"]
mod parts;

type Wide = [i128; 2];

const RULES: [Containment; 3] = [Containment::Center, Containment::Overlapping, Containment::Full];
/// Maximum number of points of all rings.
const MAX_POINTS: usize = 14;
/// Radius of the map for sight and paths.
const RADIUS: u32 = 5;

/// Calls the selected function with the values that the bytes encode.
///
/// # Panics
/// If a result differs from the definition.
pub fn run(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let input = &mut Unstructured::new(bytes);
    // The only error is that the bytes have ended.
    let _ = match kind % 4 {
        0 => polygon(input, 0..=4, 16),
        1 => polygon(input, 0..=29, 1 << 30),
        2 => sight(input),
        _ => path(input),
    };
}

/// Compares the cells of a polygon with the parts into which its edges divide each cell, or, if
/// coordinates are large, with its edges clipped by each cell.
fn polygon(input: &mut Unstructured<'_>, shifts: RangeInclusive<u32>, limit: i64) -> Result<()> {
    let shift = input.int_in_range(shifts)?;
    let (grid, half) = (Grid::new(shift), (1i64 << shift) / 2 + i64::from(shift == 0));
    let reach = limit.min(7 << shift);
    let mut rings = vec![Vec::new()];
    for _ in 0..MAX_POINTS {
        if input.is_empty() {
            break;
        }
        let [a, b, fine] = input.arbitrary::<[i8; 3]>()?;
        if fine == i8::MIN {
            rings.push(Vec::new());
        }
        // Multiples of half a cell, most of them exactly.
        let coordinate = |n: i8, fine: i8| {
            let fine = if fine > 64 { i64::from(fine - 80) } else { 0 };
            (i64::from(n % 9) * half + fine).clamp(-reach, reach) as i32
        };
        let point = Point::new(coordinate(a, fine), coordinate(b, fine.rotate_left(1)));
        rings.last_mut().expect("a ring").push(point);
    }
    let wide = |point: Point| [point.a, point.b].map(i128::from);
    let edges: Vec<[Wide; 2]> = rings
        .iter()
        .flat_map(|ring| ring.iter().zip(ring.iter().cycle().skip(1)))
        .filter(|(from, to)| from != to)
        .map(|(&from, &to)| [wide(from), wide(to)])
        .collect();
    let (is_divided, size) = (limit <= 16, i128::from(grid.cell_size()));
    if !is_divided && coincide(&edges) {
        return Ok(());
    }
    let divided = parts::Division::new(if is_divided { &edges } else { &[] });
    let any = |meets: fn([Wide; 2], Wide, i128) -> bool, center| {
        edges.iter().any(|&edge| meets(edge, center, size))
    };
    let around = -8..=8;
    let cells: Vec<Hex> =
        around.clone().flat_map(|r| around.clone().map(move |q| hex(q, r))).collect();
    for rule in RULES {
        let is_in = |cell: &&Hex| {
            let center = [cell.q, cell.r].map(|x| i128::from(x) << shift);
            let surrounded = clip::surrounded(&edges, center);
            match rule {
                Containment::Center => surrounded,
                Containment::Overlapping if is_divided => divided.touches(center, size),
                Containment::Full if is_divided => divided.contains(center, size),
                Containment::Overlapping => surrounded || any(clip::touches, center),
                Containment::Full => surrounded && !any(clip::enters, center),
            }
        };
        let expected: Vec<Hex> = cells.iter().filter(is_in).copied().collect();
        let mut fill = PolygonFill::new();
        let found: Vec<Hex> =
            fill.runs(grid, &rings, rule).flat_map(Run::cells).take(2 * cells.len()).collect();
        assert_eq!(found, expected, "{rule:?} {grid:?} {rings:?}");
    }
    Ok(())
}

/// Returns whether two edges have more than one point in common.
fn coincide(edges: &[[Wide; 2]]) -> bool {
    let cross =
        |o: Wide, p: Wide, q: Wide| (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0]);
    edges.iter().enumerate().any(|(i, &[a, b])| {
        edges[..i].iter().any(|&[c, d]| {
            let axis = usize::from(a[0] == b[0]);
            let low = a[axis].min(b[axis]).max(c[axis].min(d[axis]));
            let high = a[axis].max(b[axis]).min(c[axis].max(d[axis]));
            cross(a, b, c) == 0 && cross(a, b, d) == 0 && low < high
        })
    })
}

/// Returns the cells of the map whose bits are set.
fn walls(input: &mut Unstructured<'_>) -> Result<BTreeSet<Hex>> {
    let bits: u128 = input.arbitrary()?;
    let cells = hex(0, 0).range(RADIUS).enumerate();
    Ok(cells.filter(|(index, _)| bits >> index & 1 == 1).map(|(_, cell)| cell).collect())
}

fn cell(input: &mut Unstructured<'_>) -> Result<Hex> {
    let radius = RADIUS as i32;
    Ok(hex(input.int_in_range(-radius..=radius)?, input.int_in_range(-radius..=radius)?))
}

/// Compares sight with its definition: each point of the line is in a free cell, or only in free
/// cells.
fn sight(input: &mut Unstructured<'_>) -> Result<()> {
    let (walls, from) = (walls(input)?, cell(input)?);
    let is_wall = |cell: Hex| walls.contains(&cell);
    let sees = |to: Hex, sight| {
        let n = i64::from(from.distance(to));
        (1..n).all(|k| {
            let at = |f: i32, t: i32| (n - k) * i64::from(f) + k * i64::from(t);
            let mut cells = geometry::cells_at(at(from.q, to.q), at(from.r, to.r), n).into_iter();
            match sight {
                Sight::Strict => !cells.any(is_wall),
                Sight::Permissive => cells.any(|cell| !is_wall(cell)),
            }
        })
    };
    for sight in [Sight::Strict, Sight::Permissive] {
        let seen: Vec<Hex> = from.field_of_view(2 * RADIUS, sight, is_wall).collect();
        let expected = from.spiral(2 * RADIUS).filter(|&to| sees(to, sight));
        assert_eq!(seen, expected.collect::<Vec<_>>(), "{sight:?} from {from}, {walls:?}");
        let turned = seen.iter().all(|to| to.sees(from, sight, is_wall));
        assert!(turned, "{sight:?} to {from}, {walls:?}");
    }
    Ok(())
}

/// Compares costs with those of the Bellman-Ford algorithm, which relaxes all steps until no cost
/// decreases.
fn path(input: &mut Unstructured<'_>) -> Result<()> {
    let (walls, start, goal) = (walls(input)?, cell(input)?, cell(input)?);
    let (costs, min_step_cost): ([u8; 7], _) = (input.arbitrary()?, input.int_in_range(0..=3)?);
    let cost = |from: Hex, to: Hex| {
        let is_open = to.length() <= RADIUS && !walls.contains(&to);
        let index = (to.q - 3 * from.r).rem_euclid(7) as usize;
        is_open.then(|| min_step_cost + u32::from(costs[index]))
    };
    let mut cheapest = BTreeMap::from([(start, 0u64)]);
    loop {
        let before = cheapest.clone();
        for (&cell, spent) in &before {
            for next in cell.neighbors() {
                let Some(step) = cost(cell, next) else { continue };
                let known = cheapest.entry(next).or_insert(u64::MAX);
                *known = (*known).min(spent + u64::from(step));
            }
        }
        if cheapest == before {
            break;
        }
    }
    let budget = input.int_in_range(0..=600)?;
    let reached = reachable(start, budget, cost);
    assert!(reached.is_sorted_by_key(|&(cell, cost)| (cost, cell)), "{reached:?}");
    let expected: BTreeMap<_, _> =
        cheapest.iter().filter(|one| *one.1 <= budget).map(|(&cell, &cost)| (cell, cost)).collect();
    assert_eq!(reached.into_iter().collect::<BTreeMap<_, _>>(), expected);

    let found = find_path(start, goal, PathLimits { min_step_cost, budget }, cost);
    assert_eq!(found.as_ref().map(|path| path.cost), expected.get(&goal).copied());
    if let Some(path) = found {
        let steps = path.cells.windows(2).map(|pair| cost(pair[0], pair[1]).expect("a free cell"));
        assert_eq!(steps.map(u64::from).sum::<u64>(), path.cost);
        assert_eq!((path.cells.first(), path.cells.last()), (Some(&start), Some(&goal)));
    }
    Ok(())
}

/// Returns the seeds: bytes with various steps for each function.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |number: u8| {
        let bytes = (0..48u8).map(|n| n.wrapping_mul(2 * number + 7).wrapping_add(number));
        core::iter::once(number).chain(bytes).collect()
    };
    (0..16).map(seed).collect()
}
