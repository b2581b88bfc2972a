//! Tests of lines of cells against their definitions.

use alloc::collections::BTreeSet;

use crate::geometry::greatest_cell_at;
use hexcoord::{Hex, hex};
use proptest::prelude::*;

fn ends() -> impl Strategy<Value = (Hex, Hex)> {
    let cell = || (-30..30, -30..30).prop_map(|(q, r)| hex(q, r));
    (cell(), cell())
}

/// Returns whether the closed hexagon of a cell touches the segment between two centers. Separating
/// axes are the three edge directions of the hexagon and the direction of the segment.
fn touches(cell: Hex, from: Hex, to: Hex) -> bool {
    let wide = |c: Hex| [i64::from(c.q), i64::from(c.r)];
    let ([q, r], [fq, fr], [tq, tr]) = (wide(cell), wide(from), wide(to));
    let edges = [[2, 1], [1, 2], [1, -1]].into_iter().all(|[m, n]| {
        let (x, f, t) = (m * q + n * r, m * fq + n * fr, m * tq + n * tr);
        f.min(t) - 1 <= x && x <= f.max(t) + 1
    });
    let (dq, dr) = (tq - fq, tr - fr);
    let across = dq * (r - fr) - dr * (q - fq);
    // The offset from the center of a hexagon to a corner is a third of a diagonal.
    let corners = [[2, -1], [1, 1], [-1, 2]].map(|[a, b]| (dq * b - dr * a).abs());
    edges && 3 * across.abs() <= corners.into_iter().max().expect("three")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn line_matches_definition((from, to) in ends()) {
        let line: Vec<_> = from.line_to(to).collect();
        let n = i64::from(from.distance(to));
        prop_assert_eq!(line.len() as i64, n + 1);
        for (k, &cell) in line.iter().enumerate() {
            let k = k as i64;
            let at = |f: i32, t: i32| (n - k) * i64::from(f) + k * i64::from(t);
            let expected = if n == 0 { from } else { greatest_cell_at(at(from.q, to.q), at(from.r, to.r), n) };
            prop_assert_eq!(cell, expected);
        }
        prop_assert!(line.windows(2).all(|pair| pair[0].distance(pair[1]) == 1));
        let mut back: Vec<_> = to.line_to(from).collect();
        back.reverse();
        prop_assert_eq!(back, line);
    }

    #[test]
    fn cover_matches_definition((from, to) in ends()) {
        let cover: Vec<_> = from.cover_to(to).collect();
        let each_once: BTreeSet<_> = cover.iter().copied().collect();
        prop_assert_eq!(each_once.len(), cover.len());
        let all = from.range(from.distance(to) + 2).filter(|&cell| touches(cell, from, to));
        prop_assert!(each_once.iter().copied().eq(all));
        prop_assert!(from.line_to(to).all(|cell| each_once.contains(&cell)));
        let back: BTreeSet<_> = to.cover_to(from).collect();
        prop_assert_eq!(back, each_once);
        // The cells are ordered along the line: in three consecutive cells, the last is at least as
        // far from the start as the first.
        prop_assert!(cover.windows(3).all(|c| c[0].distance(from) <= c[2].distance(from)));
        prop_assert_eq!((cover.first(), cover.last()), (Some(&from), Some(&to)));
    }

    #[test]
    fn long_lines_have_exact_steps(q in any::<i32>(), r in any::<i32>(), p in any::<i32>(), s in any::<i32>()) {
        let (from, to) = (hex(q, r), hex(p, s));
        let line = from.line_to(to);
        let steps = line.len() as u64 - 1;
        // With 32-bit addresses, the length may saturate.
        prop_assume!(steps < u64::from(u32::MAX) && line.len() < usize::MAX);
        prop_assert_eq!(steps, u64::from(from.distance(to)));
        prop_assert!(line.take(50).enumerate().all(|(k, cell)| from.distance(cell) as usize == k));
    }
}

#[test]
fn million_cell_line_ends_at_its_end() {
    let (from, to) = (hex(-3, 17), hex(812_345, -1_000_003));
    let line = from.line_to(to);
    assert_eq!(line.len(), 1_000_021);
    assert_eq!(line.last(), Some(to));
    assert_eq!(from.cover_to(to).last(), Some(to));
}
