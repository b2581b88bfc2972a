//! The terms of a game, which must be equal on both sides.

use core::fmt;

use hexphase_fleet::{Scene, Settings};

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

/// Number of numbers that represent terms in a datagram.
const LEN: usize = 7;

impl Terms {
    pub(crate) fn to_numbers(self) -> [u64; LEN] {
        let Settings { ships, bullets, seed, scene, players } = self.settings;
        let scene = u64::from(scene == Scene::Dense);
        [ships.into(), bullets.into(), seed, scene, players.into(), self.ticks, self.first]
    }

    pub(crate) fn from_numbers(numbers: &[u64]) -> Option<Self> {
        let &[ships, bullets, seed, scene, players, ticks, first] = numbers else { return None };
        let scene = *[Scene::Sparse, Scene::Dense].get(usize::try_from(scene).ok()?)?;
        let settings = Settings {
            ships: ships.try_into().ok()?,
            bullets: bullets.try_into().ok()?,
            seed,
            scene,
            players: players.try_into().ok()?,
        };
        Some(Self { settings, ticks, first })
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
        let [one, other] = [here, there].map(|terms| {
            let settings = &terms.settings;
            [
                ("ships", settings.ships.to_string()),
                ("bullets", settings.bullets.to_string()),
                ("seed", settings.seed.to_string()),
                ("scene", settings.scene.name().to_owned()),
                ("players", settings.players.to_string()),
                ("ticks", terms.ticks.to_string()),
            ]
        });
        let mut separator = "";
        for ((name, here), (_, there)) in one.into_iter().zip(other) {
            if here != there {
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
