//! Geometry of one number type and dimension for brute force: every object is tested alone.
//!
//! Overlaps, home boxes and images in worlds that wrap are computed here, from their definitions.
//! Distances and fractions at the first touch come from [`Target`], [`Region`] and [`Path`], which
//! are called for each object and each image.

use core::array::from_fn;
use core::marker::PhantomData;

use hexphase::{Aabb, Ball, Hexagon, InvalidBounds, Number, Path, Plain, Region, Scalar, Target};

use crate::config::{Config, NumberType, VolumeType};
use crate::shape::{Box64, Shape, Volume64};
use crate::subject::{self, Subject};
use crate::volume::{self, Volume};

/// An object that touches a shape: its index, the numbers that the query returns (fraction or
/// squared distance, and distance), and the numbers by which results are sorted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) index: usize,
    pub(crate) at: [f64; 2],
    pub(crate) order: [f64; 2],
}

/// Geometry of one number type and dimension.
pub(crate) trait Space: Send + Sync {
    /// Returns the nearest number of the coordinate type.
    fn round(&self, x: f64) -> f64;
    /// Returns the nearest number of the type of fractions.
    fn round_fraction(&self, x: f64) -> f64;
    /// Returns the largest number of the coordinate type.
    fn largest(&self) -> f64;
    /// Creates an empty world with the settings of the first world (`which` = 0) or its twin (1).
    fn world(&self, config: &Config, which: usize) -> Box<dyn Subject>;
    /// Returns a volume in a box or close to it; `kind` selects its shape.
    fn volume(&self, bounds: &Box64, kind: u64) -> Volume64;
    /// Returns an invalid volume, given an invalid box.
    fn invalid(&self, bounds: &Box64) -> Volume64;
    /// Returns a volume as a world stores it, and its box moved home: on an axis that wraps, `min`
    /// is at least 0 and below the side.
    fn place(
        &self,
        sides: &[f64; 3],
        volume: &Volume64,
    ) -> Result<(Volume64, Box64), InvalidBounds>;
    /// Returns whether two volumes overlap, given with their home boxes, which overlap.
    fn volumes_touch(&self, sides: &[f64; 3], a: (Volume64, Box64), b: (Volume64, Box64)) -> bool;
    /// Returns the image of a box at which the shorter path to another box starts.
    fn path_start(&self, sides: &[f64; 3], was: &Box64, at: &Box64) -> Box64;
    /// Returns the box around the shorter path between two boxes, moved home.
    fn box_of_path(&self, sides: &[f64; 3], was: &Box64, at: &Box64) -> Box64;
    /// Appends the objects that touch a shape, in the order of the list `objects`.
    fn touches(&self, sides: &[f64; 3], shape: &Shape, objects: &[Box64], out: &mut Vec<Touch>);
    /// Appends the indices of the boxes in `others` that are within a distance of `bounds`.
    fn within(
        &self,
        sides: &[f64; 3],
        bounds: &Box64,
        distance: f64,
        others: &[Box64],
        out: &mut Vec<usize>,
    );
}

/// Returns the geometry of a number type, dimension and volume.
pub(crate) fn of(number: NumberType, dimensions: usize, volume: VolumeType) -> &'static dyn Space {
    match (volume, number, dimensions) {
        (VolumeType::Ball, ..) => &Typed::<f32, 2, Ball>(PhantomData),
        (VolumeType::Hexagon, ..) => &Typed::<i32, 2, Hexagon<i32>>(PhantomData),
        (_, NumberType::F32, 1) => &Typed::<f32, 1, Aabb<f32, 1>>(PhantomData),
        (_, NumberType::F32, 2) => &Typed::<f32, 2, Aabb<f32, 2>>(PhantomData),
        (_, NumberType::F32, _) => &Typed::<f32, 3, Aabb<f32, 3>>(PhantomData),
        (_, NumberType::F64, 1) => &Typed::<f64, 1, Aabb<f64, 1>>(PhantomData),
        (_, NumberType::F64, 2) => &Typed::<f64, 2, Aabb<f64, 2>>(PhantomData),
        (_, NumberType::F64, _) => &Typed::<f64, 3, Aabb<f64, 3>>(PhantomData),
        (_, NumberType::I32, 1) => &Typed::<i32, 1, Aabb<i32, 1>>(PhantomData),
        (_, NumberType::I32, 2) => &Typed::<i32, 2, Aabb<i32, 2>>(PhantomData),
        (_, NumberType::I32, _) => &Typed::<i32, 3, Aabb<i32, 3>>(PhantomData),
    }
}

pub(crate) fn narrow<S: Scalar, const D: usize>(bounds: &Box64) -> Aabb<S, D> {
    Aabb { min: narrow_point(&bounds.min), max: narrow_point(&bounds.max) }
}

pub(crate) fn narrow_point<S: Scalar, const D: usize>(at: &[f64; 3]) -> [S; D] {
    let mut point = [S::ZERO; D];
    for (x, &wide) in point.iter_mut().zip(at) {
        *x = S::from_f64(wide);
    }
    point
}

pub(crate) fn widen<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> Box64 {
    let mut wide = Aabb { min: [0.0; 3], max: [0.0; 3] };
    for axis in 0..D {
        wide.min[axis] = bounds.min[axis].to_f64();
        wide.max[axis] = bounds.max[axis].to_f64();
    }
    wide
}

/// Returns the region of a shape; `None` if the shape is not a region.
pub(crate) fn region<S: Scalar, const D: usize>(shape: &Shape) -> Option<Region<S, D>> {
    let Shape::Region { bounds, radius } = shape else { return None };
    Some(Region::around(narrow(bounds), S::from_f64(*radius)))
}

/// Returns the target of a shape; `None` if the shape is not a target.
pub(crate) fn target<S: Scalar, const D: usize>(shape: &Shape) -> Option<Target<S, D>> {
    let Shape::Target { bounds, within, within_squared } = shape else { return None };
    let mut target = Target::from(narrow::<S, D>(bounds));
    if let Some(distance) = within {
        target = target.within(S::from_f64(*distance));
    }
    if let Some(square) = within_squared {
        target = target.within_squared(S::Real::from_f64(*square));
    }
    Some(target)
}

/// Returns the path of a shape; `None` if the shape is not a path.
pub(crate) fn path<S: Scalar, const D: usize>(shape: &Shape) -> Option<Path<S, D>> {
    let (path, ignores_contacts) = match shape {
        Shape::Segment { from, to, ignores_contacts } => {
            let (from, to): ([S; D], [S; D]) = (narrow_point(from), narrow_point(to));
            (Path::segment(from, to), ignores_contacts)
        }
        Shape::Ray { from, by, until, ignores_contacts } => {
            let (from, by): ([S; D], [S; D]) = (narrow_point(from), narrow_point(by));
            (Path::ray(from, by).until(S::Real::from_f64(*until)), ignores_contacts)
        }
        Shape::Sweep { start, by, until, ignores_contacts } => {
            let path = Path::sweep(narrow::<S, D>(start), narrow_point::<S, D>(by));
            (path.until(S::Real::from_f64(*until)), ignores_contacts)
        }
        Shape::Region { .. } | Shape::Target { .. } => return None,
    };
    Some(if *ignores_contacts { path.ignoring_contacts() } else { path })
}

/// Geometry of the number type `S` and the volume `B`.
struct Typed<S, const D: usize, B>(PhantomData<(S, B)>);

impl<S: Number + Plain, const D: usize, B: Volume<S, D>> Space for Typed<S, D, B> {
    fn round(&self, x: f64) -> f64 {
        let rounded = S::from_f64(x);
        let limited = if rounded > S::MAX { S::MAX } else { rounded };
        let limited = if limited < S::MIN { S::MIN } else { limited };
        limited.to_f64()
    }

    fn round_fraction(&self, x: f64) -> f64 {
        S::Real::from_f64(x).to_f64()
    }

    fn largest(&self) -> f64 {
        S::MAX.to_f64()
    }

    fn world(&self, config: &Config, which: usize) -> Box<dyn Subject> {
        subject::create::<S, D, B>(config, which)
    }

    fn volume(&self, bounds: &Box64, kind: u64) -> Volume64 {
        B::inside(narrow(bounds), kind).numbers()
    }

    fn invalid(&self, bounds: &Box64) -> Volume64 {
        B::invalid(narrow(bounds)).numbers()
    }

    fn place(
        &self,
        sides: &[f64; 3],
        volume: &Volume64,
    ) -> Result<(Volume64, Box64), InvalidBounds> {
        let volume = B::of_numbers(volume).checked()?;
        let home = widen(&home_box::<S, D>(&narrow_point(sides), volume.aabb().checked()?));
        Ok((if B::IS_BOX { home } else { volume.numbers() }, home))
    }

    fn volumes_touch(&self, sides: &[f64; 3], a: (Volume64, Box64), b: (Volume64, Box64)) -> bool {
        let typed = |(volume, home)| (B::of_numbers(&volume), narrow(&home));
        B::IS_BOX || volume::touch::<S, D, B>(&narrow_point(sides), typed(a), typed(b))
    }

    fn path_start(&self, sides: &[f64; 3], was: &Box64, at: &Box64) -> Box64 {
        let sides: [S; D] = narrow_point(sides);
        let (mut image, at): (Aabb<S, D>, Aabb<S, D>) = (narrow(was), narrow(at));
        for (axis, &side) in sides.iter().enumerate() {
            let (low, high) = (image.min[axis], image.max[axis]);
            // The shorter path: move the old box by a side if the distance is more than half a
            // side.
            let ahead = at.min[axis].to_f64() - low.to_f64();
            if side > S::ZERO && ahead > side.to_f64() / 2.0 {
                (image.min[axis], image.max[axis]) = (low.plus(side), high.plus(side));
            } else if side > S::ZERO && ahead < side.to_f64() / -2.0 {
                (image.min[axis], image.max[axis]) = (low.minus(side), high.minus(side));
            }
        }
        widen(&image)
    }

    fn box_of_path(&self, sides: &[f64; 3], was: &Box64, at: &Box64) -> Box64 {
        let image: Aabb<S, D> = narrow(&self.path_start(sides, was, at));
        let (sides, mut path): ([S; D], Aabb<S, D>) = (narrow_point(sides), narrow(at));
        for axis in 0..D {
            if image.min[axis] < path.min[axis] {
                path.min[axis] = image.min[axis];
            }
            if image.max[axis] > path.max[axis] {
                path.max[axis] = image.max[axis];
            }
        }
        widen(&home_box(&sides, path))
    }

    fn touches(&self, sides: &[f64; 3], shape: &Shape, objects: &[Box64], out: &mut Vec<Touch>) {
        let sides: [S; D] = narrow_point(sides);
        let wraps = sides.iter().any(|&side| side > S::ZERO);
        let mut push = |index: usize, at: [f64; 2], order: [f64; 2]| {
            out.push(Touch { index, at, order });
        };
        if let Some(region) = region::<S, D>(shape).and_then(Region::normalized) {
            let Shape::Region { bounds, radius } = shape else { return };
            let home = home_box(&sides, narrow(bounds));
            for (index, object) in objects.iter().enumerate() {
                let object = narrow(object);
                let overlaps = if wraps {
                    let (near, object) = nearest_images(&sides, home, object);
                    Region::around(near, S::from_f64(*radius)).overlaps(&object)
                } else {
                    region.overlaps(&object)
                };
                if overlaps {
                    push(index, [0.0; 2], [0.0; 2]);
                }
            }
        } else if let Some(target) = target::<S, D>(shape).and_then(Target::normalized) {
            let Shape::Target { bounds, within, within_squared } = *shape else { return };
            let home = home_box(&sides, narrow(&bounds));
            for (index, object) in objects.iter().enumerate() {
                let (mut near, mut object) = (narrow(&bounds), narrow(object));
                if wraps {
                    (near, object) = nearest_images(&sides, home, object);
                }
                let moved = Shape::Target { bounds: widen(&near), within, within_squared };
                let target = if wraps { self::target(&moved) } else { Some(target) };
                let square = target.and_then(Target::normalized);
                if let Some(square) = square.and_then(|target| target.distance_squared(&object)) {
                    let gaps = from_fn(|axis| {
                        let [low, high] = [object.min[axis], object.max[axis]];
                        let (above, below) =
                            (S::gap(near.max[axis], low), S::gap(high, near.min[axis]));
                        if above > below { above } else { below }
                    });
                    let at = [square.to_f64(), S::length::<D>(gaps).to_f64()];
                    push(index, at, distance_order(&near, &object));
                }
            }
        } else if let Some(path) = path::<S, D>(shape) {
            for (index, object) in objects.iter().enumerate() {
                let object = narrow(object);
                let first = if wraps {
                    first_touch_of_images(&sides, shape, &object)
                } else {
                    path.first_touch(&object)
                };
                if let Some(first) = first {
                    push(index, [first.to_f64(), 0.0], [first.to_f64(), 0.0]);
                }
            }
        }
    }

    fn within(
        &self,
        sides: &[f64; 3],
        bounds: &Box64,
        distance: f64,
        others: &[Box64],
        out: &mut Vec<usize>,
    ) {
        let narrow_sides: [S; D] = narrow_point(sides);
        let wraps = sides.iter().any(|&side| side > 0.0);
        let (distance, center) = (S::from_f64(distance), narrow::<S, D>(bounds));
        let target = Target::from(center).within(distance).normalized();
        // Skips most objects cheaply: a gap this far above the distance cannot be due to rounding.
        let reach = distance.to_f64() * (1.0 + 1e-6);
        let apart = |other: &Box64| {
            other.min[0] - bounds.max[0] > reach || bounds.min[0] - other.max[0] > reach
        };
        for (index, other) in others.iter().enumerate() {
            let is_near = if wraps {
                let (near, other) = nearest_images(&narrow_sides, center, narrow(other));
                let region = Region::around(near, distance).normalized();
                region.is_some_and(|region| region.overlaps(&other))
            } else if apart(other) {
                false
            } else {
                target.is_some_and(|target| target.distance_squared(&narrow(other)).is_some())
            };
            if is_near {
                out.push(index);
            }
        }
    }
}

/// Returns the numbers by which distances are ordered: the squared distance, and, if this is so
/// small that it is inexact, or infinite, the squared distance after scaling both boxes by a power
/// of two.
fn distance_order<S: Scalar, const D: usize>(a: &Aabb<S, D>, b: &Aabb<S, D>) -> [f64; 2] {
    let square = |a: Aabb<S, D>, b: &Aabb<S, D>| {
        Target::from(a).distance_squared(b).map_or(f64::NAN, Scalar::to_f64)
    };
    let scaled_square = |scale: f64| {
        let scaled = |x: S| S::from_f64(x.to_f64() * scale);
        let scaled = |at: &Aabb<S, D>| Aabb { min: at.min.map(scaled), max: at.max.map(scaled) };
        square(scaled(a), &scaled(b))
    };
    let exact = square(*a, b);
    if exact < S::MIN_SQUARE.to_f64() {
        [0.0, scaled_square(S::SCALE_UP)]
    } else if exact.is_finite() {
        [exact, 0.0]
    } else {
        [exact, scaled_square(S::SCALE_DOWN)]
    }
}

/// Returns a box moved home on each axis that wraps.
fn home_box<S: Scalar, const D: usize>(sides: &[S; D], bounds: Aabb<S, D>) -> Aabb<S, D> {
    let mut home = bounds;
    for (axis, &side) in sides.iter().enumerate() {
        if side > S::ZERO {
            let [min, max] = home_interval(bounds.min[axis], bounds.max[axis], side);
            (home.min[axis], home.max[axis]) = (min, max);
        }
        // Adding 0 replaces −0 by 0.
        home.min[axis] = home.min[axis].plus(S::ZERO);
        home.max[axis] = home.max[axis].plus(S::ZERO);
    }
    home
}

/// Moves both ends by the multiple of the side that makes `min` at least 0 and less than the side.
/// An interval that is at least one side long becomes the whole axis.
fn home_interval<S: Scalar>(min: S, max: S, side: S) -> [S; 2] {
    let whole = [S::ZERO, side];
    if max.minus(min) >= side {
        return whole;
    }
    // `%` is exact for floating-point numbers, and its result has the sign of the first operand.
    let rest = |x: S| S::from_f64(x.to_f64() % side.to_f64());
    let (low, high) = (rest(min), rest(max));
    let mut sides_up = 0;
    if low < S::ZERO && low.plus(side) < side {
        sides_up = 1;
    }
    let moved = |x: S, sides: i32| {
        let x = (0..sides).fold(S::ZERO, |sum, _| sum.plus(side)).plus(x);
        if x > S::ZERO { x } else { S::ZERO }
    };
    let home = [moved(low, sides_up), moved(high, sides_up + i32::from(high < low))];
    if home[1].minus(home[0]) >= side { whole } else { home }
}

/// Returns the images of two home boxes that have the smallest gap on each axis that wraps. On such
/// an axis, neither box is moved, or one of them is moved down by one side.
fn nearest_images<S: Scalar, const D: usize>(
    sides: &[S; D],
    mut a: Aabb<S, D>,
    mut b: Aabb<S, D>,
) -> (Aabb<S, D>, Aabb<S, D>) {
    for axis in (0..D).filter(|&axis| sides[axis] > S::ZERO) {
        let side = sides[axis];
        let down = |[low, high]: [S; 2]| [low.minus(side), high.minus(side)];
        let gap = |a: [S; 2], b: [S; 2]| {
            let (above, below) = (b[0].minus(a[1]), a[0].minus(b[1]));
            let gap = if above > below { above } else { below };
            if gap > S::ZERO { gap } else { S::ZERO }
        };
        let (own, other) = ([a.min[axis], a.max[axis]], [b.min[axis], b.max[axis]]);
        let mut best = (own, other);
        for images in [(down(own), other), (own, down(other))] {
            if gap(images.0, images.1) < gap(best.0, best.1) {
                best = images;
            }
        }
        ([a.min[axis], a.max[axis]], [b.min[axis], b.max[axis]]) = best;
    }
    (a, b)
}

/// Number of images tested in each direction of an axis. Four are enough for paths of up to two
/// sides.
const IMAGES: i32 = 4;

/// Returns the fraction at which a path first touches an image of an object. Images are tested by
/// moving the start of the path in the opposite direction. For images below the home box, the
/// object itself is moved down by one side first.
fn first_touch_of_images<S: Scalar, const D: usize>(
    sides: &[S; D],
    shape: &Shape,
    object: &Aabb<S, D>,
) -> Option<S::Real> {
    let (start, by, until, ignores_contacts) = match *shape {
        Shape::Ray { from, by, until, ignores_contacts } => {
            (Aabb { min: from, max: from }, by, until, ignores_contacts)
        }
        Shape::Sweep { start, by, until, ignores_contacts } => (start, by, until, ignores_contacts),
        _ => return None,
    };
    // A path that is infinite at its start has no images.
    let start = home_box(sides, narrow::<S, D>(&start).checked().ok()?);
    // Images that the path may reach, by axis, as multiples of the side.
    let mut images: [Vec<i32>; D] = [const { Vec::new() }; D];
    for axis in 0..D {
        let side = sides[axis].to_f64();
        let (go, slack) = (by[axis] * until, 0.01 * side);
        let low = start.min[axis].to_f64() + go.min(0.0) - slack;
        let high = start.max[axis].to_f64() + go.max(0.0) + slack;
        let reached = |&image: &i32| {
            let moved = f64::from(image) * side;
            side == 0.0
                || (object.min[axis].to_f64() + moved <= high
                    && object.max[axis].to_f64() + moved >= low)
        };
        let all = if side > 0.0 { -IMAGES..=IMAGES } else { 0..=0 };
        images[axis].extend(all.filter(reached));
    }
    let mut first: Option<S::Real> = None;
    for number in 0..images.iter().map(Vec::len).product() {
        let (mut rest, mut moved, mut target): (usize, _, _) = (number, start, *object);
        for axis in 0..D {
            let image = images[axis][rest % images[axis].len()];
            rest /= images[axis].len();
            let side = sides[axis];
            let mut sides_up = image;
            if image < 0 {
                target.min[axis] = target.min[axis].minus(side);
                target.max[axis] = target.max[axis].minus(side);
                sides_up = image + 1;
            }
            let by = S::from_f64(f64::from(sides_up) * side.to_f64());
            moved.min[axis] = moved.min[axis].minus(by);
            moved.max[axis] = moved.max[axis].minus(by);
        }
        let moved = Shape::Sweep { start: widen(&moved), by, until, ignores_contacts };
        let touch = path::<S, D>(&moved).and_then(|path| path.first_touch(&target));
        if let Some(touch) = touch
            && first.is_none_or(|first| touch < first)
        {
            first = Some(touch);
        }
    }
    first
}
