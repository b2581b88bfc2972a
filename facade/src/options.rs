//! Settings of a new world.

use core::fmt;
use core::str::FromStr;

use broadphase_core::torus::World;
use broadphase_core::{Backend, InvalidWorld, Scalar};

/// The structure that finds the pairs. Results are the same with all structures.
///
/// ```
/// use hexphase::Algorithm;
///
/// assert_eq!("brute".parse(), Ok(Algorithm::Brute));
/// assert!(Algorithm::ALL.contains(&Algorithm::default()));
/// assert_eq!(Algorithm::Auto.name(), "auto");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// The structure is selected by the number of objects, at every step.
    #[default]
    Auto,
    /// Brute force: tests every pair. It is best for up to 256 objects.
    Brute,
    /// Sparse spatial hash, for objects of similar size. Requires the feature `hash`.
    #[cfg(feature = "hash")]
    Hash,
    /// Hierarchical grid, for objects of mixed sizes. Requires the feature `hshg`.
    #[cfg(feature = "hshg")]
    Hshg,
    /// Morton-sorted objects, for scenes where `tune` ranks them first. Requires the feature
    /// `morton`.
    #[cfg(feature = "morton")]
    Morton,
}

impl Algorithm {
    /// All algorithms enabled by features.
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

    /// Returns the name that `parse` accepts: `auto`, `brute`, `hash`, `hshg` or `morton`.
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

/// Defines an algorithm whose feature is not enabled: a warning of `cargo check` and an error of
/// `cargo build` with the command that enables it.
macro_rules! algorithm_without_feature {
    ($name:ident, $feature:literal, $text:literal) => {
        #[cfg(not(feature = $feature))]
        impl Algorithm {
            #[doc(hidden)]
            #[deprecated(note = $text)]
            #[allow(non_upper_case_globals, reason = "the name of a variant")]
            pub const $name: Self = panic!($text);
        }
    };
}
algorithm_without_feature!(
    Hash,
    "hash",
    "needs the feature `hash`: `cargo add hexphase --features hash`"
);
algorithm_without_feature!(
    Hshg,
    "hshg",
    "needs the feature `hshg`: `cargo add hexphase --features hshg`"
);
algorithm_without_feature!(
    Morton,
    "morton",
    "needs the feature `morton`: `cargo add hexphase --features morton`"
);

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of parsing an [`Algorithm`]: the text is not the name of a compiled algorithm.
///
/// ```
/// use hexphase::Algorithm;
///
/// let unknown = "octree".parse::<Algorithm>().unwrap_err();
/// assert!(unknown.to_string().starts_with("unknown algorithm; there are auto, brute"));
/// ```
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

/// Settings of a world. Unset values are derived from the objects. Setters panic if invalid.
///
/// ```
/// use hexphase::{Algorithm, Backend, BroadPhase, Options};
///
/// let options = Options::new().algorithm(Algorithm::Brute).backend(Backend::SCALAR).events(false);
/// let world: BroadPhase<f32, 3> = BroadPhase::with_options(options);
/// assert!(world.is_empty());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Options<S = f32, const D: usize = 2> {
    pub(crate) algorithm: Algorithm,
    pub(crate) backend: Option<Backend>,
    pub(crate) cell: Option<S>,
    pub(crate) capacity: usize,
    pub(crate) events: bool,
    pub(crate) sides: [S; D],
}

impl<S: Scalar, const D: usize> Options<S, D> {
    /// Creates options with every value unset.
    ///
    /// ```
    /// use hexphase::{BroadPhase, Options};
    ///
    /// let world: BroadPhase = BroadPhase::with_options(Options::new());
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            algorithm: Algorithm::Auto,
            backend: None,
            cell: None,
            capacity: 0,
            events: true,
            sides: [S::ZERO; D],
        }
    }

    /// Sets the structure that finds the pairs. Default: [`Algorithm::Auto`].
    ///
    /// ```
    /// use hexphase::{Algorithm, BroadPhase, Options};
    ///
    /// let options = Options::new().algorithm(Algorithm::Brute);
    /// let world: BroadPhase = BroadPhase::with_options(options);
    /// assert_eq!(world.choice().algorithm, Some(Algorithm::Brute));
    /// ```
    #[must_use]
    pub const fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// Sets the SIMD backend of the kernels. Default: the fastest backend that this CPU can run.
    ///
    /// ```
    /// use hexphase::{Backend, BroadPhase, Options};
    ///
    /// let options = Options::new().backend(Backend::SCALAR);
    /// let world: BroadPhase = BroadPhase::with_options(options);
    /// assert_eq!(world.backend(), Backend::SCALAR);
    /// ```
    #[must_use]
    pub const fn backend(self, backend: Backend) -> Self {
        Self { backend: Some(backend), ..self }
    }

    /// Sets the side length of the smallest cells. Default: derived from the sizes of the objects.
    ///
    /// # Panics
    /// If `side` is not positive and finite.
    ///
    /// ```
    /// use hexphase::{BroadPhase, Options};
    ///
    /// let world: BroadPhase = BroadPhase::with_options(Options::new().smallest_cell(16.0));
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn smallest_cell(self, side: S) -> Self {
        let fits = side > S::ZERO && side.is_finite();
        assert!(fits, "the side of a cell must be positive and finite, not {side}");
        Self { cell: Some(side), ..self }
    }

    /// Sets the number of objects to reserve memory for when the world is created. Default: 0.
    ///
    /// ```
    /// use hexphase::{BroadPhase, Options};
    ///
    /// let world: BroadPhase = BroadPhase::with_options(Options::new().capacity(10_000));
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub const fn capacity(self, objects: usize) -> Self {
        Self { capacity: objects, ..self }
    }

    /// Sets whether steps compute which pairs began and ended. Default: `true`. Without events, the
    /// pairs of the step before are neither compared nor stored in snapshots.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let mut world: BroadPhase = BroadPhase::with_options(Options::new().events(false));
    /// world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.insert(Aabb::point([0.0, 0.0]), ())?;
    /// world.step();
    /// assert_eq!((world.pairs().len(), world.began().len()), (1, 0));
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub const fn events(self, wanted: bool) -> Self {
        Self { events: wanted, ..self }
    }

    /// Makes the world wrap: an object that leaves on one side enters on the opposite side. Side
    /// lengths are positive, such as 360 for degrees, or 0 for an axis that does not wrap.
    /// [`Torus`](crate::Torus) defines the effect on bounds, pairs and queries.
    ///
    /// Boxes are stored and returned in the home range; a tighter volume stays where it is. Two
    /// such objects form a pair if their volumes overlap in an image in which their boxes overlap;
    /// [`Bounds::translated`](crate::Bounds::translated) moves a volume by a multiple of the side,
    /// rounded to nearest. If a box covers an axis or the volume cannot be moved, the boxes decide.
    ///
    /// # Panics
    /// If a side is negative or NaN, or if eight times the side exceeds the number range.
    ///
    /// ```
    /// use hexphase::{Aabb, BroadPhase, Options};
    ///
    /// let options = Options::new().wrap([64.0, 0.0]);
    /// let mut world: BroadPhase<f32, 2, char> = BroadPhase::with_options(options);
    /// world.insert(Aabb::new([60.0, 0.0], [66.0, 4.0]), 'a')?; // over the seam
    /// world.insert(Aabb::new([1.0, 0.0], [3.0, 4.0]), 'b')?;
    /// world.step();
    /// assert_eq!(world.pairs().len(), 1);
    /// # Ok::<(), hexphase::Error>(())
    /// ```
    #[must_use]
    pub fn wrap(self, sides: impl Into<[S; D]>) -> Self {
        self.try_wrap(sides).unwrap_or_else(|why| panic!("{why}"))
    }

    /// Makes the world wrap, as [`wrap`](Self::wrap) does.
    ///
    /// # Errors
    /// If a side is invalid.
    ///
    /// ```
    /// use hexphase::Options;
    ///
    /// assert!(Options::<f32, 2>::new().try_wrap([360.0, f32::NAN]).is_err());
    /// ```
    pub fn try_wrap(self, sides: impl Into<[S; D]>) -> Result<Self, InvalidWorld> {
        Ok(Self { sides: World::new(sides.into())?.sides(), ..self })
    }

    /// Returns the sides of the world, for computations with images.
    pub(crate) const fn world(&self) -> World<S, D> {
        World::of_valid(self.sides)
    }

    /// Returns whether any axis wraps.
    pub(crate) fn wraps(&self) -> bool {
        self.sides.iter().any(|&side| side > S::ZERO)
    }
}

impl<S: Scalar, const D: usize> Default for Options<S, D> {
    fn default() -> Self {
        Self::new()
    }
}
