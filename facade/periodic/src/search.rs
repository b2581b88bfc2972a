//! The search for candidates: all pairs within the cutoff, and a few slightly farther apart.
//!
//! 1. Move each particle into the cell, by whole cell vectors along periodic axes. This is its
//!    *home*, and the moves are its *wrap*.
//! 2. List the images of the homes that may be within the cutoff of a home: on each periodic axis
//!    the fractional coordinate of an image differs from that of the home by at most the cutoff
//!    divided by the height of the cell. So images are in the range of all homes, enlarged by that
//!    on both sides.
//! 3. Round homes and images to `f32`, relative to the center of the homes, scaled by a power of
//!    two that moves the cutoff into 1..2.
//! 4. Search the neighbors of homes and images as points in open space, with an enlarged cutoff.
//!    The lists of images are not used. If there are far more images than homes, or with radii,
//!    search the pairs of homes with homes and images instead: of points, or of the boxes around
//!    spheres.
//!
//! The shift of a pair is that of the image, plus the wrap of the second particle, minus that of
//! the first one.
//!
//! # Why no pair is missed
//!
//! A pair is defined by its vector D, computed in `f64` ([`Cell::vector`]). Let u = 2^-53, A the
//! largest magnitude of a coordinate, r the cutoff, and T the sum over periodic axes of the length
//! of the cell vector times N, a bound of the shifts. Coordinates of D have errors of at most
//! u (2 A + 2 r) from the difference and the sum, and 4 u T from the offset. Homes and images have
//! errors of at most u (A + r + 6 T) each. So, with a factor of √3 for the three coordinates, the
//! distance of home and image differs from the computed length of D by less than 32 u (A + r + T).
//! The margin is twice that, plus 2^-500 for squares that underflow.
//!
//! N has to bound the shifts of all pairs of the definition, not only of pairs that are found. A
//! shift is at most the exact length of D divided by the height of the cell, plus the differences
//! of fractional coordinates and of wraps. The error of D in units of the height is below
//! 32 u skew times the shift, so below 2^-28 times, because the skew (the product of the lengths of
//! the cell vectors, divided by the volume) is at most 2^20. N has a factor of two instead.
//!
//! Reciprocal vectors have relative errors of less than 64 u skew², which scale with the magnitude
//! of a position, here of homes. Step 2 adds 2^10 u skew² (A / length + 1) to both sides.
//!
//! Rounding to `f32`, with v = 2^-24 and Y the largest magnitude of a coordinate, moves each point
//! by at most √3 v Y, and the search rounds distances by a factor of at most 1 + 4 v: it gets a
//! cutoff of r (1 + 8 v) + 4 v Y. Sides of boxes are rounded twice, and use the same margin on each
//! side of both boxes.
//!
//! Y is limited to 2^15 times the cutoff, which bounds the margin by 1 % of it: an axis that is
//! longer is folded, like paper, into a zigzag of that length. This brings particles closer, never
//! farther apart, and a particle far away costs nothing. Folds are not a power of two apart, so
//! that a lattice is not folded onto itself.

use broadphase_hshg::{Aabb, Neighbors, Pair, PairSearch, find_neighbors, find_pairs_between};

use crate::Error;
use crate::cell::{Axes, Cell};
use crate::cutoff::{Cutoff, MAX, is_number};
use crate::list::{Image, Source, reserved};

/// The rounding errors of `f64`, 2^-53, and of `f32`, 2^-24.
const U: f64 = f64::EPSILON / 2.0;
const V: f64 = f32::EPSILON as f64 / 2.0;

/// Half of the length of a folded axis, in units of about the cutoff.
const FOLD: f64 = 26_509.75;
/// The maximum shift that moves a particle into the cell.
const MAX_WRAP: f64 = (1 << 28) as f64;
/// The maximum number of images. A shift is below this plus two wraps, so it fits an `i32`.
const MAX_IMAGES: f64 = (1 << 30) as f64;
/// Maximum number of images per particle for a search of neighbors. It takes less than half of the
/// time of a search of pairs, but finds those of images too.
const MAX_IMAGES_PER_PARTICLE: usize = 2;

/// Candidates of pairs: for each particle, homes and images.
pub(crate) struct Candidates {
    /// The number of particles.
    count: usize,
    /// For each particle the shift to its home; empty if all are 0.
    wraps: Vec<[i32; 3]>,
    /// The images in ascending order, those with shift 0 only beside [`Found::Pairs`].
    images: Vec<Image>,
    found: Found,
    half: bool,
    /// A bound of the rounding errors of distances.
    pub(crate) margin: f64,
}

enum Found {
    /// For each particle, ascending indices: of a home, or the number of homes plus that of an
    /// image.
    Lists(Neighbors),
    /// Pairs of a particle and an image, and the end of the pairs of each particle.
    Pairs(Vec<Pair>, Vec<usize>),
}

impl Candidates {
    /// Finds candidates; all cutoffs are enlarged by `longer`.
    pub(crate) fn find(
        positions: &[[f64; 3]],
        cell: &Cell,
        cutoff: &Cutoff,
        longer: f64,
        half: bool,
    ) -> Result<Self, Error> {
        let axes = cell.axes()?;
        let largest = largest(positions)?;
        let reach = cutoff.validate(positions.len())? + longer;
        if positions.is_empty() {
            let found = Found::Pairs(Vec::new(), Vec::new());
            let (wraps, images) = (Vec::new(), Vec::new());
            return Ok(Self { count: 0, wraps, images, found, half, margin: 0.0 });
        }
        let mut homes = Homes::new(positions, cell, &axes)?;
        let margin = homes.margin(&axes, largest, reach);
        let reach = reach + margin;
        let count = homes.count_images(&axes, reach)?;
        let radii = if let Cutoff::Radii(radii) = cutoff { Some(radii) } else { None };
        let with_lists =
            radii.is_none() && count / (1 + MAX_IMAGES_PER_PARTICLE) <= positions.len();
        let images = homes.images(&axes, count, !with_lists)?;
        let frame = Frame::new(&homes, reach);
        let home_points = homes.positions.iter().map(|&home| frame.point(home));
        let image_points = images.iter().map(|&(particle, shift)| {
            frame.point(cell.shifted(homes.positions[particle as usize], shift))
        });
        let found = if with_lists {
            let mut points = reserved(positions.len() + images.len())?;
            points.extend(home_points.chain(image_points));
            let mut lists = Neighbors::default();
            find_neighbors(&points, frame.enlarged(reach), &mut lists).expect("finite points");
            Found::Lists(lists)
        } else {
            let around = |particle: usize, point: [f32; 3]| match radii {
                Some(radii) => {
                    let side = frame.enlarged(radii[particle] + longer / 2.0 + margin);
                    Aabb::around(point, [side; 3])
                }
                None => Aabb::point(point),
            };
            let mut ours = reserved(positions.len())?;
            ours.extend(home_points.enumerate().map(|(particle, point)| around(particle, point)));
            let mut theirs = reserved(images.len())?;
            let particles = images.iter().map(|&(particle, _)| particle as usize);
            theirs.extend(particles.zip(image_points).map(|(of, point)| around(of, point)));
            let distance = radii.is_none().then(|| frame.enlarged(reach));
            let search = PairSearch { distance, ..PairSearch::OVERLAPS };
            let mut pairs = Vec::new();
            find_pairs_between(&ours, &theirs, &search, &mut pairs).expect("finite boxes");
            let ends = ends(&pairs, positions.len());
            Found::Pairs(pairs, ends)
        };
        Ok(Self { count: positions.len(), wraps: homes.wraps, images, found, half, margin })
    }
}

/// Returns the end of the pairs of each first key.
fn ends(pairs: &[Pair], keys: usize) -> Vec<usize> {
    let mut ends = vec![0; keys];
    for &[key, _] in pairs {
        ends[key as usize] += 1;
    }
    let mut sum = 0;
    for end in &mut ends {
        sum += *end;
        *end = sum;
    }
    ends
}

/// Validates positions and returns the largest magnitude of a coordinate.
fn largest(positions: &[[f64; 3]]) -> Result<f64, Error> {
    let mut largest: f64 = 0.0;
    for (index, position) in positions.iter().enumerate() {
        for (axis, &x) in position.iter().enumerate() {
            if !is_number(x) {
                return Err(Error::Position { index, axis });
            }
            largest = largest.max(x.abs());
        }
    }
    Ok(largest)
}

impl Source for Candidates {
    fn ends(&self) -> &[usize] {
        match &self.found {
            Found::Lists(lists) => &lists.lists().ends()[..self.count],
            Found::Pairs(_, ends) => ends,
        }
    }

    fn indices(&self, particle: usize) -> &[u32] {
        match &self.found {
            Found::Lists(lists) => lists.lists().get(particle).unwrap_or_default(),
            Found::Pairs(..) => &[],
        }
    }

    fn candidates(&self, particle: usize, out: &mut Vec<Image>) {
        let end = self.ends()[particle];
        let begin = particle.checked_sub(1).map_or(0, |before| self.ends()[before]);
        let own = (particle as u32, [0; 3]);
        match &self.found {
            Found::Lists(lists) => {
                let list = &lists.lists().items()[begin..end];
                let count = self.count as u32;
                let has_images = list.last().is_some_and(|&last| last >= count);
                let homes =
                    if has_images { list.partition_point(|&i| i < count) } else { list.len() };
                let (mut homes, images) = list.split_at(homes);
                for &index in images {
                    let image = self.images[(index - count) as usize];
                    while let Some((&home, rest)) = homes.split_first()
                        && (home, [0; 3]) < image
                    {
                        out.push((home, [0; 3]));
                        homes = rest;
                    }
                    out.push(image);
                }
                out.extend(homes.iter().map(|&home| (home, [0; 3])));
            }
            Found::Pairs(pairs, _) => {
                let images =
                    pairs[begin..end].iter().map(|&[_, image]| self.images[image as usize]);
                out.extend(images.filter(|&image| image != own));
            }
        }
        if let Some(&own_wrap) = self.wraps.get(particle) {
            for (other, shift) in &mut *out {
                let wrap = self.wraps[*other as usize];
                *shift = [0, 1, 2].map(|axis| shift[axis] + wrap[axis] - own_wrap[axis]);
            }
        }
        if self.half {
            out.retain(|&image| image > own);
        }
    }
}

/// The particles, moved into the cell.
struct Homes<'a> {
    cell: &'a Cell,
    positions: Vec<[f64; 3]>,
    wraps: Vec<[i32; 3]>,
    /// The largest magnitude of a wrap on each axis, and of a shift of an image.
    max_wrap: [f64; 3],
    max_shift: [f64; 3],
    /// The range of coordinates of homes.
    bounds: [[f64; 2]; 3],
    /// The range of fractional coordinates of homes; later, of images.
    fractional: [[f64; 2]; 3],
}

impl<'a> Homes<'a> {
    fn new(positions: &[[f64; 3]], cell: &'a Cell, axes: &Axes) -> Result<Self, Error> {
        let mut homes = Self {
            cell,
            positions: reserved(positions.len())?,
            wraps: reserved(positions.len())?,
            max_wrap: [0.0; 3],
            max_shift: [0.0; 3],
            bounds: [[f64::INFINITY, f64::NEG_INFINITY]; 3],
            fractional: [[f64::INFINITY, f64::NEG_INFINITY]; 3],
        };
        for (index, &position) in positions.iter().enumerate() {
            let wrap = axes.fractional(position).map(|x| -x.floor());
            let mut home = position;
            if wrap != [0.0; 3] {
                if wrap.iter().any(|x| x.abs() > MAX_WRAP) {
                    return Err(Error::Shift { index });
                }
                home = cell.shifted(position, wrap.map(|x| x as i32));
            }
            let fractional = axes.fractional(home);
            for axis in 0..3 {
                homes.max_wrap[axis] = homes.max_wrap[axis].max(wrap[axis].abs());
                extend(&mut homes.bounds[axis], home[axis]);
                extend(&mut homes.fractional[axis], fractional[axis]);
            }
            homes.positions.push(home);
            homes.wraps.push(wrap.map(|x| x as i32));
        }
        if homes.max_wrap == [0.0; 3] {
            homes.wraps = Vec::new();
        }
        Ok(homes)
    }

    /// Returns the margin of the cutoff for rounding in `f64`.
    fn margin(&self, axes: &Axes, largest: f64, reach: f64) -> f64 {
        let offset = |axis: usize| {
            let [low, high] = self.fractional[axis];
            let shifts =
                2.0 * self.max_wrap[axis] + (high - low) + reach * axes.inverse_heights[axis];
            2.0 * (shifts + 2.0) * axes.lengths[axis]
        };
        64.0 * U * (largest + reach + offset(0) + offset(1) + offset(2)) + 1.0 / MAX
    }

    /// Computes the range of images within reach. Returns the number of images, homes included.
    fn count_images(&mut self, axes: &Axes, reach: f64) -> Result<usize, Error> {
        let slack = 1024.0 * U * axes.skew * axes.skew;
        let bounds = self.bounds.iter().flatten();
        let largest = bounds.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        for axis in 0..3 {
            if axes.lengths[axis] > 0.0 {
                let reach = reach * axes.inverse_heights[axis] * (1.0 + slack)
                    + slack * (largest / axes.lengths[axis] + 1.0);
                self.fractional[axis][0] -= reach;
                self.fractional[axis][1] += reach;
            }
        }
        let mut count = 0.0;
        let mut max_shift: [f64; 3] = [0.0; 3];
        for &home in &self.positions {
            let shifts = self.shifts(axes, home);
            count += shifts.iter().map(|[first, last]| last - first + 1.0).product::<f64>();
            for (max, [first, last]) in max_shift.iter_mut().zip(shifts) {
                *max = max.max(-first).max(last);
            }
        }
        self.max_shift = max_shift;
        if count <= MAX_IMAGES { Ok(count as usize) } else { Err(Error::TooManyImages) }
    }

    /// Returns the first and the last shift of the images of a home on each axis.
    fn shifts(&self, axes: &Axes, home: [f64; 3]) -> [[f64; 2]; 3] {
        let fractional = axes.fractional(home);
        [0, 1, 2].map(|axis| {
            let [low, high] = self.fractional[axis];
            [(low - fractional[axis]).ceil(), (high - fractional[axis]).floor()]
        })
    }

    /// Returns the images within reach in ascending order, with or without homes.
    fn images(&self, axes: &Axes, count: usize, with_homes: bool) -> Result<Vec<Image>, Error> {
        let mut images = reserved(if with_homes { count } else { count - self.positions.len() })?;
        for (particle, &home) in (0..).zip(&self.positions) {
            let [a, b, c] = self.shifts(axes, home).map(|[first, last]| first as i32..=last as i32);
            for a in a {
                for b in b.clone() {
                    let of_row = c.clone().map(|c| (particle, [a, b, c]));
                    images.extend(of_row.filter(|image| with_homes || image.1 != [0; 3]));
                }
            }
        }
        Ok(images)
    }
}

fn extend(range: &mut [f64; 2], x: f64) {
    *range = [range[0].min(x), range[1].max(x)];
}

/// The mapping of homes and images to `f32`.
struct Frame {
    center: [f64; 3],
    /// A power of two.
    scale: f64,
    is_folded: [bool; 3],
    /// The largest magnitude of a coordinate.
    largest: f64,
}

impl Frame {
    fn new(homes: &Homes<'_>, reach: f64) -> Self {
        // Negates the exponent: `reach` times this is from 1 to 2.
        let scale = f64::from_bits((2046 - (reach.to_bits() >> 52)) << 52);
        let mut frame = Self { center: [0.0; 3], scale, is_folded: [false; 3], largest: 0.0 };
        for axis in 0..3 {
            let [low, high] = homes.bounds[axis];
            frame.center[axis] = low.midpoint(high);
            let vectors = homes.cell.vectors.iter().zip(homes.max_shift);
            let shift: f64 = vectors.map(|(vector, max)| vector[axis].abs() * max).sum();
            let largest = (high - low + shift) * scale;
            frame.is_folded[axis] = largest > FOLD;
            frame.largest = frame.largest.max(largest.min(FOLD));
        }
        frame
    }

    fn point(&self, position: [f64; 3]) -> [f32; 3] {
        [0, 1, 2].map(|axis| {
            let x = (position[axis] - self.center[axis]) * self.scale;
            let is_folded = self.is_folded[axis];
            (if is_folded { (x.rem_euclid(4.0 * FOLD) - 2.0 * FOLD).abs() - FOLD } else { x })
                as f32
        })
    }

    /// Returns a distance in the frame, enlarged by the margin for rounding in `f32`.
    fn enlarged(&self, distance: f64) -> f32 {
        let distance = distance * self.scale * (1.0 + 8.0 * V) + 4.0 * V * self.largest;
        (distance as f32).next_up()
    }
}
