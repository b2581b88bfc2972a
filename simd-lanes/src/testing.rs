//! One test for each backend, out of one body; for the tests of this workspace.

use crate::{Backend, BackendKind, BackendUnavailable, Kernel, Lanes};

/// Asks the lanes themselves which backend they are.
struct Probe;

impl Kernel for Probe {
    type Output = BackendKind;

    #[inline(always)]
    fn run<L: Lanes>(self, _: L) -> BackendKind {
        L::KIND
    }
}

/// The backend a kernel is run with, told by the lanes that ran it.
#[must_use]
pub fn ran_on(backend: Backend) -> BackendKind {
    backend.dispatch(Probe)
}

/// Runs `test` on the backend of that name, if this build and this CPU have it.
///
/// What is missing is left out without a word: the test `every_compiled_backend_runs_here` of
/// this crate fails when a compiled backend does not run, so nothing goes missing unseen.
///
/// # Panics
/// If other lanes run than were asked for, or the test panics.
pub fn on(kind: BackendKind, test: impl FnOnce(Backend)) {
    match Backend::new(kind) {
        Ok(backend) => {
            assert_eq!(ran_on(backend), kind, "the lanes that ran are not those asked for");
            test(backend);
        }
        Err(BackendUnavailable::NotCompiled(_) | BackendUnavailable::NotOnThisCpu(_)) => {}
        Err(why) => panic!("{why}"),
    }
}

/// Makes the tests `name::{scalar, wide, sse41, avx2}` out of `fn name(backend) { .. }`.
#[macro_export]
macro_rules! backend_tests {
    ($($(#[$attribute:meta])* fn $name:ident($backend:ident) $body:block)+) => {$(
        $(#[$attribute])*
        mod $name {
            #[allow(unused_imports, reason = "the body may need nothing of the outer module")]
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
