//! Operations on all structures, which must have equal results, and on the model of the laws.
//!
//! The first byte selects the number type and the dimension. Each operation is one byte, followed
//! by the bytes of its operands. Coordinates are multiples of one half, extreme numbers, any bits,
//! or, seldom, invalid ones.

use core::array::from_fn;

use arbitrary::{Result, Unstructured};
use broadphase_core::{
    Aabb, Backend, BruteForce, IndexObject, Lists, Motion, Neighbors, Path, Region, Scalar,
    SpatialIndex, SpatialIndexExt, Target,
};
use broadphase_hshg::{Hshg, SpatialHash};
use broadphase_morton::MortonCells;
use laws::Together;
use laws::model::{Model, Step};
use laws::numbers::Numbers;
use laws::random::Random;

/// Maximum number of operations.
const MAX_OPERATIONS: usize = 60;
/// Maximum number of objects that one operation inserts.
const MAX_CROWD: u32 = 100;
/// Number of objects from which on no more crowds are inserted.
const MANY: usize = 150;

/// Applies the operations that the bytes encode.
///
/// # Panics
/// If a structure differs from another one or from the model.
pub fn run(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let input = &mut Unstructured::new(bytes);
    // The only error is that the bytes have ended.
    let _ = match kind % 4 {
        0 => play::<f32, 2>(input),
        1 => play::<i32, 3>(input),
        2 => play::<f64, 1>(input),
        _ => play::<i32, 2>(input),
    };
}

fn play<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<()> {
    let mut index = Together::of([
        Together::one(BruteForce::<S, D>::default()),
        Together::one(Hshg::<S, D>::new()),
        Together::one(SpatialHash::<S, D>::new(S::from_f64(3.0))),
        Together::one(MortonCells::<S, D>::new()),
    ]);
    let mut model = Model::default();
    let backends: Vec<Backend> = Backend::available().collect();
    for _ in 0..MAX_OPERATIONS {
        if input.is_empty() {
            break;
        }
        match input.int_in_range(0..=23)? {
            0..=9 => {
                let step = step(input)?;
                model.take(&mut index, &step);
            }
            10 if model.objects.len() < MANY => {
                let step = crowd(input)?;
                model.take(&mut index, &step);
            }
            10..=14 => _ = model.compare(&mut index, &region(input)?),
            15 => model.compare_unrefreshed(&index, &region(input)?),
            16 => index.set_backend(*input.choose(&backends)?),
            17 => index.optimize(),
            18 => index.shrink_to_fit(),
            19 => index = index.clone(),
            _ => search(input, &mut index)?,
        }
    }
    model.compare(&mut index, &Aabb { min: [S::MIN; D], max: [S::MAX; D] });
    Ok(())
}

fn number<S: Numbers>(input: &mut Unstructured<'_>) -> Result<S> {
    Ok(match input.arbitrary::<u8>()? {
        byte @ 0..=0xef => S::from_f64((f64::from(byte) - 120.0) * 0.5),
        0xf0..=0xf7 => *input.choose(S::EXTREME)?,
        0xf8..=0xfd => {
            let any = S::of_bits(input.arbitrary()?);
            if any.is_finite() { any } else { S::ZERO }
        }
        _ => S::FORBIDDEN.first().copied().unwrap_or(S::MAX),
    })
}

fn point<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<[S; D]> {
    let mut point = [S::ZERO; D];
    point.iter_mut().try_for_each(|x| number(input).map(|number| *x = number))?;
    Ok(point)
}

/// Returns a box: a small one, or one between any two points, which may be inverted.
fn bounds<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<Aabb<S, D>> {
    let (min, size) = (point::<S, D>(input)?, input.arbitrary::<u8>()?);
    let max = match size {
        0..=0xdf => {
            let extents = [0.0, 0.5, 1.0, 4.0].map(S::from_f64);
            from_fn(|axis| min[axis].plus(extents[usize::from(size >> (2 * axis) & 3)]))
        }
        _ => point(input)?,
    };
    Ok(Aabb { min, max })
}

/// Returns a valid box.
fn region<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<Aabb<S, D>> {
    let bounds = bounds::<S, D>(input)?;
    Ok(bounds.checked().unwrap_or(Aabb::point([S::ZERO; D])))
}

fn motion(input: &mut Unstructured<'_>) -> Result<Motion> {
    Ok(*input.choose(&[Motion::Dynamic, Motion::Static, Motion::Sleeping])?)
}

fn key(input: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match input.int_in_range(0..=31)? {
        31 => u32::MAX,
        key => key,
    })
}

fn step<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<Step<S, D>> {
    Ok(match input.int_in_range(0..=15)? {
        0..=4 => Step::Put(key(input)?, bounds(input)?),
        5..=6 => Step::Remove(key(input)?),
        7 => Step::SetMotion(key(input)?, motion(input)?),
        8 => Step::Petrify(input.arbitrary()?),
        9 => Step::Resize(key(input)?, input.arbitrary()?),
        10 => Step::Shuffle(input.arbitrary()?),
        11 => Step::ShuffleDynamic(input.arbitrary()?),
        12 => Step::Retain(input.arbitrary()?),
        13 => {
            let mut object = |_| {
                let (key, bounds, motion) = (key(input)?, bounds(input)?, motion(input)?);
                Ok(IndexObject { key, bounds, motion })
            };
            Step::InsertMany((0..4).map(&mut object).collect::<Result<_>>()?)
        }
        14 => Step::RemoveMany(vec![key(input)?, key(input)?]),
        _ => Step::Clear,
    })
}

/// Inserts many objects, so that sorted and packed parts of the structures are in use.
fn crowd<S: Numbers, const D: usize>(input: &mut Unstructured<'_>) -> Result<Step<S, D>> {
    let first = 1000 * u32::from(input.arbitrary::<u8>()?);
    let count = input.int_in_range(1..=MAX_CROWD)?;
    let random = &mut Random::new(input.arbitrary::<u8>()?.into());
    let (spread, motion) = (1 + u32::from(input.arbitrary::<u8>()?), motion(input)?);
    let mut object = |number| {
        let min = from_fn(|_| S::from_f64(f64::from(random.below(spread))));
        let size = S::from_f64(f64::from(1u32 << random.below(4)) * 0.5);
        let bounds = Aabb { min, max: min.map(|min: S| min.plus(size)) };
        IndexObject { key: first + number, bounds, motion }
    };
    Ok(Step::InsertMany((0..count).map(&mut object).collect()))
}

/// Searches; [`Together`] compares the results of the structures with those of brute force.
fn search<S: Numbers, const D: usize>(
    input: &mut Unstructured<'_>,
    index: &mut Together<S, D>,
) -> Result<()> {
    let (mut keys, mut pairs, mut near) = (Vec::new(), Vec::new(), Neighbors::default());
    let bounds = bounds(input)?;
    let until = S::Real::from_f64(input.arbitrary::<u8>()?.into());
    match input.int_in_range(0..=7)? {
        0 => index.query(Region::around(bounds, number(input)?), &mut keys),
        1 => index.cast(Path::segment(bounds.min, point::<S, D>(input)?), |_, _| ()),
        2 => index.cast(Path::ray(bounds.min, point::<S, D>(input)?).until(until), |_, _| ()),
        3 => {
            let path = Path::sweep(bounds, point::<S, D>(input)?);
            let path = if input.arbitrary()? { path.ignoring_contacts() } else { path };
            index.cast(path, |_, _| ());
        }
        4 => index.nearest(Target::from(bounds).within(number(input)?), |_, _| ()),
        5 => index.pairs_within(number(input)?, &mut pairs),
        6 => index.neighbors(number(input)?, &mut near),
        _ => {
            let mut lists = Lists::default();
            index.nearest_to_each(input.int_in_range(0..=4)?, &mut near);
            index.query_many(&[bounds.into(), Region::point(bounds.max)], &mut lists);
        }
    }
    Ok(())
}

/// Returns the seeds: random bytes for each number type.
#[must_use]
pub fn seeds() -> Vec<Vec<u8>> {
    let seed = |number: u8| {
        let random = &mut Random::new(number.into());
        core::iter::once(number).chain((0..700).map(|_| random.below(240) as u8)).collect()
    };
    (0..16).map(seed).collect()
}
