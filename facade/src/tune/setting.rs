//! The settings that are tried.

use alloc::vec::Vec;

use broadphase_core::Scalar;

use super::profile::Profile;
use super::trace::Trace;
use crate::{Algorithm, Options};

/// A structure and its settings. Unset values are chosen by the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Setting<S> {
    pub(super) algorithm: Algorithm,
    pub(super) cell: Option<S>,
}

impl<S: Scalar> Setting<S> {
    const fn of(algorithm: Algorithm) -> Self {
        Self { algorithm, cell: None }
    }

    /// Returns all settings worth trying, simplest first. Brute force is included up to `brute`
    /// objects, or if nothing else is compiled.
    pub(super) fn candidates<const D: usize>(
        trace: &Trace<S, D>,
        profile: &Profile,
        brute: usize,
    ) -> Vec<Self> {
        let mut settings = Vec::new();
        for &algorithm in Algorithm::ALL {
            let many = profile.objects > brute && Algorithm::ALL.len() > 2;
            if algorithm == Algorithm::Auto || (algorithm == Algorithm::Brute && many) {
                continue;
            }
            let plain = Self::of(algorithm);
            settings.push(plain);
            #[cfg(feature = "hash")]
            if algorithm == Algorithm::Hash {
                let cells = cells(trace).into_iter().flatten();
                settings.extend(cells.map(|cell| Self { cell: Some(cell), ..plain }));
            }
        }
        let _ = trace;
        settings.dedup();
        settings
    }

    /// Returns the options that create a world like the recorded world, but with this setting.
    pub(super) fn options<const D: usize>(&self, trace: &Trace<S, D>) -> Options<S, D> {
        let options = Options::new().algorithm(self.algorithm).events(trace.events);
        let options = Options { sides: trace.sides, ..options.capacity(trace.most) };
        self.cell.map_or(options, |cell| options.smallest_cell(cell))
    }
}

/// Returns half and twice the cell size that the hash would choose for the first tick with objects.
#[cfg(feature = "hash")]
fn cells<S: Scalar, const D: usize>(trace: &Trace<S, D>) -> [Option<S>; 2] {
    let Some(tick) = trace.ticks.iter().find(|tick| tick.objects > 0) else { return [None; 2] };
    let bounds = tick.inserted.iter().map(|(_, item)| item.bounds);
    let side = broadphase_hshg::SpatialHash::<S, D>::recommend(bounds).to_f64();
    [0.5, 2.0].map(|factor| rounded::<S>(factor * side).filter(|cell| cell.to_f64() != side))
}

/// Rounds a length to three significant digits. Returns `None` if the result is not a valid length.
#[cfg(feature = "hash")]
fn rounded<S: Scalar>(length: f64) -> Option<S> {
    let short: f64 = alloc::format!("{length:.2e}").parse().ok()?;
    let fits = short < S::MAX.to_f64() / 2.0 && (!S::INTEGER || short >= 1.0);
    let length = S::from_f64(short);
    (fits && length > S::ZERO && (1.0 / length.to_f64()).is_finite()).then_some(length)
}

#[cfg(all(test, feature = "hash"))]
mod tests {
    use broadphase_core::Aabb;

    use super::*;

    #[test]
    fn cells_are_tried_smaller_and_larger() {
        let cells = |side| {
            let mut trace = Trace::<i32, 1>::default();
            trace.push((0..100).map(|_| Aabb::new([0], [side]))).unwrap();
            let settings = Setting::candidates(&trace, &Profile::of(&trace), 1000);
            settings.iter().filter_map(|setting| setting.cell).collect::<Vec<_>>()
        };
        assert_eq!(cells(100), [100, 400], "half of 200, twice 200");
        assert_eq!(cells(0), [2], "cells have a side of at least 1");
        assert_eq!(cells(1234), [1230, 4940], "three significant digits");
    }
}
