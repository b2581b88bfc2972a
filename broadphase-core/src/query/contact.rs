//! First contact of two boxes whose ends move linearly.
//!
//! Input: two boxes at the start and at the end of a step. Output: the fraction at first contact.
//!
//! 1. On each axis there are two gaps: from the upper end of either box to the lower end of the
//!    other. Boxes touch while no gap is positive.
//! 2. Gaps change linearly. A gap that is positive only at the start closes at the fraction g₀ /
//!    (g₀ − g₁) of the step; one that is positive only at the end opens there.
//! 3. The first contact is the latest closing, if no gap opens before it.
//! 4. In a world that wraps the second box is tested at each image that the first can reach.
//!
//! The signs of gaps are exact: boxes that touch at the start or the end are in contact. Fractions
//! of integers are compared exactly and rounded once; those of floats are rounded to `f64`, then
//! compared. The result does not depend on the order of the boxes.

use bounds_hexprism::{Aabb, Scalar};

/// Number of images of a box on an axis that wraps: moved by −2 to 2 sides.
const IMAGES: usize = 5;

/// The fraction `part / whole` of a step.
#[derive(Clone, Copy, Debug)]
struct Time {
    part: f64,
    whole: f64,
}

impl Time {
    const BEGIN: Self = Self { part: 0.0, whole: 1.0 };
    const END: Self = Self { part: 1.0, whole: 1.0 };

    fn fraction(self) -> f64 {
        self.part / self.whole
    }

    /// Returns whether this time is before another; exact for integers, which are below 2⁵³.
    fn precedes<S: Scalar>(self, other: Self) -> bool {
        if S::INTEGER {
            let product = |a: f64, b: f64| a as i128 * b as i128;
            product(self.part, other.whole) < product(other.part, self.whole)
        } else {
            self.fraction() < other.fraction()
        }
    }
}

/// The times of first and last contact.
type Contact = [Time; 2];

/// Returns the time span in which both contacts last, if any.
fn both<S: Scalar>([a, b]: Contact, [c, d]: Contact) -> Option<Contact> {
    let first = if a.precedes::<S>(c) { c } else { a };
    let last = if d.precedes::<S>(b) { d } else { b };
    (!last.precedes::<S>(first)).then_some([first, last])
}

/// Returns `a + b` and its rounding error (Knuth, `TwoSum`).
fn two_sum(a: f64, b: f64) -> [f64; 2] {
    let sum = a + b;
    let a_part = sum - b;
    let b_part = sum - a_part;
    [sum, (a - a_part) + (b - b_part)]
}

/// Returns `low + shift - high` with an exact sign; infinite if it overflows.
fn gap(low: f64, shift: f64, high: f64) -> f64 {
    let [distance, error] = two_sum(low, -high);
    if !distance.is_finite() {
        return distance;
    }
    let [sum, more] = two_sum(distance, shift);
    sum + (error + more)
}

/// Returns the part of a step during which a gap is not positive, if any. `low` is where the gap
/// ends, `high` where it begins, each at the start and at the end of the step.
fn closed(low: [f64; 2], shift: f64, high: [f64; 2]) -> Option<Contact> {
    let gaps =
        |scale: f64| [0, 1].map(|time| gap(low[time] * scale, shift * scale, high[time] * scale));
    let [begin, end] = gaps(1.0);
    let is_open = [begin > 0.0, end > 0.0];
    if is_open[0] == is_open[1] {
        return (!is_open[0]).then_some([Time::BEGIN, Time::END]);
    }
    let change = (begin - end).abs();
    let time = if change.is_finite() {
        Time { part: begin.abs(), whole: change }
    } else {
        let [begin, end] = gaps(0.25);
        Time { part: begin.abs(), whole: (begin - end).abs() }
    };
    Some(if is_open[0] { [time, Time::END] } else { [Time::BEGIN, time] })
}

/// Returns the fraction of a step at which two boxes first touch, `None` if they do not touch.
///
/// The ends of each box move linearly between the start and the end of the step. Touching counts,
/// also of corners. Boxes that touch at the start return 0, and boxes that touch at the end always
/// return a fraction. Boxes that are NaN, infinite or inverted touch nothing. Constant time.
///
/// ```
/// use broadphase_core::{Aabb, first_contact};
///
/// let bullet = [Aabb::point([0.0, 0.0]), Aabb::point([8.0, 8.0])];
/// let plane = [[4.0, 8.0], [4.0, 0.0]].map(|at| Aabb::around(at, [1.0, 1.0]));
/// assert_eq!(first_contact(bullet, plane), Some(0.4375)); // at (3.5, 3.5)
/// let bubble = [0.0, 4.0].map(|radius| Aabb::of_ball([6.0, 4.0], radius));
/// assert_eq!(first_contact(bullet, bubble), Some(0.5)); // its left side is at x = 4 then
/// assert_eq!(first_contact(bullet, [Aabb::point([4.0, 5.0]); 2]), None);
/// ```
#[must_use]
pub fn first_contact<S: Scalar, const D: usize>(
    a: [Aabb<S, D>; 2],
    b: [Aabb<S, D>; 2],
) -> Option<S::Real> {
    first_contact_in([S::ZERO; D], a, b)
}

/// Returns the first contact of two boxes in a world with these sides, 0 for an axis that does not
/// wrap. Bounds at the end must be as a [`Torus`](crate::Torus) stores them; each box must move by
/// less than a side.
#[must_use]
pub fn first_contact_in<S: Scalar, const D: usize>(
    sides: [S; D],
    a: [Aabb<S, D>; 2],
    b: [Aabb<S, D>; 2],
) -> Option<S::Real> {
    if a.iter().chain(&b).any(|bounds| bounds.checked().is_err()) {
        return None;
    }
    // The images that touch on each axis; an axis that does not wrap has one.
    let images = sides.map(|side| if side > S::ZERO { IMAGES } else { 1 });
    let mut contacts = [[None; IMAGES]; D];
    for axis in 0..D {
        let ends = |of: &[Aabb<S, D>; 2]| {
            [
                of.each_ref().map(|at| at.min[axis].to_f64()),
                of.each_ref().map(|at| at.max[axis].to_f64()),
            ]
        };
        let ([a_min, a_max], [b_min, b_max]) = (ends(&a), ends(&b));
        let side = sides[axis].to_f64();
        for (image, contact) in contacts[axis].iter_mut().enumerate().take(images[axis]) {
            let shift = if side > 0.0 { (image as f64 - 2.0) * side } else { 0.0 };
            let ahead = closed(b_min, shift, a_max);
            let behind = closed(a_min, -shift, b_max);
            *contact = ahead.zip(behind).and_then(|(ahead, behind)| both::<S>(ahead, behind));
        }
    }
    let mut first: Option<Time> = None;
    for number in 0..images.iter().product() {
        let (mut rest, mut contact): (usize, _) = (number, Some([Time::BEGIN, Time::END]));
        for (contacts, images) in contacts.iter().zip(images) {
            contact =
                contact.zip(contacts[rest % images]).and_then(|(all, own)| both::<S>(all, own));
            rest /= images;
        }
        let Some([time, _]) = contact else { continue };
        if first.is_none_or(|first| time.precedes::<S>(first)) {
            first = Some(time);
        }
    }
    first.map(|time| S::Real::from_f64(time.fraction()))
}
