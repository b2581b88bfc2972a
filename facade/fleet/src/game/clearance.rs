//! The clearance of two ships: the distance that they can move relative to each other before they
//! begin or cease to touch. It is positive for ships that are apart, and negative for ships that
//! touch.
//!
//! Two cells have a clearance by the separating axis theorem: positive if they are apart by at
//! least this distance, negative if they overlap by this depth. The clearance of two ships is the
//! smallest over all pairs of cells. If no point moves by more than the absolute value, the sign
//! remains: above 0, because no pair of cells comes into contact; below 0, because the deepest pair
//! stays in contact.
//!
//! 1. Rotate the centers of the cells of each ship into the frame of the other, rounded to units.
//! 2. Store three forms of each center in both frames, as `i16`: the positions across the three
//!    pairs of edges of a cell. The arrays have a fixed length, so the compiler vectorizes the
//!    loops over them.
//! 3. For each pair of cells the largest difference of a form, in either frame, minus the extents
//!    of both cells, is √2 times the clearance. The extents depend only on the relative rotation.
//!    Cells of the first ship that are far from all cells of the second are left out.
//! 4. Subtract the rounding errors from the absolute value, so that the result holds for exact
//!    positions.
//!
//! The time is proportional to the product of the numbers of cells, so large ships are not
//! measured.

use hexphase::hex::{Angle, Point, Rotation};

use super::hulls::Hull;

/// Size of a cell: the centers of neighbors along an axis differ by this number of units.
const SIZE: i32 = 512;
/// Maximum number of cells of a ship whose clearance is measured. Small ships have up to 19 cells,
/// rounded up to a multiple of 8 for the vectorized loops.
pub(super) const MAX_CELLS: usize = 24;
/// Maximum extent of such a ship in units. Forms of points within twice this extent fit 16 bits.
pub(super) const MAX_REACH: u16 = 2400;
/// Maximum rounding error of a clearance in units: of two rotated centers, and of the lengths here.
const ROUNDING: i32 = 4;
/// Maximum absolute value of a clearance in units; larger ones are limited to it.
const MAX_CLEARANCE: i32 = 512;

/// The positions of the cells of a ship in the frame of another ship, in units of 2^-8.
struct Lattice {
    origin: [i32; 2],
    /// Difference of the positions of neighboring cells along q and along r.
    steps: [[i32; 2]; 2],
}

impl Lattice {
    fn new(origin: Point, rotation: Rotation) -> Self {
        let step = |a, b| <[i32; 2]>::from(rotation.rotate(Point::new(a << 8, b << 8)));
        Self {
            origin: [(origin.a << 8) + 128, (origin.b << 8) + 128],
            steps: [step(SIZE, 0), step(0, SIZE)],
        }
    }

    /// Returns the position of a center of a cell in the other frame, rounded to units.
    #[inline(always)]
    fn at(&self, center: Point) -> Point {
        let (q, r) = (center.a / SIZE, center.b / SIZE);
        let at = |axis: usize| {
            (self.origin[axis] + q * self.steps[0][axis] + r * self.steps[1][axis]) >> 8
        };
        Point::new(at(0), at(1))
    }
}

/// The forms 2a + b, a + 2b and a − b of all centers of a ship in one frame.
type Forms = [[i16; MAX_CELLS]; 3];

/// Returns the forms of a point.
#[inline(always)]
fn forms(Point { a, b }: Point) -> [i16; 3] {
    [(2 * a + b) as i16, (a + 2 * b) as i16, (a - b) as i16]
}

/// Returns the clearance of two ships in units, with its absolute value reduced by the rounding
/// errors; 0 if these could change the sign. `offset` is the position of the second ship relative
/// to the first. Their bounding rhombi must overlap, and both must have at most [`MAX_CELLS`] cells
/// and [`MAX_REACH`].
pub(super) fn clearance([first, second]: [&Hull; 2], offset: Point, angles: [Angle; 2]) -> i32 {
    let relative = (angles[1] - angles[0]).rotation();
    let [c, u] = relative.constants().map(i64::from);
    let corner = (c + u).abs().max((c - u).abs()).max((2 * u).abs());
    // The sum of the extents of both cells across an edge of either cell, as a form.
    let extent = SIZE + ((corner * i64::from(SIZE)) >> 30) as i32;
    let first_in_second = angles[1].rotation().inverse().rotate(Point::ORIGIN - offset);
    let second_in_first = angles[0].rotation().inverse().rotate(offset);
    let into_first = Lattice::new(second_in_first, relative);
    let into_second = Lattice::new(first_in_second, relative.inverse());
    // Fill unused entries with a far position, so that they do not affect the minimum.
    let mut theirs: [Forms; 2] = [[[i16::MAX / 2; MAX_CELLS]; 3]; 2];
    for (place, &center) in second.centers.iter().enumerate().take(MAX_CELLS) {
        let in_both = [into_first.at(center), center];
        for (frame, at) in in_both.into_iter().enumerate() {
            for (form, value) in forms(at).into_iter().enumerate() {
                theirs[frame][form][place] = value;
            }
        }
    }
    // The largest absolute value of a form of a center of the second ship: √3 times the extent of
    // the ship along an axis, less that of a cell.
    let their_farthest = ((i32::from(second.reach) - 2 * SIZE / 3) * 1774) >> 10;
    let far = their_farthest + extent + MAX_CLEARANCE * 3 / 2;
    let mut least = [i16::MAX; MAX_CELLS];
    for &center in &first.centers {
        let at = into_second.at(center);
        let [x, y, z] = forms(at);
        if i32::from(x).abs().max(i32::from(y).abs()).max(i32::from(z).abs()) > far {
            continue;
        }
        let ours = [forms(center), [x, y, z]];
        for (place, least) in least.iter_mut().enumerate() {
            let spread = |frame: usize| {
                let form = |form: usize| {
                    theirs[frame][form][place].wrapping_sub(ours[frame][form]).wrapping_abs()
                };
                form(0).max(form(1)).max(form(2))
            };
            *least = (*least).min(spread(0).max(spread(1)));
        }
    }
    let least = least.into_iter().min().unwrap_or(i16::MAX);
    // The form across an edge is √2 times the distance (724 / 1024 = 1 / √2).
    let form = i32::from(least) - extent;
    let sure = (((form.abs() * 724) >> 10) - ROUNDING).clamp(0, MAX_CLEARANCE);
    if form < 0 { -sure } else { sure }
}

/// Returns an upper bound, in units, of the movement of any point of a ship relative to any point
/// of another ship, between two states. `offset` is the movement of their centers relative to each
/// other, `turns` are the absolute changes of their angles, `reaches` the extents of the ships.
#[inline(always)]
pub(super) fn movement(offset: Point, turns: [u16; 2], reaches: [u16; 2]) -> i32 {
    let Point { a, b } = offset;
    // The length of the offset is at most √2 (1449 / 1024) times its largest coordinate. An arc has
    // the length angle times radius, and the radius is √(3/2) times the reach.
    let straight = i64::from(a.abs().max(b.abs()).max((a + b).abs())) * 1449;
    let arc = |turn: u16, reach: u16| i64::from(turn) * i64::from(reach);
    let arcs = arc(turns[0], reaches[0]) + arc(turns[1], reaches[1]);
    // 2π / 65536 · √(3/2) · 1024 = 0.12025 = 985 / 2^13, for angles in units of 2^-16 turns.
    ((straight + ((arcs * 985) >> 13) + 1) >> 10) as i32 + 1
}

#[cfg(test)]
mod tests {
    use hexphase::hex::{HexBody, Pose, hex};

    use super::*;
    use crate::random::Random;

    /// Two ships that move by less than their clearance still touch, or are still apart.
    #[test]
    fn the_sign_holds_within_the_clearance() {
        let mut random = Random(3);
        let bodies: [HexBody; 3] = [
            hex(0, 0).range(2).collect(),
            hex(-2, 0).line_to(hex(2, 0)).collect(),
            [hex(0, 0), hex(1, 0), hex(0, 1), hex(0, 2)].into_iter().collect(),
        ];
        let hulls = bodies.map(Hull::new);
        let (mut apart, mut touching) = (0, 0);
        for _ in 0..4000 {
            let pair = [0; 2].map(|_| &hulls[random.below(3) as usize]);
            let reaches = pair.map(|hull| hull.reach);
            let most = i32::from(reaches[0]) + i32::from(reaches[1]);
            let offset = Point::new(random.around_zero(most), random.around_zero(most));
            let angles = [0; 2].map(|_| Angle(random.bits() as u16));
            let clearance = clearance(pair, offset, angles);
            for _ in 0..4 {
                let moved = Point::new(random.around_zero(60), random.around_zero(60));
                let turns = [0; 2].map(|_| random.around_zero(300) as i16);
                if movement(moved, turns.map(i16::unsigned_abs), reaches) >= clearance.abs() {
                    continue;
                }
                let now = [0, 1].map(|n| angles[n] + Angle(turns[n] as u16));
                let poses = [Pose::new(Point::ORIGIN, now[0]), Pose::new(offset + moved, now[1])];
                let touch = pair[0].body.overlaps_any(poses[0], &pair[1].body, poses[1]);
                assert_eq!(touch, clearance < 0, "{clearance} {offset} {angles:?} {moved}");
                *(if touch { &mut touching } else { &mut apart }) += 1;
            }
        }
        assert!(apart > 1000 && touching > 1000, "{apart} {touching}");
    }

    /// The measured clearances are close to the exact distances.
    #[test]
    fn clearances_of_two_cells_are_tight() {
        let cell = Hull::new([hex(0, 0)].into_iter().collect());
        let at = |a| clearance([&cell; 2], Point::new(a, 0), [Angle::ZERO; 2]);
        // The edges of a cell are 512 / √2 = 362 units from its center.
        assert_eq!([at(400), at(512), at(700)], [-(158 - 4), 0, 265 - 4]);
    }
}
