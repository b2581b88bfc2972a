//! Return types of visitor closures: nothing, or a value that can stop the traversal.

use core::ops::ControlFlow;

/// The return value of a visitor: continue, or stop and return a value to the caller.
///
/// `()` always continues; [`ControlFlow`] stops at `Break` and [`Result`] at `Err`. A method that
/// takes a visitor returns the value that stopped it, or [`CONTINUE`](Self::CONTINUE), so `?` works
/// on its result. The trait is sealed.
///
/// ```
/// # extern crate simd_lanes as hexphase;
/// use hexphase::Flow;
///
/// fn each<R: Flow>(numbers: &[i32], mut visit: impl FnMut(i32) -> R) -> R {
///     for &n in numbers {
///         let answer = visit(n);
///         if answer.stops() {
///             return answer;
///         }
///     }
///     R::CONTINUE
/// }
///
/// let mut sum = 0;
/// each(&[1, 2, 3], |n| sum += n);
/// assert_eq!(sum, 6);
/// assert_eq!(each(&[1, -2, 3], |n| if n < 0 { Err(n) } else { Ok(()) }), Err(-2));
/// ```
pub trait Flow: sealed::Sealed {
    /// The value that lets the traversal continue.
    const CONTINUE: Self;

    /// Returns whether this value ends the traversal.
    fn stops(&self) -> bool;
}

impl Flow for () {
    const CONTINUE: Self = ();

    #[inline(always)]
    fn stops(&self) -> bool {
        false
    }
}

impl<B> Flow for ControlFlow<B> {
    const CONTINUE: Self = Self::Continue(());

    #[inline(always)]
    fn stops(&self) -> bool {
        self.is_break()
    }
}

impl<E> Flow for Result<(), E> {
    const CONTINUE: Self = Ok(());

    #[inline(always)]
    fn stops(&self) -> bool {
        self.is_err()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for () {}
    impl<B> Sealed for core::ops::ControlFlow<B> {}
    impl<E> Sealed for Result<(), E> {}
}
