//! The option `--wrap`: axes whose two ends join, such as degrees of longitude.

use broadphase_core::torus::World;
use clap::Args;

use crate::error::{Error, Shown};
use crate::near;
use crate::scene::{Input, Number, Objects};

const MAX_AXES: usize = 3;

/// The option `--wrap`. Without it, no axis wraps.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Wrap {
    /// Length of each axis that wraps, 0 for an axis that does not, such as 360,0 for degrees
    #[arg(long = "wrap", value_name = "LENGTHS", id = "wrap", allow_hyphen_values = true)]
    #[arg(value_delimiter = ',')]
    texts: Vec<String>,
}

impl Wrap {
    pub(crate) const fn is_set(&self) -> bool {
        !self.texts.is_empty()
    }

    /// Returns the length of each axis; 0 for an axis that does not wrap.
    pub(crate) fn sides<S: Number, const D: usize>(&self) -> Result<[S; D], Error> {
        let fail = |message: &dyn core::fmt::Display| Err(Error::new("--wrap", message));
        let mut sides = [S::ZERO; D];
        if self.texts.is_empty() {
            return Ok(sides);
        }
        if self.texts.len() != D {
            let count = self.texts.len();
            return fail(&format_args!(
                "one length for each of {D} axes is expected, 0 if the axis does not wrap; got {count}"
            ));
        }
        for (side, text) in sides.iter_mut().zip(&self.texts) {
            *side = near::read_number("--wrap", text)?;
        }
        World::new(sides).map(|world| world.sides()).or_else(|why| fail(&why))
    }

    /// Returns the length of each axis as [`sides`](Self::sides) does, but 0 for an invalid length.
    /// Can be called before the scene is loaded, when the scalar type and the number of axes are
    /// not known.
    pub(crate) fn lengths(&self) -> [f64; MAX_AXES] {
        let mut lengths = [0.0; MAX_AXES];
        for (length, text) in lengths.iter_mut().zip(&self.texts) {
            *length = text.trim().parse().ok().filter(|&side| side > 0.0).unwrap_or(0.0);
        }
        lengths
    }
}

/// Moves boxes home: replaces them by the boxes that a world with these sides stores, whose ends
/// are rounded. So searches and distances are based on the same boxes. A box across a seam may have
/// `min > max`; then the length of the axis is first added to `max`.
///
/// # Errors
/// If `min` is above `max` also after that.
pub(crate) fn move_home<S: Number, const D: usize>(
    objects: &mut Objects<S, D>,
    sides: [S; D],
    input: &Input,
) -> Result<(), Error> {
    for (index, bounds) in (0..).zip(&mut objects.bounds) {
        for (axis, side) in sides.into_iter().enumerate() {
            let (min, max) = (bounds.min[axis], bounds.max[axis]);
            if min > max {
                bounds.max[axis] = max.plus(side);
                if min > bounds.max[axis] {
                    let (id, name) = (objects.ids.text(index), ["x", "y", "z"][axis]);
                    let message = format_args!(
                        "object {}: on axis {name} the minimum {min} is above the maximum {max} \
                         by more than the length {side} of the axis",
                        Shown(&id)
                    );
                    return Err(Error::new(input, message));
                }
            }
        }
        let is_home = (0..D).all(|axis| {
            let (min, max, side) = (bounds.min[axis], bounds.max[axis], sides[axis]);
            side == S::ZERO || S::ZERO <= min && max < side
        });
        if !is_home && let Ok(home) = World::of_valid(sides).reduced(*bounds) {
            *bounds = home;
        }
    }
    Ok(())
}
