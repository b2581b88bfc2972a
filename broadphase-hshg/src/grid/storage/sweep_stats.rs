//! Statistics of the sweeps of a tier, for its [row height](crate::grid::maintenance::row_height).
//!
//! A sweep within a row compares each block of eight objects with the blocks at offsets (*lags*) 1,
//! 2, 3, … Their mean number measures how many neighbors an object has in its row.
//!
//! 1. A mean of more than [`CROWDED_LAGS`] in one sweep: rows are lowered at the next refresh.
//! 2. A mean of at most [`CALM_LAGS`] in a number of sweeps (*calm* sweeps): rows may be raised.
//! 3. When raised rows become crowded again, or rows cannot be raised, the required number of calm
//!    sweeps doubles, up to a maximum.

/// A mean of more lags per block than this means that rows are too high.
const CROWDED_LAGS: u64 = 16;

/// A mean of at most this many lags per block allows higher rows. Doubling the height in two
/// dimensions at most doubles the lags: raised rows are not crowded at once.
const CALM_LAGS: u64 = CROWDED_LAGS / 2;

/// The number of consecutive calm sweeps before rows are raised: initial value and maximum.
pub(crate) const CALM_SWEEPS: [u32; 2] = [64, 1024];

/// The reason for the current row height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HeightOrigin {
    /// The height was derived from the distribution of the objects.
    FromSpread,
    /// The height was lowered because of a crowd.
    Lowered,
    /// The height was raised after a calm period, and possibly lowered again since.
    Raised,
}

/// Statistics of the sweeps of one tier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweepStats {
    pub(crate) origin: HeightOrigin,
    /// Set if, since the last refresh, a sweep found that the rows of the tier are too high.
    pub(crate) crowded: bool,
    /// The number of consecutive calm sweeps.
    pub(crate) calm_sweeps: u32,
    /// The number of consecutive calm sweeps before rows may be raised.
    pub(crate) required_calm_sweeps: u32,
}

impl SweepStats {
    pub(super) const UNKNOWN: Self = Self {
        origin: HeightOrigin::FromSpread,
        crowded: false,
        calm_sweeps: 0,
        required_calm_sweeps: CALM_SWEEPS[0],
    };

    /// Records a sweep that tested `blocks` blocks at `lags` lags in all.
    pub(crate) const fn record(&mut self, blocks: u64, lags: u64) {
        self.crowded |= lags > CROWDED_LAGS * blocks;
        if lags > CALM_LAGS * blocks {
            self.calm_sweeps = 0;
        } else if blocks > 0 {
            self.calm_sweeps = self.calm_sweeps.saturating_add(1);
        }
    }

    /// Returns the statistics after an attempt to change the row height; `made` is set if it
    /// changed.
    pub(crate) fn after_change(self, made: bool) -> Self {
        let Self { origin, required_calm_sweeps, .. } = self;
        let longer = (2 * required_calm_sweeps).min(CALM_SWEEPS[1]);
        let (origin, required_calm_sweeps) = match (self.crowded, made) {
            // Raising was premature: require a longer calm period next time.
            (true, true) if origin == HeightOrigin::Raised => (origin, longer),
            (true, true) => (HeightOrigin::Lowered, CALM_SWEEPS[0]),
            (true, false) => (origin, required_calm_sweeps),
            (false, true) => (HeightOrigin::Raised, required_calm_sweeps),
            // The height is at its maximum. Finding that out costs time for every object: wait
            // longer.
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
        // When the row height cannot be raised any more, the statistics are reset: after the next
        // crowded sweep the required number of calm sweeps is the initial one.
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
