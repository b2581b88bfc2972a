//! Layers, mask, group and owner: which objects may form a pair.

use core::fmt;

/// Layers, mask, group and owner of an object, which decide whether two objects may form a pair.
///
/// The first rule that applies decides; the result is symmetric:
///
/// 1. Objects with equal nonzero `owner` never form a pair.
/// 2. Objects with equal nonzero `group` always form a pair if it is positive, never if negative.
/// 3. Otherwise the `mask` of each object must share a layer with the `layers` of the other.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::Filter;
///
/// const WALL: u64 = 1;
/// const SHIP: u64 = 2;
/// let wall = Filter::layers(WALL);
/// let ship = Filter::layers(SHIP).mask(WALL | SHIP).owner(7);
/// let shot = Filter::layers(SHIP).mask(WALL | SHIP).owner(7);
/// assert!(ship.accepts(&wall));
/// assert!(!ship.accepts(&shot)); // the ship's own
/// assert!(!ship.accepts(&Filter::NONE));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// Layers the object belongs to, one bit each.
    pub layers: u64,
    /// Layers the object may form pairs with, one bit each.
    pub mask: u64,
    /// Group; 0 means no group. Replaces the masks for two objects of one group: a positive group
    /// accepts the pair, a negative group rejects it.
    pub group: i32,
    /// Owner; 0 means no owner. Two objects of the same owner never form a pair.
    pub owner: u32,
}

impl Filter {
    /// The default filter: a member of all layers, which accepts all layers.
    pub const ALL: Self = Self { layers: !0, mask: !0, group: 0, owner: 0 };

    /// The filter of a disabled object: a member of no layer, which accepts no layer.
    pub const NONE: Self = Self { layers: 0, mask: 0, group: 0, owner: 0 };

    /// Creates a filter that belongs to these layers and accepts all layers.
    #[must_use]
    pub const fn layers(layers: u64) -> Self {
        Self { layers, ..Self::ALL }
    }

    /// Sets the mask: the filter accepts only these layers.
    #[must_use]
    pub const fn mask(self, mask: u64) -> Self {
        Self { mask, ..self }
    }

    /// Sets the group of objects with this filter.
    #[must_use]
    pub const fn group(self, group: i32) -> Self {
        Self { group, ..self }
    }

    /// Sets the owner of objects with this filter.
    #[must_use]
    pub const fn owner(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    /// Returns whether the two objects may form a pair.
    #[inline]
    #[must_use]
    pub const fn accepts(&self, other: &Self) -> bool {
        if self.owner != 0 && self.owner == other.owner {
            return false;
        }
        if self.group != 0 && self.group == other.group {
            return self.group > 0;
        }
        self.mask & other.layers != 0 && other.mask & self.layers != 0
    }
}

impl Default for Filter {
    /// Returns [`Filter::ALL`].
    fn default() -> Self {
        Self::ALL
    }
}

impl fmt::Debug for Filter {
    /// Writes layers and mask as `ALL`, `NONE` or in base 16, and group and owner if set:
    /// `Filter { layers: 0x4, mask: ALL, owner: 7 }`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { layers, mask, group, owner } = *self;
        let mut filter = f.debug_struct("Filter");
        filter.field("layers", &Layers(layers)).field("mask", &Layers(mask));
        if group != 0 {
            filter.field("group", &group);
        }
        if owner != 0 {
            filter.field("owner", &owner);
        }
        filter.finish()
    }
}

/// Layers, one bit each.
struct Layers(u64);

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("NONE"),
            u64::MAX => f.write_str("ALL"),
            bits => write!(f, "{bits:#x}"),
        }
    }
}
