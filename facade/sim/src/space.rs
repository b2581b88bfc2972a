//! Geometry of one number type and dimension for brute force: every object is tested alone.
//!
//! Overlaps, home boxes and images in worlds that wrap are computed here, from their definitions.
//! Distances and fractions at the first touch come from [`Target`], [`Region`] and [`Path`], which
//! are called for each object and each image.

use core::array::from_fn;
use core::marker::PhantomData;

use hexphase::{Aabb, Ball, Hexagon, InvalidBounds, Number, Path, Plain, Region, Scalar, Target};

use crate::config::{Config, NumberType, VolumeType};
use crate::shape::{Box64, PathKind, Shape, Volume64};
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
    /// Returns the objects that touch a shape, in the order of the list `objects`.
    fn touches(&self, sides: &[f64; 3], shape: &Shape, objects: &[Box64]) -> Vec<Touch>;
    /// Returns the indices of the boxes in `others` that are within a distance of `bounds`.
    fn within(
        &self,
        sides: &[f64; 3],
        bounds: &Box64,
        distance: f64,
        others: &[Box64],
    ) -> Vec<usize>;
}

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
    from_fn(|axis| S::from_f64(at[axis]))
}

pub(crate) fn widen<S: Scalar, const D: usize>(bounds: &Aabb<S, D>) -> Box64 {
    let wide = |at: &[S; D]| from_fn(|axis| if axis < D { at[axis].to_f64() } else { 0.0 });
    Aabb { min: wide(&bounds.min), max: wide(&bounds.max) }
}

pub(crate) fn region<S: Scalar, const D: usize>(shape: &Shape) -> Option<Region<S, D>> {
    let Shape::Region { bounds, radius } = shape else { return None };
    Some(Region::around(narrow(bounds), S::from_f64(*radius)))
}

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

pub(crate) fn path<S: Scalar, const D: usize>(shape: &Shape) -> Option<Path<S, D>> {
    let Shape::Path { kind, start, to, until, ignores_contacts } = shape else { return None };
    let (start, to): (Aabb<S, D>, [S; D]) = (narrow(start), narrow_point(to));
    let path = match kind {
        PathKind::Segment => Path::segment(start.min, to),
        PathKind::Ray => Path::ray(start.min, to),
        PathKind::Sweep => Path::sweep(start, to),
    };
    let path = path.until(S::Real::from_f64(*until));
    Some(if *ignores_contacts { path.ignoring_contacts() } else { path })
}

struct Typed<S, const D: usize, B>(PhantomData<(S, B)>);

impl<S: Number + Plain, const D: usize, B: Volume<S, D>> Space for Typed<S, D, B> {
    fn round(&self, x: f64) -> f64 {
        S::from_f64(x).to_f64().clamp(S::MIN.to_f64(), S::MAX.to_f64())
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
        let image = self.path_start(sides, was, at);
        let path = Aabb {
            min: from_fn(|axis| image.min[axis].min(at.min[axis])),
            max: from_fn(|axis| image.max[axis].max(at.max[axis])),
        };
        widen(&home_box::<S, D>(&narrow_point(sides), narrow(&path)))
    }

    fn touches(&self, sides: &[f64; 3], shape: &Shape, objects: &[Box64]) -> Vec<Touch> {
        let sides: [S; D] = narrow_point(sides);
        let touch = |(index, object): (usize, &Box64)| {
            let [at, order] = touch(&sides, shape, narrow(object))?;
            Some(Touch { index, at, order })
        };
        objects.iter().enumerate().filter_map(touch).collect()
    }

    fn within(
        &self,
        sides: &[f64; 3],
        bounds: &Box64,
        distance: f64,
        others: &[Box64],
    ) -> Vec<usize> {
        let narrow_sides: [S; D] = narrow_point(sides);
        let wraps = sides.iter().any(|&side| side > 0.0);
        let (distance, center) = (S::from_f64(distance), narrow::<S, D>(bounds));
        let target = Target::from(center).within(distance).normalized();
        // Skips most objects cheaply: a gap this far above the distance cannot be due to rounding.
        let reach = distance.to_f64() * (1.0 + 1e-6);
        let apart = |other: &Box64| {
            other.min[0] - bounds.max[0] > reach || bounds.min[0] - other.max[0] > reach
        };
        let is_near = |other: &Box64| {
            if wraps {
                let (near, other) = nearest_images(&narrow_sides, center, narrow(other));
                let region = Region::around(near, distance).normalized();
                return region.is_some_and(|region| region.overlaps(&other));
            }
            let square = |target: Target<S, D>| target.distance_squared(&narrow(other));
            !apart(other) && target.and_then(square).is_some()
        };
        (0..others.len()).filter(|&other| is_near(&others[other])).collect()
    }
}

/// Returns whether an object touches a shape: the numbers that the query returns, and those by
/// which results are sorted.
fn touch<S: Scalar, const D: usize>(
    sides: &[S; D],
    shape: &Shape,
    object: Aabb<S, D>,
) -> Option<[[f64; 2]; 2]> {
    let wraps = sides.iter().any(|&side| side > S::ZERO);
    // The images of a box and of the object that are nearest to each other.
    let images = |bounds: &Box64| match wraps {
        true => nearest_images(sides, home_box(sides, narrow(bounds)), object),
        false => (narrow(bounds), object),
    };
    match *shape {
        Shape::Region { bounds, radius } => {
            region::<S, D>(shape)?.normalized()?;
            let (near, object) = images(&bounds);
            let region = Region::around(near, S::from_f64(radius)).normalized()?;
            region.overlaps(&object).then_some([[0.0; 2]; 2])
        }
        Shape::Target { bounds, within, within_squared } => {
            target::<S, D>(shape)?.normalized()?;
            let (near, object) = images(&bounds);
            let moved = Shape::Target { bounds: widen(&near), within, within_squared };
            let square = target::<S, D>(&moved)?.normalized()?.distance_squared(&object)?;
            let gaps = from_fn(|axis| {
                let above = S::gap(near.max[axis], object.min[axis]);
                let below = S::gap(object.max[axis], near.min[axis]);
                if above > below { above } else { below }
            });
            let at = [square.to_f64(), S::length::<D>(gaps).to_f64()];
            Some([at, distance_order(&near, &object)])
        }
        Shape::Path { .. } => {
            let first = match wraps {
                true => first_touch_of_images(sides, shape, &object),
                false => path::<S, D>(shape)?.first_touch(&object),
            };
            Some([[first?.to_f64(), 0.0]; 2])
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
    let sides_up = i32::from(low < S::ZERO && low.plus(side) < side);
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
    let Shape::Path { start, to: by, until, ignores_contacts, .. } = *shape else { return None };
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
        let (kind, start) = (PathKind::Sweep, widen(&moved));
        let moved = Shape::Path { kind, start, to: by, until, ignores_contacts };
        let touch = path::<S, D>(&moved).and_then(|path| path.first_touch(&target));
        first = first.filter(|first| touch.is_none_or(|touch| *first <= touch)).or(touch);
    }
    first
}
