//! The three axes of a hexagon, defined by linear forms of the coordinates.
//!
//! [`project`] converts a point to forms: each form is a sum of the coordinates times constant
//! factors. [`unproject`] converts forms to coordinates: each coordinate is a factor times a form,
//! or times the difference of two forms. Both compute intervals, rounded outwards ([`Span`]).

mod span;

use core::fmt::Debug;

use simd_lanes::Scalar;
pub(crate) use span::{Factor, Span, round_down, round_up};

/// Sealed trait of the directions that bound a hexagon: [`Pragmatic`], [`Elegant`] or [`Turned`].
///
/// The axes are three linear forms of the coordinates, which add up to zero. The best choice
/// depends on the objects and on the coordinates:
///
/// | | axes | hexagon | suits |
/// |---|---|---|---|
/// | [`Pragmatic`] | x, y, −(x + y) | a box without two corners | objects that have a box already |
/// | [`Elegant`] | three unit vectors, 120° apart | regular | discs, rotating objects |
/// | [`Turned`] | those of `Elegant`, rotated by 30° | regular, rotated by 30° | cells of a hex grid |
///
/// For `Elegant` and `Turned`, float coordinates are Cartesian; integer coordinates are oblique,
/// the `(a, b)` of hexagonal grids, with exact forms. `Pragmatic` has the same forms for floats and
/// integers; with oblique coordinates it is equivalent to `Elegant`.
pub trait Axes:
    Copy + Debug + Default + PartialEq + Eq + Send + Sync + sealed::Forms + 'static
{
    /// The name: `"pragmatic"`, `"elegant"` or `"turned"`.
    const NAME: &'static str;
}

/// The axes {x, y, −(x + y)}: every box is exactly a hexagon with these axes.
///
/// ```text
///   y, max_b ┌─────────╲          The hexagon is the box of its first two axes
///            │           ╲        without two corners, which the third axis cuts
///            │             │      off. A hexagon made from a box keeps both
///            ╲             │      corners: the third axis then adds one comparison,
///              ╲           │      but the first stage of an overlap test reads
///      min_b     ╲─────────┘      three values instead of four.
///            min_a       max_a, x
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pragmatic;

/// Equilateral axes: floats x, −x/2 + √3/2 y, −x/2 − √3/2 y; integers a, b, −(a + b).
///
/// ```text
///        b                         ╱╲
///         ╲                      ╱    ╲       Each axis is the unit normal of
///          ╲                    │      │      two sides, 120° from the next, so
///           ●──── a             │      │      forms are distances.
///          ╱                     ╲    ╱
///         ╱                        ╲╱
///        c
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Elegant;

/// Equilateral axes rotated by 30°: floats √3/2 x − y/2, y, −√3/2 x − y/2; integers a − b,
/// b − c, c − a, which are √3 times as long.
///
/// ```text
///            v
///            │                  ╱────╲        The sides of these hexagons are parallel
///            │                 ╱      ╲       to the axes of `Elegant`. In oblique
///            ●                 ╲      ╱       integers they are parallel to the sides of
///          ╱   ╲                ╲────╱        the cells of the hex grid whose neighbors
///         w     u                             are along a, b and c.
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turned;

/// A linear form: a factor for each coordinate, `None` for 0.
#[derive(Clone, Copy, Debug)]
pub struct Form(Option<Factor>, Option<Factor>);

/// A coordinate computed from the forms: the factor times the form with the first index. If there
/// is a second index, the form with that index is subtracted first.
#[derive(Clone, Copy, Debug)]
pub struct Inverse(usize, Option<usize>, Factor);

const MINUS_ONE: Factor = Factor::ONE.negated();
const MINUS_HALF: Factor = Factor::HALF.negated();
const NO_TERM: Option<Factor> = None;

/// The forms x, y, −(x + y).
const OBLIQUE: [Form; 3] = [
    Form(Some(Factor::ONE), NO_TERM),
    Form(NO_TERM, Some(Factor::ONE)),
    Form(Some(MINUS_ONE), Some(MINUS_ONE)),
];
const FROM_OBLIQUE: [Inverse; 2] = [Inverse(0, None, Factor::ONE), Inverse(1, None, Factor::ONE)];

impl Axes for Pragmatic {
    const NAME: &'static str = "pragmatic";
}
impl sealed::Forms for Pragmatic {
    const FLOAT: [Form; 3] = OBLIQUE;
    const INTEGER: [Form; 3] = OBLIQUE;
    const FROM_FLOAT: [Inverse; 2] = FROM_OBLIQUE;
    const FROM_INTEGER: [Inverse; 2] = FROM_OBLIQUE;
    const REACH_FLOAT: [Factor; 3] = [Factor::ONE, Factor::ONE, Factor::SQRT_2];
    const REACH_INTEGER: [Factor; 3] = Self::REACH_FLOAT;
}

impl Axes for Elegant {
    const NAME: &'static str = "elegant";
}
impl sealed::Forms for Elegant {
    const FLOAT: [Form; 3] = [
        Form(Some(Factor::ONE), NO_TERM),
        Form(Some(MINUS_HALF), Some(Factor::HALF_SQRT_3)),
        Form(Some(MINUS_HALF), Some(Factor::HALF_SQRT_3.negated())),
    ];
    const INTEGER: [Form; 3] = OBLIQUE;
    // y = (b − c) / √3.
    const FROM_FLOAT: [Inverse; 2] =
        [Inverse(0, None, Factor::ONE), Inverse(1, Some(2), Factor::INVERSE_SQRT_3)];
    const FROM_INTEGER: [Inverse; 2] = FROM_OBLIQUE;
    const REACH_FLOAT: [Factor; 3] = [Factor::ONE; 3];
    const REACH_INTEGER: [Factor; 3] = [Factor::ONE; 3];
}

impl Axes for Turned {
    const NAME: &'static str = "turned";
}
impl sealed::Forms for Turned {
    const FLOAT: [Form; 3] = [
        Form(Some(Factor::HALF_SQRT_3), Some(MINUS_HALF)),
        Form(NO_TERM, Some(Factor::ONE)),
        Form(Some(Factor::HALF_SQRT_3.negated()), Some(MINUS_HALF)),
    ];
    // a − b, b − c = a + 2b, c − a = −2a − b.
    const INTEGER: [Form; 3] = [
        Form(Some(Factor::ONE), Some(MINUS_ONE)),
        Form(Some(Factor::ONE), Some(Factor::TWO)),
        Form(Some(Factor::TWO.negated()), Some(MINUS_ONE)),
    ];
    // x = (u − w) / √3.
    const FROM_FLOAT: [Inverse; 2] =
        [Inverse(0, Some(2), Factor::INVERSE_SQRT_3), Inverse(1, None, Factor::ONE)];
    // a = (u − w) / 3, b = (v − u) / 3.
    const FROM_INTEGER: [Inverse; 2] =
        [Inverse(0, Some(2), Factor::THIRD), Inverse(1, Some(0), Factor::THIRD)];
    const REACH_FLOAT: [Factor; 3] = [Factor::ONE; 3];
    const REACH_INTEGER: [Factor; 3] = [Factor::SQRT_3; 3];
}

/// Returns the intervals of the three forms over a box of coordinates.
///
/// Exact for integers, whose forms are below 2^34. For floats the ends are rounded outwards, by one
/// or two float steps.
#[inline]
pub(crate) fn project<S: Scalar, A: Axes>(x: Span, y: Span) -> [Span; 3] {
    let forms = if S::INTEGER { A::INTEGER } else { A::FLOAT };
    forms.map(|form| match form {
        Form(Some(p), Some(q)) => x.times(p).plus(y.times(q)),
        Form(Some(p), None) => x.times(p),
        Form(None, Some(q)) => y.times(q),
        Form(None, None) => unreachable!("every form has a factor"),
    })
}

/// Returns the intervals of the two coordinates over all points in three intervals of the forms.
#[inline]
pub(crate) fn unproject<S: Scalar, A: Axes>(spans: [Span; 3]) -> [Span; 2] {
    let inverses = if S::INTEGER { A::FROM_INTEGER } else { A::FROM_FLOAT };
    inverses.map(|Inverse(plus, minus, factor)| {
        let difference = match minus {
            Some(minus) => spans[plus].plus(spans[minus].negated()),
            None => spans[plus],
        };
        difference.times(factor)
    })
}

/// Returns for each form its largest value on a unit disc around the origin.
pub(crate) fn disc_reach<S: Scalar, A: Axes>() -> [Factor; 3] {
    if S::INTEGER { A::REACH_INTEGER } else { A::REACH_FLOAT }
}

mod sealed {
    use super::{Factor, Form, Inverse};

    pub trait Forms {
        const FLOAT: [Form; 3];
        const INTEGER: [Form; 3];
        const FROM_FLOAT: [Inverse; 2];
        const FROM_INTEGER: [Inverse; 2];
        const REACH_FLOAT: [Factor; 3];
        const REACH_INTEGER: [Factor; 3];
    }
}
