//! The terms of a game, which must be equal on both sides.

use core::fmt;

use hexphase::plain;
use hexphase_fleet::Settings;

plain! {
    /// The settings of a game, its length, and the hash of its first state.
    ///
    /// The hash differs if the settings differ, or if the two programs simulate different games.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Terms {
        /// The settings.
        pub settings: Settings,
        /// Number of ticks.
        pub ticks: u64,
        /// Hash of the state before the first tick.
        pub first: u64,
    }
}

/// The different terms of both sides. `Display` names each difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermsDiffer {
    /// The terms of this side.
    pub here: Terms,
    /// The terms of the other side.
    pub there: Terms,
}

impl fmt::Display for TermsDiffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { here, there } = self;
        let texts = |terms: &Terms| {
            let Settings { ships, bullets, seed, scene, players } = terms.settings;
            let numbers = [ships.into(), bullets.into(), seed, players.into(), terms.ticks];
            let [ships, bullets, seed, players, ticks] = numbers.map(|number| number.to_string());
            [ships, bullets, seed, scene.name().to_owned(), players, ticks]
        };
        let names = ["ships", "bullets", "seed", "scene", "players", "ticks"];
        let mut separator = "";
        for (name, (here, there)) in names.into_iter().zip(texts(here).iter().zip(texts(there))) {
            if *here != there {
                write!(f, "{separator}{name} {here} here and {there} there")?;
                separator = ", ";
            }
        }
        if separator.is_empty() {
            write!(
                f,
                "the settings are equal, but the first state has the hash {:016x} here and {:016x} \
                 there: use the same version of the program on both sides",
                here.first, there.first
            )?;
        }
        Ok(())
    }
}
