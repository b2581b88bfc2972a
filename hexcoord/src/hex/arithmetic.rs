//! Operators on cells as vectors. All of them wrap at the ends of `i32`.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use super::{Direction, Hex, hex};

impl Add for Hex {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        hex(self.q.wrapping_add(other.q), self.r.wrapping_add(other.r))
    }
}

impl Sub for Hex {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        hex(self.q.wrapping_sub(other.q), self.r.wrapping_sub(other.r))
    }
}

impl Mul<i32> for Hex {
    type Output = Self;

    #[inline(always)]
    fn mul(self, n: i32) -> Self {
        hex(self.q.wrapping_mul(n), self.r.wrapping_mul(n))
    }
}

impl Neg for Hex {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self * -1
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

impl Add<Direction> for Hex {
    type Output = Self;

    #[inline(always)]
    fn add(self, direction: Direction) -> Self {
        self + direction.to_hex()
    }
}

impl AddAssign<Direction> for Hex {
    #[inline(always)]
    fn add_assign(&mut self, direction: Direction) {
        *self = *self + direction;
    }
}
