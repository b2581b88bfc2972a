//! Hits of swept objects, with expected results by definition: each pair is tested in exact
//! integers at the start of the step, and at every fraction at which a gap between the two becomes
//! 0.

use alloc::collections::BTreeMap;

use hexphase::{Aabb, Handle, Overlap, Plain, Scalar, SweptHit};
use laws::numbers::Numbers;

use crate::laws::model::{Model, Object};
use crate::laws::play::Game;
use crate::laws::volume::Volume;

/// The expected hit of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Expected<R> {
    /// The fraction at the first touch; `None` if there is none.
    Exact(Option<R>),
    /// Coordinates are too large or too fine for exact integers: whether the objects touch at the
    /// start, and at the end, of the step.
    AtAnEnd([bool; 2]),
}

/// Returns a coordinate in quarters, `None` if it is not a small multiple of a quarter.
fn quarters<S: Scalar>(x: S) -> Option<i128> {
    let quarters = x.to_f64() * 4.0;
    let is_exact = quarters.abs() < 1e6 && quarters % 1.0 == 0.0;
    is_exact.then_some(quarters as i128)
}

/// The distances of two boxes on an axis, each at the start and at the end of a step: from the
/// upper end of one box to the lower end of the other. The boxes touch while both are at most 0.
type Gaps = [[i128; 2]; 2];

impl<S: Numbers, const D: usize, B: Volume<S, D>> Model<S, D, B> {
    /// Returns the bounds of an object at the start and at the end of the last step.
    fn ends(&self, object: &Object<S, D, B>) -> [Aabb<S, D>; 2] {
        match object.path {
            Some([from, to]) => [self.nearest_image(from, &to), to],
            None => [object.at; 2],
        }
    }

    fn expected_hit(&self, pair: [Handle; 2]) -> Expected<S::Real> {
        let [a, b] = pair.map(|handle| self.ends(&self.objects[&handle]));
        let gaps = |axis: usize, shift: S| -> Option<Gaps> {
            let shift = quarters(shift)?;
            let mut gaps = [[0; 2]; 2];
            for time in 0..2 {
                let [a_min, a_max] = [quarters(a[time].min[axis])?, quarters(a[time].max[axis])?];
                let [b_min, b_max] = [quarters(b[time].min[axis])?, quarters(b[time].max[axis])?];
                (gaps[0][time], gaps[1][time]) = (b_min + shift - a_max, a_min - b_max - shift);
            }
            Some(gaps)
        };
        let sides = self.sides();
        let mut first: Option<(i128, i128)> = None;
        let images = sides.map(|side| if side > S::ZERO { 7 } else { 1 });
        for image in 0..images.iter().product() {
            let (mut rest, mut all): (usize, _) = (image, Vec::new());
            for (axis, &side) in sides.iter().enumerate() {
                let shift = S::from_f64(((rest % images[axis]) as f64 - 3.0) * side.to_f64());
                rest /= images[axis];
                let Some(gaps) = gaps(axis, shift) else {
                    return Expected::AtAnEnd([0, 1].map(|time| a[time].overlaps(&b[time])));
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
        Expected::Exact(first.map(|(part, whole)| S::Real::from_f64(part as f64 / whole as f64)))
    }
}

impl<S: Numbers + Plain, const D: usize, B: Volume<S, D>> Game<S, D, B> {
    /// Compares the hits of swept objects in all worlds with the model.
    pub(super) fn check_swept_hits(&mut self) {
        let mut expected = BTreeMap::new();
        for Overlap { handles: pair, users, .. } in self.model.pairs() {
            let object = |handle| self.model.objects.get(&handle);
            let [Some(a), Some(b)] = pair.map(object) else { continue };
            if a.path.is_none() && b.path.is_none() {
                continue;
            }
            let hit = self.model.expected_hit(pair);
            self.tally.count_if(hit == Expected::Exact(None), "pairs beside a path");
            self.tally.count_if(matches!(hit, Expected::Exact(Some(_))), "hits of swept objects");
            let swapped = ([pair[1], pair[0]], [users[1], users[0]]);
            for (object, ([own, other], users)) in [(a, (pair, users)), (b, swapped)] {
                if object.path.is_some() {
                    expected.insert((own, other), (hit, users));
                }
            }
        }
        let mut first: Option<Vec<SweptHit<u32, S::Real>>> = None;
        for player in self.players.iter().filter(|player| player.has_pairs) {
            let (world, name) = (&player.world, &player.name);
            let mut hits = Vec::new();
            world.swept_hits(world.pairs(), &mut hits);
            let sorted = hits.is_sorted_by(|a, b| {
                let ([own, other], [next, another]) = (a.overlap.handles, b.overlap.handles);
                (own, a.fraction, other) < (next, b.fraction, another)
            });
            assert!(sorted, "hits of swept objects in {name}");
            let hit = |hit: &SweptHit<u32, S::Real>| {
                let Overlap { handles: [own, other], users, .. } = hit.overlap;
                ((own, other), (hit.fraction, users))
            };
            let found: BTreeMap<_, _> = hits.iter().map(hit).collect();
            assert_eq!(found.len(), hits.len(), "each hit once in {name}");
            assert!(found.keys().all(|objects| expected.contains_key(objects)), "{name}");
            let (begin, end) = (S::Real::from_f64(0.0), S::Real::from_f64(1.0));
            for (objects, (hit, users)) in &expected {
                let found = found.get(objects);
                assert!(found.is_none_or(|(_, found)| found == users), "users in {name}");
                let fraction = found.map(|&(fraction, _)| fraction);
                match *hit {
                    Expected::Exact(expected) => {
                        assert_eq!(fraction, expected, "{objects:?} in {name}");
                    }
                    Expected::AtAnEnd(touch) => {
                        let is_valid = |at: S::Real| begin <= at && at <= end;
                        assert!(fraction.is_none_or(is_valid), "{objects:?} in {name}");
                        assert!(!touch[0] || fraction == Some(begin), "{objects:?} in {name}");
                        assert!(!touch[1] || fraction.is_some(), "{objects:?} in {name}");
                    }
                }
            }
            assert_eq!(first.get_or_insert_with(|| hits.clone()), &hits, "hits in {name}");
        }
    }
}
