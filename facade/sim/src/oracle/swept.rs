//! The expected hits of swept objects: each pair is tested in exact integers at the start of the
//! step, and at every fraction at which a gap between the two becomes 0.

use alloc::collections::BTreeMap;

use hexphase::{Handle, Overlap};

use super::{Object, Oracle};
use crate::shape::Box64;
use crate::totals::Situations;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected {
    /// The fraction at the first touch; `None` if there is none.
    Exact(Option<f64>),
    /// Coordinates are too large or too fine for exact integers: whether the objects touch at the
    /// start, and at the end, of the step.
    AtAnEnd([bool; 2]),
}

/// Number of pairs from which on exact hits are not computed.
const MAX_EXACT: usize = 2000;

/// Number of images tested on an axis that wraps: two on either side.
const IMAGES: usize = 5;

/// Returns the length in which coordinates are exact integers in most worlds with this unit.
pub(super) fn quarter(unit: f64) -> f64 {
    let is_power_of_two = unit.to_bits() << 12 == 0;
    if is_power_of_two && (1e-6..1e6).contains(&unit) { 0.25 * unit } else { 0.25 }
}

/// The distances of two boxes on an axis, each at the start and at the end of a step: from the
/// upper end of one box to the lower end of the other. The boxes touch while both are at most 0.
type Gaps = [[i128; 2]; 2];

impl Oracle {
    fn ends(&self, object: &Object) -> [Box64; 2] {
        match object.path {
            Some([from, to]) => [self.space.path_start(&self.sides, &from, &to), to],
            None => [object.bounds; 2],
        }
    }

    fn quarters(&self, x: f64) -> Option<i128> {
        let quarters = x / self.quarter;
        let is_exact = quarters.abs() < 1e6 && quarters % 1.0 == 0.0;
        is_exact.then_some(quarters as i128)
    }

    fn gaps(&self, [a, b]: &[[Box64; 2]; 2], axis: usize, shift: f64) -> Option<Gaps> {
        let shift = self.quarters(shift)?;
        let mut gaps = [[0; 2]; 2];
        for time in 0..2 {
            let ends = [a[time].min[axis], a[time].max[axis], b[time].min[axis], b[time].max[axis]];
            let [a_min, a_max, b_min, b_max] = ends.map(|end| self.quarters(end));
            gaps[0][time] = b_min? + shift - a_max?;
            gaps[1][time] = a_min? - b_max? - shift;
        }
        Some(gaps)
    }

    fn expected_hit(&self, pair: [&Object; 2], exact: bool) -> Expected {
        let ends = pair.map(|object| self.ends(object));
        let touch = |time: usize| ends[0][time].overlaps(&ends[1][time]);
        let at_an_end = Expected::AtAnEnd([touch(0), touch(1)]);
        if !exact {
            return at_an_end;
        }
        let mut first: Option<(i128, i128)> = None;
        let images = self.sides.map(|side| if side > 0.0 { IMAGES } else { 1 });
        for image in 0..images.iter().product() {
            let (mut rest, mut all): (usize, _) = (image, Vec::new());
            for (axis, count) in images.into_iter().enumerate().take(self.dimensions) {
                let turns = (rest % count) as f64 - (count / 2) as f64;
                rest /= count;
                let Some(gaps) = self.gaps(&ends, axis, turns * self.sides[axis]) else {
                    return at_an_end;
                };
                all.extend(gaps);
            }
            let touch = |&(part, whole): &(i128, i128)| {
                all.iter().all(|[begin, end]| begin * (whole - part) + end * part <= 0)
            };
            let closings = all.iter().filter(|[begin, end]| *begin > 0 && *end <= 0);
            let times = closings.map(|[begin, end]| (*begin, begin - end)).chain([(0, 1)]);
            let times = times.filter(touch).chain(first);
            first = times.reduce(|a, b| if a.0 * b.1 < b.0 * a.1 { a } else { b });
        }
        let fraction = |(part, whole)| self.space.round_fraction(part as f64 / whole as f64);
        Expected::Exact(first.map(fraction))
    }

    /// Compares the hits of swept objects in a world with the expected ones. The error describes
    /// the first difference.
    pub(crate) fn check_swept_hits(
        &self,
        found: &[(Overlap<u32>, f64)],
        situations: &mut Situations,
    ) -> Result<(), String> {
        let mut expected = BTreeMap::new();
        let [pairs, ..] = self.pairs();
        for Overlap { handles, users, .. } in pairs {
            let [Some(a), Some(b)] = handles.map(|handle| self.by_handle(handle)) else { continue };
            if a.path.is_none() && b.path.is_none() {
                continue;
            }
            let hit = self.expected_hit([a, b], expected.len() < MAX_EXACT);
            situations.add_if(hit == Expected::Exact(None), "pairs beside a path");
            let is_hit = matches!(hit, Expected::Exact(Some(_)));
            situations.add_if(is_hit, "hits of swept objects");
            let swapped = ([handles[1], handles[0]], [users[1], users[0]]);
            for (object, (pair, users)) in [(a, (handles, users)), (b, swapped)] {
                if object.path.is_some() {
                    expected.insert(pair, (hit, users));
                }
            }
        }
        let order = |(overlap, fraction): &(Overlap<u32>, f64)| {
            let [own, other] = overlap.handles;
            (own, *fraction, other)
        };
        if !found.is_sorted_by(|a, b| order(a) < order(b)) {
            return Err("hits of swept objects are not in order".to_owned());
        }
        let hits = found.iter().map(|(hit, at)| (hit.handles, (*at, hit.users)));
        let (count, mut found) = (found.len(), hits.collect::<BTreeMap<[Handle; 2], _>>());
        if found.len() != count {
            return Err("a hit of a swept object is listed twice".to_owned());
        }
        for (pair, (hit, users)) in expected {
            let hit_found = found.remove(&pair);
            let fraction = hit_found.map(|(fraction, _)| fraction);
            let is_right = match hit {
                Expected::Exact(expected) => fraction == expected,
                Expected::AtAnEnd([start, end]) => {
                    fraction.is_none_or(|at| (0.0..=1.0).contains(&at))
                        && (!start || fraction == Some(0.0))
                        && (!end || fraction.is_some())
                }
            };
            if !is_right || hit_found.is_some_and(|(_, found)| found != users) {
                return Err(format!(
                    "hit of {pair:?}: {hit_found:?} instead of {hit:?}, {users:?}"
                ));
            }
        }
        match found.first_key_value() {
            Some((pair, _)) => Err(format!("hit of {pair:?}, which is not expected")),
            None => Ok(()),
        }
    }
}
