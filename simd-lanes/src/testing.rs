//! Test helpers of this workspace: one test body, run as one test for each backend.

use crate::{Backend, BackendKind, BackendUnavailable, Kernel, Lanes};

/// Kernel that returns the backend whose lanes run it.
struct Probe;

impl Kernel for Probe {
    type Output = BackendKind;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> BackendKind {
        L::KIND
    }
}

/// Runs `test` on the given backend, if it is compiled and this CPU supports it.
///
/// Unavailable backends are skipped silently; the test `every_compiled_backend_runs_here` of this
/// crate reports them.
///
/// # Panics
/// If a kernel runs on another backend than requested, or if the test panics.
pub fn on(kind: BackendKind, test: impl FnOnce(Backend)) {
    match Backend::new(kind) {
        Ok(backend) => {
            assert_eq!(
                backend.dispatch(Probe),
                kind,
                "the kernel ran on the lanes of another backend"
            );
            test(backend);
        }
        Err(BackendUnavailable::NotCompiled(_) | BackendUnavailable::NotOnThisCpu(_)) => {}
        Err(why) => panic!("{why}"),
    }
}

/// Defines the tests `name::{scalar, wide, sse41, avx2}` from `fn name(backend) { .. }`.
#[macro_export]
macro_rules! backend_tests {
    ($($(#[$attribute:meta])* fn $name:ident($backend:ident) $body:block)+) => {$(
        $(#[$attribute])*
        mod $name {
            #[allow(unused_imports, reason = "the body may use no item of the outer module")]
            use super::*;

            fn test($backend: $crate::Backend) $body

            #[test]
            fn scalar() {
                $crate::testing::on($crate::BackendKind::Scalar, test);
            }
            #[test]
            fn wide() {
                $crate::testing::on($crate::BackendKind::Wide, test);
            }
            #[test]
            fn sse41() {
                $crate::testing::on($crate::BackendKind::Sse41, test);
            }
            #[test]
            fn avx2() {
                $crate::testing::on($crate::BackendKind::Avx2, test);
            }
        }
    )+};
}
