//! How an object moves, and so whom it may meet.

/// How an object moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Motion {
    /// It may move at any time.
    #[default]
    Dynamic,
    /// It stays: two static objects are never a pair. It may be moved all the same.
    Static,
    /// It rests for now. A hint that may save time and changes no answer.
    Sleeping,
}
