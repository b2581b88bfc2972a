//! What a world may be told when it is made.

use core::fmt;
use core::str::FromStr;

use broadphase_core::{Backend, Scalar};

/// Which structure finds the pairs. The answers are the same with all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// Whatever suits the number of objects and their sizes; looked at in every step.
    #[default]
    Auto,
    /// Every pair tested: best for up to a few hundred objects.
    Brute,
    /// The sparse spatial hash: for objects of about one size.
    #[cfg(feature = "hash")]
    Hash,
    /// The hierarchical grid: for objects of any sizes.
    #[cfg(feature = "hshg")]
    Hshg,
    /// Morton-sorted objects: for objects of any sizes, many of them static.
    #[cfg(feature = "morton")]
    Morton,
}

impl Algorithm {
    /// All that are compiled.
    pub const ALL: &[Self] = &[
        Self::Auto,
        Self::Brute,
        #[cfg(feature = "hash")]
        Self::Hash,
        #[cfg(feature = "hshg")]
        Self::Hshg,
        #[cfg(feature = "morton")]
        Self::Morton,
    ];

    /// The name in lower case, as it is parsed: `auto`, `brute`, `hash`, `hshg`, `morton`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Brute => "brute",
            #[cfg(feature = "hash")]
            Self::Hash => "hash",
            #[cfg(feature = "hshg")]
            Self::Hshg => "hshg",
            #[cfg(feature = "morton")]
            Self::Morton => "morton",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no algorithm that was compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm;

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown algorithm; there are")?;
        for (index, algorithm) in Algorithm::ALL.iter().enumerate() {
            write!(f, "{} {algorithm}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAlgorithm {}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name).ok_or(UnknownAlgorithm)
    }
}

/// How a world is made; what is not said is chosen well.
///
/// ```
/// use hexphase::{Algorithm, Backend, BroadPhase, Options};
///
/// let options = Options::new().algorithm(Algorithm::Brute).backend(Backend::SCALAR);
/// let world: BroadPhase<i32, 3> = BroadPhase::with_options(options);
/// assert!(world.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<S = f32> {
    pub(crate) algorithm: Algorithm,
    pub(crate) backend: Option<Backend>,
    pub(crate) cell: Option<S>,
}

impl<S: Scalar> Options<S> {
    /// Nothing said.
    #[must_use]
    pub const fn new() -> Self {
        Self { algorithm: Algorithm::Auto, backend: None, cell: None }
    }

    /// Which structure finds the pairs.
    #[must_use]
    pub const fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Which lanes kernels run with.
    #[must_use]
    pub const fn backend(self, backend: Backend) -> Self {
        Self { backend: Some(backend), ..self }
    }

    /// The side of the smallest cells; otherwise it follows the sizes of the objects.
    ///
    /// # Panics
    /// If it is not positive and finite.
    #[must_use]
    pub fn smallest_cell(self, side: S) -> Self {
        assert!(
            side > S::ZERO && side.is_finite(),
            "the side of a cell must be positive and finite, not {side}"
        );
        Self { cell: Some(side), ..self }
    }
}

impl<S: Scalar> Default for Options<S> {
    fn default() -> Self {
        Self::new()
    }
}
