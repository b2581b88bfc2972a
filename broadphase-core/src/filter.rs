//! Which objects may form a pair at all.

/// Layers, mask, group and owner of an object: whether two objects may meet.
///
/// Asked in this order, the first that decides counts:
///
/// 1. Objects of the same `owner`, unless 0, never meet.
/// 2. Objects of the same `group`, unless 0, always meet if it is positive, and never if it is
///    negative.
/// 3. Otherwise each one's `mask` must have a layer in common with the other's `layers`.
///
/// The answer is the same from both sides.
///
/// ```
/// use broadphase_core::Filter;
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Filter {
    /// The layers the object is in, a bit each.
    pub layers: u64,
    /// The layers it meets, a bit each.
    pub mask: u64,
    /// Decides alone between objects of the same one; 0 is no group.
    pub group: i32,
    /// Objects of the same one never meet; 0 is no owner.
    pub owner: u32,
}

impl Filter {
    /// In all layers, meets all layers: what an object has unless told otherwise.
    pub const ALL: Self = Self { layers: !0, mask: !0, group: 0, owner: 0 };

    /// In no layer, meets none: a disabled object.
    pub const NONE: Self = Self { layers: 0, mask: 0, group: 0, owner: 0 };

    /// In these layers, meeting all.
    #[must_use]
    pub const fn layers(layers: u64) -> Self {
        Self { layers, ..Self::ALL }
    }

    /// The same, meeting these layers only.
    #[must_use]
    pub const fn mask(self, mask: u64) -> Self {
        Self { mask, ..self }
    }

    /// The same, in this group.
    #[must_use]
    pub const fn group(self, group: i32) -> Self {
        Self { group, ..self }
    }

    /// The same, of this owner.
    #[must_use]
    pub const fn owner(self, owner: u32) -> Self {
        Self { owner, ..self }
    }

    /// Whether the two objects may form a pair.
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
    /// [`Filter::ALL`].
    fn default() -> Self {
        Self::ALL
    }
}
