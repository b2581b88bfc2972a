//! Which lanes to run a kernel with: names, proofs that they run here, and the one way in.

use core::fmt;
use core::str::FromStr;

#[cfg(all(feature = "pulp", target_arch = "x86_64"))]
use pulp::{
    NullaryFnOnce,
    x86::{V2, V3},
};

use crate::lanes::{Lanes, Plain};

/// Work to be done with some lanes: a struct holding the arguments, `run` the code.
///
/// `run` and everything it calls down to the lanes must be `#[inline(always)]`: only what is
/// inlined is compiled with the backend's instructions. Structs of up to 64 bytes travel in
/// registers.
pub trait Kernel {
    /// What the work yields.
    type Output;

    /// Does the work.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// The name of a backend, which may or may not run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BackendKind {
    /// Plain Rust; always there, the reference for the others.
    Scalar,
    /// Portable SIMD for whatever the build target has; feature `wide`.
    Wide,
    /// SSE4.1, on CPUs with x86-64-v2 (SSE4.2 and POPCNT too); feature `pulp`.
    Sse41,
    /// AVX2, on CPUs with x86-64-v3; feature `pulp`.
    Avx2,
}

impl BackendKind {
    /// All names, from the plainest backend to the fastest.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Wide, Self::Sse41, Self::Avx2];

    /// The name in lower case, as [`Backend`] parses it: `scalar`, `wide`, `sse41`, `avx2`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Wide => "wide",
            Self::Sse41 => "sse41",
            Self::Avx2 => "avx2",
        }
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why there is no such backend here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendUnavailable {
    /// The text names no backend.
    UnknownName,
    /// The feature that brings this backend was off, or the build target cannot have it.
    NotCompiled(BackendKind),
    /// The CPU lacks its instructions (or, without feature `std`, nobody could usable the CPU).
    NotOnThisCpu(BackendKind),
}

impl fmt::Display for BackendUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName => {
                f.write_str("unknown backend; the names are scalar, wide, sse41 and avx2")
            }
            Self::NotCompiled(kind) => {
                write!(f, "backend {kind} was not compiled into this program")
            }
            Self::NotOnThisCpu(kind) => write!(f, "backend {kind} does not run on this cpu"),
        }
    }
}

impl core::error::Error for BackendUnavailable {}

/// Lanes that run here: holding a value is the proof.
///
/// ```
/// use simd_lanes::{Backend, BackendKind};
///
/// let best = Backend::detect();
/// assert!(Backend::available().any(|b| b == best));
/// assert_eq!("scalar".parse(), Ok(Backend::SCALAR));
/// assert_eq!(Backend::new(BackendKind::Scalar), Ok(Backend::SCALAR));
/// ```
#[derive(Clone, Copy)]
pub struct Backend(Token);

#[derive(Clone, Copy)]
enum Token {
    Scalar,
    #[cfg(feature = "wide")]
    Wide,
    #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
    Sse41(V2),
    #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
    Avx2(V3),
}

impl Backend {
    /// Plain Rust, which runs everywhere.
    pub const SCALAR: Self = Self(Token::Scalar);

    /// The fastest compiled backend that this CPU runs.
    ///
    /// Without feature `std` the CPU is not asked: only what the build target proves counts.
    /// The first call asks, later ones read the remembered answer.
    #[must_use]
    pub fn detect() -> Self {
        let best = BackendKind::ALL.into_iter().rev().find_map(|kind| Self::new(kind).ok());
        best.unwrap_or(Self::SCALAR)
    }

    /// The backend of that name.
    ///
    /// # Errors
    /// If it was not compiled, or this CPU does not run it.
    pub fn new(kind: BackendKind) -> Result<Self, BackendUnavailable> {
        match kind {
            BackendKind::Scalar => Ok(Self::SCALAR),
            #[cfg(feature = "wide")]
            BackendKind::Wide => Ok(Self(Token::Wide)),
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            BackendKind::Sse41 => sse41()
                .map(|v2| Self(Token::Sse41(v2)))
                .ok_or(BackendUnavailable::NotOnThisCpu(kind)),
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            BackendKind::Avx2 => {
                avx2().map(|v3| Self(Token::Avx2(v3))).ok_or(BackendUnavailable::NotOnThisCpu(kind))
            }
            #[cfg(not(all(feature = "wide", feature = "pulp", target_arch = "x86_64")))]
            _ => Err(BackendUnavailable::NotCompiled(kind)),
        }
    }

    /// Every compiled backend that this CPU runs, from the plainest to the fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        BackendKind::ALL.into_iter().filter_map(|kind| Self::new(kind).ok())
    }

    /// Its name.
    #[must_use]
    pub const fn kind(self) -> BackendKind {
        match self.0 {
            Token::Scalar => BackendKind::Scalar,
            #[cfg(feature = "wide")]
            Token::Wide => BackendKind::Wide,
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Sse41(_) => BackendKind::Sse41,
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Avx2(_) => BackendKind::Avx2,
        }
    }

    /// Runs a kernel with these lanes.
    ///
    /// Costs about a function call: enter once per public call, with a whole traversal.
    // Not inlined: a kernel would be compiled again for each place that runs it.
    #[inline(never)]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Token::Scalar => kernel.run(Plain),
            #[cfg(feature = "wide")]
            Token::Wide => kernel.run(crate::lanes::Wide),
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Sse41(v2) => v2.vectorize(KernelCall(kernel, crate::lanes::Sse41(v2))),
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Avx2(v3) => v3.vectorize(KernelCall(kernel, crate::lanes::Avx2(v3))),
        }
    }
}

/// A kernel and its lanes, as `pulp` wants to call it.
#[cfg(all(feature = "pulp", target_arch = "x86_64"))]
struct KernelCall<K, L>(K, L);

#[cfg(all(feature = "pulp", target_arch = "x86_64"))]
impl<K: Kernel, L: Lanes> NullaryFnOnce for KernelCall<K, L> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.0.run(self.1)
    }
}

cfg_if::cfg_if! {
    if #[cfg(all(feature = "pulp", target_arch = "x86_64"))] {
        // Without `std`, `pulp` reads CPUID bits but not whether the operating system saves the
        // registers, so it is asked only where the build target answers already.
        fn sse41() -> Option<V2> {
            let usable = cfg!(any(feature = "std", all(target_feature = "sse4.2", target_feature = "popcnt")));
            if usable { V2::try_new() } else { None }
        }

        fn avx2() -> Option<V3> {
            let usable = cfg!(any(
                feature = "std",
                all(
                    target_feature = "avx2",
                    target_feature = "bmi1",
                    target_feature = "bmi2",
                    target_feature = "fma",
                    target_feature = "lzcnt",
                ),
            ));
            if usable { V3::try_new() } else { None }
        }
    }
}

impl Default for Backend {
    /// [`Backend::detect`].
    fn default() -> Self {
        Self::detect()
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind()
    }
}

impl Eq for Backend {}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Backend").field(&self.kind()).finish()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind().fmt(f)
    }
}

impl FromStr for Backend {
    type Err = BackendUnavailable;

    fn from_str(name: &str) -> Result<Self, BackendUnavailable> {
        let kind = BackendKind::ALL.into_iter().find(|kind| kind.name() == name);
        Self::new(kind.ok_or(BackendUnavailable::UnknownName)?)
    }
}
