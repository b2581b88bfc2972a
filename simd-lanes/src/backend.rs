//! Backends: their names, the detection of the CPU, and the dispatch of a kernel.
//!
//! A [`Backend`] contains a `pulp` token, which exists only if the CPU has the instructions.
//! [`Backend::dispatch`] matches on the token once. It runs the kernel, inlined, in a function of
//! `pulp` that is compiled with these instructions (`#[target_feature]`).

use core::fmt;
use core::str::FromStr;

#[cfg(all(feature = "pulp", target_arch = "x86_64"))]
use pulp::{
    NullaryFnOnce,
    x86::{V2, V3},
};

use crate::lanes::{Lanes, Plain};

/// A function that is generic over the lanes: the fields are the arguments, `run` is the code.
///
/// `run` and every function it calls, down to the lanes, must be `#[inline(always)]`: only inlined
/// code is compiled with the backend's instructions. Structs of up to 64 bytes are passed in
/// registers.
pub trait Kernel {
    /// The type of the result of [`run`](Kernel::run).
    type Output;

    /// Whether the kernel is compiled for SSE4.1, too. If not, it runs on scalar lanes there, which
    /// saves compile time if these instructions gain little.
    const SSE41: bool = true;

    /// Runs the kernel.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// The name of a backend, available or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BackendKind {
    /// Plain Rust; always available, the reference for the other backends.
    Scalar,
    /// Portable SIMD, compiled for the instructions of the build target; feature `wide`.
    Wide,
    /// SSE4.1; requires a CPU with x86-64-v2, which includes SSE4.2 and POPCNT; feature `pulp`.
    Sse41,
    /// AVX2; requires a CPU with x86-64-v3; feature `pulp`.
    Avx2,
}

impl BackendKind {
    /// All backends, from the slowest to the fastest.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Wide, Self::Sse41, Self::Avx2];

    /// Returns the name in lower case, as [`Backend`] parses it: `scalar`, `wide`, `sse41`, `avx2`.
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

/// The reason a backend is unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendUnavailable {
    /// The parsed text is not the name of a backend.
    UnknownName,
    /// The backend was not compiled: its feature is disabled, or the build target lacks it.
    NotCompiled(BackendKind),
    /// The CPU lacks the instructions or, without the feature `std`, the build target does.
    NotOnThisCpu(BackendKind),
}

impl fmt::Display for BackendUnavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownName => {
                f.write_str("unknown backend; the names are scalar, wide, sse41 and avx2")
            }
            Self::NotCompiled(kind) => {
                write!(f, "backend {kind} is not compiled into this program")
            }
            Self::NotOnThisCpu(kind) => write!(f, "backend {kind} does not run on this cpu"),
        }
    }
}

impl core::error::Error for BackendUnavailable {}

/// A backend that this CPU can run; a value exists only if the CPU has the instructions.
///
/// ```
/// # extern crate simd_lanes as hexphase;
/// use hexphase::{Backend, BackendKind};
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
    /// The scalar backend, which runs on every CPU.
    pub const SCALAR: Self = Self(Token::Scalar);

    /// Returns the fastest compiled backend that this CPU can run.
    ///
    /// The first call detects the CPU, later calls read the cached result. Without feature `std`
    /// there is no run-time detection; only instruction sets enabled at compile time are used.
    #[must_use]
    pub fn detect() -> Self {
        let best = BackendKind::ALL.into_iter().rev().find_map(|kind| Self::new(kind).ok());
        best.unwrap_or(Self::SCALAR)
    }

    /// Returns the backend of a kind, if this CPU can run it.
    ///
    /// # Errors
    /// If the backend was not compiled, or this CPU cannot run it.
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

    /// Returns every compiled backend that this CPU can run, from the slowest to the fastest.
    pub fn available() -> impl Iterator<Item = Self> {
        BackendKind::ALL.into_iter().filter_map(|kind| Self::new(kind).ok())
    }

    /// Returns the kind of this backend.
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

    /// Runs a kernel on the lanes of this backend.
    ///
    /// The overhead is about one function call: dispatch once per public call.
    // The function is not inlined: otherwise the kernel would be compiled again at each call site.
    #[inline(never)]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(feature = "wide")]
            Token::Wide => kernel.run(crate::lanes::Wide),
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Sse41(v2) if K::SSE41 => {
                v2.vectorize(KernelCall(kernel, crate::lanes::Sse41(v2)))
            }
            #[cfg(all(feature = "pulp", target_arch = "x86_64"))]
            Token::Avx2(v3) => v3.vectorize(KernelCall(kernel, crate::lanes::Avx2(v3))),
            _ => kernel.run(Plain),
        }
    }
}

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
        // Without `std`, `pulp` does not check that the operating system saves the registers. So a
        // token is created only if the build target already enables the instructions.
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
    /// Returns the result of [`Backend::detect`].
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
