//! Operators on cells as vectors. All of them wrap at the ends of `i32`.

use core::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Direction, Hex};

impl Add for Hex {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl Sub for Hex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.minus(other)
    }
}

impl Mul<i32> for Hex {
    type Output = Self;

    #[inline(always)]
    fn mul(self, n: i32) -> Self {
        self.times(n)
    }
}

impl Neg for Hex {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.times(-1)
    }
}

impl AddAssign for Hex {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Hex {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign<i32> for Hex {
    #[inline(always)]
    fn mul_assign(&mut self, n: i32) {
        *self = *self * n;
    }
}

impl Add<Direction> for Hex {
    type Output = Self;

    #[inline(always)]
    fn add(self, direction: Direction) -> Self {
        self.neighbor(direction)
    }
}

impl Sub<Direction> for Hex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, direction: Direction) -> Self {
        self.minus(direction.to_hex())
    }
}

impl AddAssign<Direction> for Hex {
    #[inline(always)]
    fn add_assign(&mut self, direction: Direction) {
        *self = *self + direction;
    }
}
