//! Arguments of methods that set the bounds of an object.

/// The bounds of an object: the volume `B` of the world, or any type that converts into it, such as
/// the two corners of a box.
///
/// Every `Into<B>` implements this trait, which makes compile errors name the number type and
/// dimension of the world.
///
/// ```
/// use hexphase::BroadPhase;
///
/// let mut world: BroadPhase<f32, 2, &str> = BroadPhase::new();
/// let wall = world.insert(([0.0, 0.0], [9.0, 1.0]), "wall")?;
/// assert_eq!(world.get(wall).unwrap().bounds.max, [9.0, 1.0]);
/// # Ok::<(), hexphase::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the bounds of an object in a world of {D} dimensions of `{S}`",
    label = "expected `{B}`, or a type that converts into it",
    note = "boxes, points and vectors need {D} numbers of type `{S}`"
)]
pub trait IntoBounds<S, const D: usize, B> {
    /// Converts into the volume of the world.
    fn into_bounds(self) -> B;
}

#[diagnostic::do_not_recommend]
impl<S, const D: usize, B, T: Into<B>> IntoBounds<S, D, B> for T {
    #[inline(always)]
    fn into_bounds(self) -> B {
        self.into()
    }
}
