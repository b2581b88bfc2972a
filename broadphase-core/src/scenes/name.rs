//! Names of scenes: `name:count[:seed]`.

use core::fmt;
use core::str::FromStr;

/// Kinds of scenes; defined in the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneKind {
    /// Boxes of Terdiman's published scene, three-dimensional.
    Terdiman,
    /// Equal discs.
    Discs,
    /// Discs of mixed sizes.
    Mixed,
    /// Discs with a heavy tail of sizes.
    Tail,
    /// Equal discs around sixteen centers.
    Clustered,
    /// Equal balls.
    Discs3,
    /// Balls of mixed sizes.
    Mixed3,
    /// Balls with a heavy tail of sizes.
    Tail3,
    /// Equal balls around sixteen centers.
    Clustered3,
}

impl SceneKind {
    /// All kinds of scenes.
    pub const ALL: [Self; 9] = [
        Self::Terdiman,
        Self::Discs,
        Self::Mixed,
        Self::Tail,
        Self::Clustered,
        Self::Discs3,
        Self::Mixed3,
        Self::Tail3,
        Self::Clustered3,
    ];

    /// Returns the name of this kind of scene.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terdiman => "terdiman",
            Self::Discs => "discs",
            Self::Mixed => "mixed",
            Self::Tail => "tail",
            Self::Clustered => "clustered",
            Self::Discs3 => "discs3",
            Self::Mixed3 => "mixed3",
            Self::Tail3 => "tail3",
            Self::Clustered3 => "clustered3",
        }
    }

    /// Returns the seed used if none is given.
    #[must_use]
    pub const fn default_seed(self) -> u64 {
        match self {
            Self::Terdiman => 42,
            _ => 88_172_645_463_325_252,
        }
    }
}

/// Kind, number of objects and seed of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SceneName {
    /// Kind of the scene.
    pub kind: SceneKind,
    /// Number of objects.
    pub count: u32,
    /// Seed of the random numbers; `terdiman` uses the low 32 bits.
    pub seed: u64,
}

impl SceneName {
    /// Creates the name of a scene with the default seed.
    #[must_use]
    pub const fn new(kind: SceneKind, count: u32) -> Self {
        Self { kind, count, seed: kind.default_seed() }
    }
}

impl fmt::Display for SceneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.name(), self.count)?;
        if self.seed != self.kind.default_seed() {
            write!(f, ":{}", self.seed)?;
        }
        Ok(())
    }
}

/// Error of parsing a scene name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownScene {
    /// There is no generator of this name.
    Name,
    /// The count is not a number below 2^32.
    Count,
    /// The seed is not a positive number below 2^64.
    Seed,
    /// The text does not have the form `name:count` or `name:count:seed`.
    Form,
}

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => {
                f.write_str("unknown generator; there are")?;
                for (index, kind) in SceneKind::ALL.into_iter().enumerate() {
                    write!(f, "{} {}", if index == 0 { "" } else { "," }, kind.name())?;
                }
                Ok(())
            }
            Self::Count => f.write_str("the count must be a whole number below 2^32"),
            Self::Seed => f.write_str("the seed must be a whole number above 0 and below 2^64"),
            Self::Form => f.write_str("a generated scene is named name:count or name:count:seed"),
        }
    }
}

impl core::error::Error for UnknownScene {}

impl FromStr for SceneName {
    type Err = UnknownScene;

    fn from_str(text: &str) -> Result<Self, UnknownScene> {
        let mut parts = text.split(':');
        let (name, count) = (parts.next().unwrap_or_default(), parts.next());
        let kind = SceneKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or(UnknownScene::Name)?;
        let count = count.ok_or(UnknownScene::Form)?;
        let mut scene = Self::new(kind, digits(count).ok_or(UnknownScene::Count)?);
        if let Some(seed) = parts.next() {
            // Xorshift with the state 0 yields only 0.
            scene.seed = digits(seed).filter(|&seed| seed > 0).ok_or(UnknownScene::Seed)?;
        }
        if parts.next().is_some() { Err(UnknownScene::Form) } else { Ok(scene) }
    }
}

/// Parses a number that consists of digits only, without sign or blanks; `None` if it does not.
fn digits<N: FromStr>(text: &str) -> Option<N> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
