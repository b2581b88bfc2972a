//! What a grid may be told when it is made.

use broadphase_core::Scalar;

/// How a grid is made; what is not said follows the objects.
///
/// ```
/// use broadphase_hshg::{Hshg, HshgConfig};
///
/// let world: Hshg<i32, 2> = Hshg::with_config(HshgConfig::new().smallest_cell(256));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HshgConfig<S = f32> {
    pub(super) smallest_cell: Option<S>,
}

impl<S: Scalar> HshgConfig<S> {
    /// Nothing said.
    #[must_use]
    pub const fn new() -> Self {
        Self { smallest_cell: None }
    }

    /// The side of the cells of the lowest level, best about the size of the smallest objects; it
    /// is rounded up to a power of two.
    ///
    /// # Panics
    /// If it is not positive and finite.
    #[must_use]
    pub fn smallest_cell(self, side: S) -> Self {
        assert!(
            side > S::ZERO && side.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        Self { smallest_cell: Some(side) }
    }
}

impl<S: Scalar> Default for HshgConfig<S> {
    fn default() -> Self {
        Self::new()
    }
}
