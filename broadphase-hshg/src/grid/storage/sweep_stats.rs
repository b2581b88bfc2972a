//! Statistics of sweeps, per tier.

/// Sweeps that test a block at more lags than this on average have rows that are too wide.
const CROWDED: u64 = 16;

/// Those that test it at no more than this may have rows that are too narrow. Twice as wide, in a
/// plane, they test at most twice as many lags: so they do not become a crowd by that.
const CALM: u64 = CROWDED / 2;

/// For how many sweeps in turn rows must be found too narrow at first, and at most.
pub(in crate::grid) const PATIENCE: [u32; 2] = [64, 1024];

/// How the width of rows came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::grid) enum Width {
    /// As objects were spread.
    Spread,
    /// They were in a crowd.
    Narrowed,
    /// They were narrower than they had to be, and maybe in a crowd since.
    Widened,
}

/// What sweeps have found in the rows of a tier.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct Load {
    pub(in crate::grid) width: Width,
    /// Whether one since the last refresh found so many neighbours that rows should be narrower.
    pub(in crate::grid) crowded: bool,
    /// How many in turn have found few.
    pub(in crate::grid) calm: u32,
    /// How many of them it takes until rows may become wider.
    pub(in crate::grid) patience: u32,
}

impl Load {
    pub(in crate::grid) const UNKNOWN: Self =
        Self { width: Width::Spread, crowded: false, calm: 0, patience: PATIENCE[0] };

    /// Takes note of a sweep that tested so many blocks, at so many lags in all.
    pub(in crate::grid) const fn weigh(&mut self, blocks: u64, lags: u64) {
        self.crowded |= lags > CROWDED * blocks;
        if lags > CALM * blocks {
            self.calm = 0;
        } else if blocks > 0 {
            self.calm = self.calm.saturating_add(1);
        }
    }

    /// What is left of it once rows were made, or could not be made, as wide as they should be.
    pub(in crate::grid) fn after(self, made: bool) -> Self {
        let Self { width, patience, .. } = self;
        let longer = (2 * patience).min(PATIENCE[1]);
        let (width, patience) = match (self.crowded, made) {
            // They had better not have become wider: that takes longer the next time.
            (true, true) if width == Width::Widened => (width, longer),
            (true, true) => (Width::Narrowed, PATIENCE[0]),
            (true, false) => (width, patience),
            (false, true) => (Width::Widened, patience),
            // As wide as they get: to find that out takes time for every object.
            (false, false) => (Width::Spread, longer),
        };
        Self { width, patience, ..Self::UNKNOWN }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{Load, PATIENCE, Width};

    #[test]
    fn a_crowd_that_comes_whenever_rows_are_wider_is_met_ever_more_rarely() {
        let mut load = Load::UNKNOWN;
        let until_wider = |load: &mut Load| {
            let mut sweeps = 0;
            while load.calm < load.patience {
                load.weigh(8, 8 * 6);
                sweeps += 1;
            }
            *load = load.after(true);
            load.weigh(8, 8 * 17);
            *load = load.after(true);
            sweeps
        };
        let all: Vec<u32> = (0..7).map(|_| until_wider(&mut load)).collect();
        assert_eq!(all, [64, 128, 256, 512, 1024, 1024, 1024]);
        // Once they were as wide as they get, the next crowd is another one.
        load = load.after(false);
        assert_eq!(load.width, Width::Spread);
        load.weigh(8, 8 * 17);
        assert_eq!(load.after(true).patience, PATIENCE[0]);
    }

    #[test]
    fn sweeps_without_blocks_say_nothing() {
        let mut load = Load::UNKNOWN;
        load.weigh(0, 0);
        assert!(!load.crowded && load.calm == 0);
    }
}
