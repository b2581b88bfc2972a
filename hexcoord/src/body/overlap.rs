//! Body against body: every pair of overlapping cells, at any rotation.
//!
//! 1. Bodies whose spans are apart are done with.
//! 2. The bounds of the one with the larger cells (the *other*) are turned into the frame of the
//!    one that is scanned: only its cells between three pairs of lines are looked at.
//! 3. For each of them, the place of its centre on the other lattice; a cell that it overlaps is
//!    among the 4 × 4 around that place, for no two centres are more than 4/3 apart along an axis.
//!    Those cells come out of the bitmap as 16 bits, and a table of 16 × 16 places within a cell
//!    says which of them are too far, and which are so near that they overlap at any rotation.
//! 4. What is left is decided cell by cell ([`contact`](super::contact)).
//!
//! Bodies turned alike have the same offset between all their cells: then the 16 cells around one
//! place are decided once, and rows are compared a word at a time.

use alloc::vec::Vec;

use simd_lanes::Flow;

use super::HexBody;
use super::contact::{Contact, Quick};
use crate::hex::{Hex, hex};
use crate::plane::Pose;

impl HexBody {
    /// Visits every pair of a cell of this body and a cell of the other one that overlap, until
    /// the visitor stops. Touching counts.
    ///
    /// Exact at any rotation: cells are hexagons whose corners are integers in units of a third of
    /// 2^-30, turned by the constants of [`Rotation`](crate::Rotation) and not rounded; no pair is
    /// missed, none is made up, and swapping the bodies swaps the pairs. Pairs come in an order
    /// that depends on the two bodies and poses alone; [`overlaps_into`](Self::overlaps_into)
    /// sorts them. Bodies may have cells of different sizes.
    ///
    /// Differences of positions wrap, so that the world may be a torus of 2^32 units.
    ///
    /// ```
    /// use hexcoord::{Angle, HexBody, Point, Pose, hex};
    ///
    /// let (ship, rock): (HexBody, HexBody) =
    ///     (hex(0, 0).range(3).collect(), hex(0, 0).range(1).collect());
    /// let mut shot = Vec::new();
    /// let at = Pose::new(Point::new(0, 0), Angle(0));
    /// let near = Pose::new(Point::new(2350, -240), Angle::from_degrees(20.0));
    /// ship.overlaps(at, &rock, near, |ours, _| shot.push(ours));
    /// shot.sort();
    /// assert_eq!(shot, [hex(3, -1), hex(3, 0), hex(3, 0)]); // the second one twice
    /// ```
    pub fn overlaps<R: Flow>(
        &self,
        pose: Pose,
        other: &Self,
        other_pose: Pose,
        mut f: impl FnMut(Hex, Hex) -> R,
    ) -> R {
        if self.is_empty() || other.is_empty() || self.spans_apart(pose, other, other_pose) {
            return R::CONTINUE;
        }
        let (fine, other_fine) = (self.grid.shift(), other.grid.shift());
        if fine < other_fine || (fine == other_fine && self.len <= other.len) {
            scan(self, pose, other, other_pose, f)
        } else {
            scan(other, other_pose, self, pose, |theirs, ours| f(ours, theirs))
        }
    }

    /// Writes every pair `[ours, theirs]` of overlapping cells to a buffer, in ascending order.
    /// What the buffer held is gone.
    pub fn overlaps_into(
        &self,
        pose: Pose,
        other: &Self,
        other_pose: Pose,
        pairs: &mut Vec<[Hex; 2]>,
    ) {
        pairs.clear();
        self.overlaps(pose, other, other_pose, |ours, theirs| pairs.push([ours, theirs]));
        pairs.sort_unstable();
    }

    /// Whether any two cells of the bodies overlap.
    #[must_use]
    pub fn overlaps_any(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let found = self.overlaps(pose, other, other_pose, |_, _| Err(()));
        found.is_err()
    }

    /// Whether the bodies are apart at any rotation.
    #[inline(always)]
    fn spans_apart(&self, pose: Pose, other: &Self, other_pose: Pose) -> bool {
        let way = other_pose.position - pose.position;
        let both = self.half_span + other.half_span;
        let c = i64::from(way.a) + i64::from(way.b);
        let apart = |x: i64| x.unsigned_abs() > both;
        apart(way.a.into()) | apart(way.b.into()) | apart(c)
    }
}

/// Visits the pairs of a cell of the first body and one of the second, whose cells are as large or
/// larger.
#[inline]
fn scan<R: Flow>(
    body: &HexBody,
    pose: Pose,
    other: &HexBody,
    other_pose: Pose,
    f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let contact = Contact::new([pose, other_pose], [body.grid.shift(), other.grid.shift()]);
    let Some(region) = Region::new(&contact, body, other) else { return R::CONTINUE };
    if pose.angle == other_pose.angle && body.grid == other.grid {
        scan_alike(&contact, body, other, region, f)
    } else {
        scan_turned(&contact, body, other, region, f)
    }
}

/// The cells of the scanned body that the other one can reach.
#[derive(Clone, Copy, Debug)]
struct Region {
    /// From where to where along q, r and s.
    ends: [[i64; 2]; 3],
}

/// How many bits of places in units of cells are fraction.
const PLACE: u32 = 32;

impl Region {
    fn new(contact: &Contact, body: &HexBody, other: &HexBody) -> Option<Self> {
        /// Places and reaches here are in units of 2^-16 cells.
        const F: u32 = 16;
        let [own, theirs] =
            [body, other].map(|body| body.extent().unwrap_or_default().map(|e| e.map(i64::from)));
        // A cell in the middle, and how far the others are from it, along q, r and s; two centres
        // of overlapping cells are 4/3 of the larger cell apart at most.
        let (q, r) = ((theirs[0][0] + theirs[0][1]) >> 1, (theirs[1][0] + theirs[1][1]) >> 1);
        let middle = [q, r, -q - r];
        let mut half = [0; 3];
        for axis in 0..3 {
            let [min, max] = theirs[axis];
            half[axis] = ((max - middle[axis]).max(middle[axis] - min) << F) + (4 << F) / 3 + 1;
        }
        let [c, u] = contact.turn;
        let [plus, minus, twice] = [c + u, c - u, 2 * u].map(|n| (n.abs() >> (60 - F)) + 1);
        // Each axis here is a sum of two axes there, in three ways.
        let reach = |a: i64, b: i64, c: i64| {
            let ways =
                [a * half[0] + b * half[1], c * half[0] + b * half[2], c * half[1] + a * half[2]];
            ways[0].min(ways[1]).min(ways[2]) >> F
        };
        let reaches =
            [reach(minus, twice, plus), reach(twice, plus, minus), reach(plus, minus, twice)];
        // Where the middle is, in cells of the scanned body.
        let [own_shift, their_shift] = [body.grid.shift(), other.grid.shift()];
        let way = contact.between(Hex::ORIGIN, hex(q as i32, r as i32));
        let [a, b] = contact.turned_back(0, way).map(|n| (n >> (60 + own_shift - F)) as i64);
        let at = [a, b, -a - b];
        let mut ends = [[0; 2]; 3];
        for axis in 0..3 {
            // |C + U √−3| is 1 but for 2^-29, so places are off by up to 4 units, and as little by
            // what is rounded here.
            let doubt = (1 << (F - 2)) + ((4 << F) >> own_shift);
            let reach = (reaches[axis] << (their_shift - own_shift)) + doubt;
            let [min, max] = own[axis];
            let low = min.max((at[axis] - reach) >> F);
            let high = max.min((at[axis] + reach) >> F);
            if low > high {
                return None;
            }
            ends[axis] = [low, high];
        }
        Some(Self { ends })
    }

    /// From where to where a row is to be scanned; inverted if not at all.
    #[inline(always)]
    fn row(&self, r: i64) -> [i64; 2] {
        let [q, _, s] = self.ends;
        [q[0].max(-r - s[1]), q[1].min(-r - s[0])]
    }
}

/// Where the centres of the scanned cells are on the other lattice.
#[derive(Clone, Copy, Debug)]
struct Places {
    /// A cell of the scanned body and the cell of the other lattice near it.
    from: [i64; 2],
    near: [i64; 2],
    /// How far the first is beyond the second, in units of 2^-32 cells.
    at: [i64; 2],
    /// What one step along q adds, and one along r.
    step_q: [i64; 2],
    step_r: [i64; 2],
}

impl Places {
    fn new(contact: &Contact, shifts: [u32; 2], region: &Region) -> Self {
        let from = [region.ends[0][0], region.ends[1][0]];
        let first = hex(from[0] as i32, from[1] as i32);
        // A first guess, in whole cells, then the rest: short, and so without much error.
        let way = contact.between(first, Hex::ORIGIN);
        let near = contact.turned_back(1, way).map(|n| -(n >> (60 + shifts[1])) as i64);
        let way = contact.between(first, hex(near[0] as i32, near[1] as i32));
        let at = contact.turned_back(1, way).map(|n| (-n >> (60 - PLACE + shifts[1])) as i64);
        let [c, u] = contact.turn;
        let scaled = |n: i64| n >> (60 - PLACE + shifts[1] - shifts[0]);
        Self {
            from,
            near,
            at,
            step_q: [scaled(c + u), scaled(-2 * u)],
            step_r: [scaled(2 * u), scaled(c - u)],
        }
    }

    /// The place of a cell, in units of 2^-32 cells beyond `near`.
    #[inline(always)]
    fn of(&self, q: i64, r: i64) -> [i64; 2] {
        let (x, y) = (q - self.from[0], r - self.from[1]);
        [
            self.at[0] + x * self.step_q[0] + y * self.step_r[0],
            self.at[1] + x * self.step_q[1] + y * self.step_r[1],
        ]
    }
}

/// The scan for bodies that are turned differently.
#[inline]
fn scan_turned<R: Flow>(
    contact: &Contact,
    body: &HexBody,
    other: &HexBody,
    region: Region,
    mut f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let places = Places::new(contact, [body.grid.shift(), other.grid.shift()], &region);
    let quick = contact.quick();
    // What must overlap is known for cells of the same size.
    let trusted = if body.grid == other.grid { u16::MAX } else { 0 };
    let [theirs_q, theirs_r, _] = other.extent().unwrap_or_default();
    // The corner of the window is one before the place; it meets cells from three before the
    // first to the last.
    let corner_min = [i64::from(theirs_q[0]) - 3, i64::from(theirs_r[0]) - 3];
    let corners = [
        (i64::from(theirs_q[1]) - corner_min[0]) as u64,
        (i64::from(theirs_r[1]) - corner_min[1]) as u64,
    ];
    for r in region.ends[1][0]..=region.ends[1][1] {
        let [first, last] = region.row(r);
        if first > last {
            continue;
        }
        for cell in body.bits.row_cells(r as i32, first as i32, last as i32) {
            let [a, b] = places.of(cell.q.into(), r);
            let (i, j) = (places.near[0] + (a >> PLACE) - 1, places.near[1] + (b >> PLACE) - 1);
            let outside =
                (i - corner_min[0]) as u64 > corners[0] || (j - corner_min[1]) as u64 > corners[1];
            if outside {
                continue;
            }
            let corner = hex(i as i32, j as i32);
            let part = |n: i64| (n as u32 >> (32 - NEAR_BITS)) as usize;
            let near = &NEAR[part(b)][part(a)];
            let window = other.bits.window(corner) & near.may;
            let mut sure = window & near.must & trusted;
            let mut open = window & !sure;
            let theirs = |bit: u32| corner + hex((bit & 3) as i32, (bit >> 2) as i32);
            while sure != 0 {
                let answer = f(cell, theirs(sure.trailing_zeros()));
                if answer.stops() {
                    return answer;
                }
                sure &= sure - 1;
            }
            while open != 0 {
                let bit = open.trailing_zeros();
                open &= open - 1;
                let offset = |n: i64, cell: u32| {
                    (i64::from(n as u32) - ((i64::from(cell) - 1) << PLACE))
                        >> (PLACE - Quick::FRACTION)
                };
                let overlap = quick
                    .overlap([offset(a, bit & 3), offset(b, bit >> 2)])
                    .unwrap_or_else(|| contact.overlap_exactly(cell, theirs(bit)));
                if overlap {
                    let answer = f(cell, theirs(bit));
                    if answer.stops() {
                        return answer;
                    }
                }
            }
        }
    }
    R::CONTINUE
}

/// The scan for bodies with cells of the same size that are turned alike.
#[inline]
fn scan_alike<R: Flow>(
    contact: &Contact,
    body: &HexBody,
    other: &HexBody,
    region: Region,
    mut f: impl FnMut(Hex, Hex) -> R,
) -> R {
    let places = Places::new(contact, [body.grid.shift(); 2], &region);
    let from = hex(places.from[0] as i32, places.from[1] as i32);
    let [q, r] = [0, 1].map(|axis: usize| (places.near[axis] + (places.at[axis] >> PLACE)) as i32);
    let mut offsets = [Hex::ORIGIN; 16];
    let mut many = 0;
    for window in 0..16 {
        let theirs = hex(q, r) + hex(window % 4 - 1, window / 4 - 1);
        if contact.overlap_exactly(from, theirs) {
            offsets[many] = theirs - from;
            many += 1;
        }
    }
    for r in region.ends[1][0]..=region.ends[1][1] {
        let [first, last] = region.row(r);
        let mut q = first;
        while q <= last {
            let cells = hex(q as i32, r as i32);
            let left = last - q;
            let wanted = if left < 63 { (2 << left) - 1 } else { u64::MAX };
            let ours = body.bits.from(cells) & wanted;
            for &offset in &offsets[..many] {
                let mut both = ours & other.bits.from(cells + offset);
                while both != 0 {
                    let cell = cells + hex(both.trailing_zeros() as i32, 0);
                    both &= both - 1;
                    let answer = f(cell, cell + offset);
                    if answer.stops() {
                        return answer;
                    }
                }
            }
            q += 64;
        }
    }
    R::CONTINUE
}

/// The binary logarithm of how many parts of a cell the table has.
const NEAR_BITS: u32 = 4;

/// Of the 4 × 4 cells around a part of a cell, those that overlap a cell centred there.
#[derive(Clone, Copy)]
struct Near {
    /// At some rotation: centres are at most two circumradii apart, a² + ab + b² ≤ 4/3.
    may: u16,
    /// At any rotation: centres are at most two inradii apart, a² + ab + b² ≤ 1.
    must: u16,
}

/// For each part of a cell, by fractions of b and a.
static NEAR: [[Near; 1 << NEAR_BITS]; 1 << NEAR_BITS] = {
    let mut table = [[Near { may: 0, must: 0 }; 1 << NEAR_BITS]; 1 << NEAR_BITS];
    // In units of a quarter part.
    let unit = 4 << NEAR_BITS;
    let mut part = 0;
    while part < 1 << (2 * NEAR_BITS) {
        let (row, column) = (part >> NEAR_BITS, part & ((1 << NEAR_BITS) - 1));
        let near = &mut table[row][column];
        let mut cell = 0;
        while cell < 16 {
            let a = 4 * column as i64 + 2 - unit * (cell % 4 - 1);
            let b = 4 * row as i64 + 2 - unit * (cell / 4 - 1);
            // All over the part, and half as far again: more than what is rounded.
            let (mut may, mut must) = (false, true);
            let mut nudge = 0;
            while nudge < 49 {
                let (x, y) = (a + nudge % 7 - 3, b + nudge / 7 - 3);
                let square = x * x + x * y + y * y;
                may |= 3 * square <= 4 * unit * unit;
                must &= square <= unit * unit;
                nudge += 1;
            }
            near.may |= (may as u16) << cell;
            near.must |= (must as u16) << cell;
            cell += 1;
        }
        part += 1;
    }
    table
};
