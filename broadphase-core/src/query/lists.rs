//! Lists in one buffer: results of batches of queries.

use alloc::vec::Vec;

use bounds_hexprism::Backend;

use super::list_buffer::{ListBuffer, Part, arrange};
use crate::pairs::{self, Pair};

/// Lists of items (by default keys), one per query of a batch, in the order of the queries.
///
/// Lists are back to back in one buffer, with an array of ends (compressed sparse rows).
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, Lists, SpatialIndexExt};
///
/// let mut world: BruteForce = BruteForce::new();
/// world.extend((0..5).map(|key| (key, Aabb::point([key as f32, 0.0]))))?;
/// let mut found = Lists::default();
/// let boxes = [([3.0, 0.0], [9.0, 1.0]), ([7.0, 0.0], [8.0, 1.0]), ([0.0, 0.0], [0.0, 0.0])];
/// world.query_many(&boxes.map(Into::into), &mut found);
/// assert_eq!(found.len(), 3);
/// assert!(found.iter().eq([&[3, 4][..], &[], &[0]]));
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists<T = u32> {
    /// End of each list in `items`.
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { ends: Vec::new(), items: Vec::new() }
    }
}

impl<T: Copy> Lists<T> {
    /// Returns the number of lists.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no lists.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the list with this index, `None` if out of range.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[T]> {
        let end = *self.ends.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.items[begin..end])
    }

    /// Iterates over all lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// Returns the items of all lists, back to back.
    #[must_use]
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Returns the end of each list in [`items`](Self::items), where the next list begins.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Removes all lists without freeing memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    /// Appends a list.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.items.len();
        self.items.extend_from_slice(&other.items);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Replaces all lists with those of `unordered`: the n-th becomes list `order[n][1]`, where
    /// `order` is from [`query_many`](super::query_many).
    pub(crate) fn arrange(&mut self, unordered: &Self, order: &[Pair]) {
        let mut list_of = alloc::vec![0; order.len()];
        for (index, &[_, target]) in order.iter().enumerate() {
            list_of[target as usize] = index;
        }
        self.clear();
        self.items.reserve(unordered.items.len());
        for index in list_of {
            self.push(unordered.get(index).unwrap_or_default().iter().copied());
        }
    }
}

/// Keys of neighboring objects: one list per object, by ascending key of the object.
///
/// ```
/// # extern crate broadphase_core as hexphase;
/// use hexphase::{Aabb, BruteForce, Neighbors, SpatialIndexExt};
///
/// let mut world: BruteForce = BruteForce::new();
/// for (key, x) in [(7, 0.0), (3, 1.0), (20, 2.5)] {
///     world.insert(key, Aabb::point([x, 0.0]))?;
/// }
/// let mut near = Neighbors::default();
/// world.neighbors(1.5, &mut near);
/// assert!(near.iter().eq([(3, &[7, 20][..]), (7, &[3]), (20, &[3])]));
/// assert_eq!(near.of(20), Some(&[3][..]));
/// # Ok::<(), hexphase::IndexError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    keys: Vec<u32>,
    lists: Lists,
    /// Scratch buffers for lists in the order in which they are computed, one per task.
    pub(crate) kept: Vec<ListBuffer>,
}

impl PartialEq for Neighbors {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys && self.lists == other.lists
    }
}

impl Eq for Neighbors {}

impl Neighbors {
    /// Returns the keys of all objects, ascending.
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// Returns the lists, in the order of [`keys`](Self::keys).
    #[must_use]
    pub const fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Returns the list of an object, `None` if the key is unknown.
    #[must_use]
    pub fn of(&self, key: u32) -> Option<&[u32]> {
        self.lists.get(self.keys.binary_search(&key).ok()?)
    }

    /// Iterates over all keys with their lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        self.keys.iter().copied().zip(self.lists.iter())
    }

    /// Replaces the contents by the lists of objects in any order.
    pub(crate) fn arrange(&mut self, backend: Backend, parts: &[Part<'_>]) {
        let Lists { ends, items } = &mut self.lists;
        arrange(backend, parts, &mut self.keys, ends, items);
    }

    /// Replaces the contents: list `i` of `unordered` belongs to `keys[i]`.
    pub(crate) fn arrange_lists(&mut self, keys: &[u32], unordered: &Lists) {
        let Lists { ends, items } = unordered;
        self.arrange(Backend::detect(), &[Part { keys, ends, items }]);
    }

    /// Inserts the neighbors of pairs, in both directions. The objects must have ascending lists
    /// without these neighbors.
    pub(crate) fn insert_pairs(&mut self, mut pairs: Vec<Pair>) {
        for index in 0..pairs.len() {
            let [a, b] = pairs[index];
            pairs.push([b, a]);
        }
        pairs::sort(&mut pairs);
        pairs.dedup();
        let Lists { ends, items } = &mut self.lists;
        let mut rest = &pairs[..];
        let mut to = items.len() + rest.len();
        items.resize(to, 0);
        // Move items to the back, last list first, while neighbors are left.
        for index in (0..ends.len()).rev() {
            if rest.is_empty() {
                return;
            }
            let begin = index.checked_sub(1).map_or(0, |before| ends[before]);
            let mut from = core::mem::replace(&mut ends[index], to);
            while let Some((&[_, neighbor], before)) =
                rest.split_last().filter(|(last, _)| last[0] == self.keys[index])
            {
                while from > begin && items[from - 1] > neighbor {
                    (from, to) = (from - 1, to - 1);
                    items[to] = items[from];
                }
                to -= 1;
                items[to] = neighbor;
                rest = before;
            }
            to -= from - begin;
            items.copy_within(begin..from, to);
        }
    }

    /// Replaces the list with this index by one of equal length.
    pub(crate) fn replace(&mut self, index: usize, list: &[u32]) {
        let Lists { ends, items } = &mut self.lists;
        let begin = index.checked_sub(1).map_or(0, |before| ends[before]);
        items[begin..ends[index]].copy_from_slice(list);
    }

    /// Replaces the contents with the neighbors of pairs, in both directions; for structures.
    /// `keys` must be the keys of all objects, `pairs` may be in any order. Takes time about linear
    /// in pairs and keys.
    #[doc(hidden)]
    pub fn set_pairs(&mut self, keys: &[u32], pairs: Vec<Pair>) {
        let ends = alloc::vec![0; keys.len()];
        self.arrange(Backend::detect(), &[Part { keys, ends: &ends, items: &[] }]);
        self.insert_pairs(pairs);
    }
}
