//! Operations of a schedule.

use core::fmt;

use crate::config::Config;
use crate::random::{Random, mix};
use crate::subject::Method;

/// The way in which the objects of an operation move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Movement {
    /// Each object by a random part of a unit or by at most one unit on each axis.
    Drift,
    /// All objects by one vector.
    Shift,
    /// Each object to a random place, with a random size.
    Jump,
    /// Each object to a random size; its lower corner remains.
    Resize,
    /// Beside or onto another object: one end of the object equals an end of the other.
    Snap,
    /// Each object away from the lower corner of the area, by a quarter of its distance.
    Swell,
    /// To its own box: a change that changes nothing.
    Stay,
}

/// A kind of operation. A share is the percentage of the objects that are affected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Insert { share: u64, at_once: bool },
    Move { share: u64, movement: Movement, method: Method },
    Remove { share: u64, at_once: bool },
    Replace { share: u64 },
    Clear,
    SetFilters { share: u64 },
    SetMotion { share: u64 },
    SetSwept { share: u64 },
    SetUsers { share: u64 },
    Step,
    StepWhere,
    StepUpTo,
    Query { count: u64 },
    QueryMany { count: u64 },
    Neighbors,
    NearestToEach,
    Overlapping,
    PairsWithin,
    PairsWith,
    Snapshot,
    Restore,
    Reopen,
    Damage,
    PanicInUpdate,
    PanicInStep,
    PanicInQuery,
    Refuse,
    Exhaust,
    Optimize,
    Shrink,
    SetBackend,
    Copy,
}

/// An operation: its kind, and the seed of its random choices. The choices for an object depend
/// only on this seed and on the number of the object, so other operations and objects can be left
/// out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) kind: Kind,
    pub(crate) seed: u64,
}

impl Op {
    /// Returns a generator for the choices that concern an object.
    pub(crate) const fn random(&self, id: u32) -> Random {
        Random::new(mix(self.seed, id as u64))
    }
}

const SHARES: [u64; 6] = [3, 10, 30, 60, 90, 100];
const METHODS: [Method; 4] =
    [Method::Each, Method::Update, Method::UpdateDynamic, Method::ParUpdate];

fn movement(random: &mut Random) -> Kind {
    use Movement::{Drift, Jump, Resize, Shift, Snap, Stay, Swell};

    let movement =
        random.pick(&[Drift, Drift, Drift, Shift, Jump, Jump, Resize, Snap, Snap, Swell, Stay]);
    Kind::Move { share: random.pick(&SHARES), movement, method: random.pick(&METHODS) }
}

fn other(random: &mut Random) -> Kind {
    let share = random.pick(&SHARES[..4]);
    match random.below(69) {
        0..=6 => Kind::Insert { share: 50, at_once: random.chance(40) },
        7..=12 => Kind::Remove { share, at_once: random.chance(40) },
        13 => Kind::Clear,
        14..=17 => Kind::SetFilters { share },
        18..=20 => Kind::SetMotion { share },
        21..=24 => Kind::SetSwept { share },
        25..=26 => Kind::SetUsers { share },
        27..=33 => Kind::Query { count: 8 },
        34..=36 => Kind::QueryMany { count: random.pick(&[5, 5, 300]) },
        37 => Kind::Neighbors,
        38 => Kind::NearestToEach,
        39 => Kind::Overlapping,
        40..=41 => Kind::PairsWithin,
        42 => Kind::PairsWith,
        43..=45 => Kind::Snapshot,
        46..=47 | 68 => Kind::Restore,
        48..=49 => Kind::Reopen,
        50 => Kind::Damage,
        51..=52 => Kind::PanicInUpdate,
        53 => Kind::PanicInStep,
        54 => Kind::PanicInQuery,
        55 | 67 => Kind::Refuse,
        56 => Kind::Exhaust,
        57 => Kind::Optimize,
        58 => Kind::Shrink,
        59 => Kind::SetBackend,
        60 => Kind::Copy,
        61..=65 => Kind::Replace { share },
        _ => Kind::Insert { share: 100, at_once: true },
    }
}

fn step(random: &mut Random) -> Kind {
    match random.below(10) {
        0 => Kind::StepWhere,
        1 => Kind::StepUpTo,
        _ => Kind::Step,
    }
}

pub(crate) fn schedule(seed: u64, config: &Config) -> Vec<Op> {
    let random = &mut Random::new(mix(seed, 2));
    let len = if config.is_crowd() { 14 } else { 24 + random.below(60) as usize };
    let share = random.pick(&[50, 100]);
    let mut kinds = vec![Kind::Insert { share, at_once: random.chance(50) }, Kind::Step];
    // With few other operations, the schedule has long runs of movements and steps.
    let others = random.pick(&[10, 35, 60]);
    while kinds.len() < len {
        let kind = if random.chance(others) { other(random) } else { movement(random) };
        let is_change = !matches!(kind, Kind::Query { .. } | Kind::Snapshot | Kind::Overlapping);
        kinds.push(kind);
        if is_change && random.chance(75) {
            kinds.push(step(random));
        }
    }
    let is_step = |kind: &Kind| {
        matches!(kind, Kind::Step | Kind::StepWhere | Kind::StepUpTo | Kind::PanicInStep)
    };
    kinds.retain(|kind| config.steps || !is_step(kind));
    let seeds = (0..).map(|index| mix(mix(seed, 3), index));
    kinds.into_iter().zip(seeds).map(|(kind, seed)| Op { kind, seed }).collect()
}

/// Returns the operations that bytes encode: two bytes each, for the kind and for the seed of the
/// choices. An odd byte at the end is ignored.
pub(crate) fn of_bytes(bytes: &[u8]) -> Vec<Op> {
    /// With this number, each kind of operation has a byte.
    const SALT: u64 = 58;
    let op = |&[kind, seed]: &[u8; 2]| {
        let random = &mut Random::new(mix(kind.into(), SALT));
        let kind = match random.below(10) {
            0..=2 => step(random),
            3..=5 => movement(random),
            _ => other(random),
        };
        Op { kind, seed: mix(seed.into(), SALT + 1) }
    };
    bytes.as_chunks().0.iter().map(op).collect()
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_once = |at_once: bool| if at_once { " at once" } else { "" };
        match *self {
            Self::Insert { share, at_once: all } => write!(f, "insert {share} %{}", at_once(all)),
            Self::Move { share, movement, method } => {
                write!(f, "move {share} %: {movement:?}, by {method:?}")
            }
            Self::Remove { share, at_once: all } => write!(f, "remove {share} %{}", at_once(all)),
            Self::Replace { share } => write!(f, "replace {share} %"),
            Self::SetFilters { share } => write!(f, "set filters of {share} %"),
            Self::SetMotion { share } => write!(f, "set motion of {share} %"),
            Self::SetSwept { share } => write!(f, "set swept of {share} %"),
            Self::SetUsers { share } => write!(f, "set users of {share} %"),
            Self::Query { count } => write!(f, "query {count} times"),
            Self::QueryMany { count } => write!(f, "query {count} at once"),
            Self::PanicInUpdate => f.write_str("panic in an update"),
            Self::PanicInStep => f.write_str("panic in a step"),
            Self::PanicInQuery => f.write_str("panic in a query"),
            Self::Refuse => f.write_str("refuse invalid changes"),
            Self::Exhaust => f.write_str("refuse too large allocations"),
            Self::Damage => f.write_str("restore damaged bytes"),
            Self::Reopen => f.write_str("restore into another structure"),
            Self::StepWhere => f.write_str("step with a predicate"),
            Self::StepUpTo => f.write_str("step with a limit"),
            Self::PairsWithin => f.write_str("pairs within a distance"),
            Self::PairsWith => f.write_str("pairs with another world"),
            Self::NearestToEach => f.write_str("nearest to each"),
            Self::SetBackend => f.write_str("set the backend"),
            _ => f.write_str(&format!("{self:?}").to_lowercase()),
        }
    }
}
