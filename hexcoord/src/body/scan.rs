//! The walk over one body's cells that meets those of another: see [`overlap`](super::overlap).

use simd_lanes::Flow;

use super::HexBody;
use super::contact::{Contact, Quick};
use super::near::{NEAR, NEAR_BITS};
use super::region::{PLACE, Places, Region};
use crate::hex::{Hex, hex};
use crate::plane::Pose;

/// Visits the pairs of a cell of the first body and one of the second, whose cells are as large or
/// larger.
#[inline]
pub(super) fn scan<R: Flow>(
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
