//! Statistics of sweeps, per tier.

/// Sweeps that test a block at more lags than this on average have rows that are too wide.
const CROWDED_LAGS: u64 = 16;

/// Those that test it at no more than this may have rows that are too narrow. Twice as wide, in a
/// plane, they test at most twice as many lags: so they do not become a crowd by that.
const CALM_LAGS: u64 = CROWDED_LAGS / 2;

/// For how many sweeps in turn rows must be found too narrow at first, and at most.
pub(in crate::grid) const CALM_SWEEPS: [u32; 2] = [64, 1024];

/// How the width of rows came about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::grid) enum HeightOrigin {
    /// As objects were spread.
    FromSpread,
    /// They were in a crowd.
    Lowered,
    /// They were narrower than they had to be, and maybe in a crowd since.
    Raised,
}

/// What sweeps have found in the rows of a tier.
#[derive(Clone, Copy, Debug)]
pub(in crate::grid) struct SweepStats {
    pub(in crate::grid) origin: HeightOrigin,
    /// Whether one since the last refresh found so many neighbours that rows should be narrower.
    pub(in crate::grid) crowded: bool,
    /// How many in turn have found few.
    pub(in crate::grid) calm_sweeps: u32,
    /// How many of them it takes until rows may become wider.
    pub(in crate::grid) required_calm_sweeps: u32,
}

impl SweepStats {
    pub(in crate::grid) const UNKNOWN: Self = Self {
        origin: HeightOrigin::FromSpread,
        crowded: false,
        calm_sweeps: 0,
        required_calm_sweeps: CALM_SWEEPS[0],
    };

    /// Takes note of a sweep that tested so many blocks, at so many lags in all.
    pub(in crate::grid) const fn record(&mut self, blocks: u64, lags: u64) {
        self.crowded |= lags > CROWDED_LAGS * blocks;
        if lags > CALM_LAGS * blocks {
            self.calm_sweeps = 0;
        } else if blocks > 0 {
            self.calm_sweeps = self.calm_sweeps.saturating_add(1);
        }
    }

    /// What is left of it once rows were made, or could not be made, as wide as they should be.
    pub(in crate::grid) fn after_change(self, made: bool) -> Self {
        let Self { origin, required_calm_sweeps, .. } = self;
        let longer = (2 * required_calm_sweeps).min(CALM_SWEEPS[1]);
        let (origin, required_calm_sweeps) = match (self.crowded, made) {
            // They had better not have become wider: that takes longer the next time.
            (true, true) if origin == HeightOrigin::Raised => (origin, longer),
            (true, true) => (HeightOrigin::Lowered, CALM_SWEEPS[0]),
            (true, false) => (origin, required_calm_sweeps),
            (false, true) => (HeightOrigin::Raised, required_calm_sweeps),
            // As wide as they get: to find that out takes time for every object.
            (false, false) => (HeightOrigin::FromSpread, longer),
        };
        Self { origin, required_calm_sweeps, ..Self::UNKNOWN }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::{CALM_SWEEPS, HeightOrigin, SweepStats};

    #[test]
    fn recurring_crowds_double_the_calm_period() {
        let mut sweep_stats = SweepStats::UNKNOWN;
        let until_wider = |sweep_stats: &mut SweepStats| {
            let mut sweeps = 0;
            while sweep_stats.calm_sweeps < sweep_stats.required_calm_sweeps {
                sweep_stats.record(8, 8 * 6);
                sweeps += 1;
            }
            *sweep_stats = sweep_stats.after_change(true);
            sweep_stats.record(8, 8 * 17);
            *sweep_stats = sweep_stats.after_change(true);
            sweeps
        };
        let all: Vec<u32> = (0..7).map(|_| until_wider(&mut sweep_stats)).collect();
        assert_eq!(all, [64, 128, 256, 512, 1024, 1024, 1024]);
        // Once they were as wide as they get, the next crowd is another one.
        sweep_stats = sweep_stats.after_change(false);
        assert_eq!(sweep_stats.origin, HeightOrigin::FromSpread);
        sweep_stats.record(8, 8 * 17);
        assert_eq!(sweep_stats.after_change(true).required_calm_sweeps, CALM_SWEEPS[0]);
    }

    #[test]
    fn sweeps_without_blocks_change_nothing() {
        let mut sweep_stats = SweepStats::UNKNOWN;
        sweep_stats.record(0, 0);
        assert!(!sweep_stats.crowded && sweep_stats.calm_sweeps == 0);
    }
}
