//! Random numbers that are equal on every machine.

/// Returns a hash of two numbers, made with the output function of `SplitMix64`.
pub(crate) const fn mix(a: u64, b: u64) -> u64 {
    scramble(scramble(a).wrapping_add(b).wrapping_add(INCREMENT))
}

const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

const fn scramble(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The generator `SplitMix64`. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        scramble(self.0)
    }

    /// Returns a number below `end`, which must be positive.
    pub(crate) const fn below(&mut self, end: u64) -> u64 {
        ((self.next() as u128 * end as u128) >> 64) as u64
    }

    /// Returns `true` with a probability of `percent` / 100.
    pub(crate) const fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// Returns a number from 0 (included) to 1 (excluded).
    pub(crate) const fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns one of the items. The list must not be empty.
    pub(crate) const fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}
