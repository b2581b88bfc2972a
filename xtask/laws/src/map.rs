//! [`SortedMap`]: a map of a few thousand objects. For each type of value, it compiles in a small
//! part of the time of a `BTreeMap`.

use core::fmt::{self, Debug};
use core::mem::replace;
use core::ops::Index;

/// A map from keys to values: a vector of entries, ascending by key.
///
/// The methods have the names and the results of those of `BTreeMap`. Searches take O(log n),
/// insertions and removals O(n).
#[derive(Clone, PartialEq)]
pub struct SortedMap<V>(Vec<(u32, V)>);

impl<V> Default for SortedMap<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> SortedMap<V> {
    fn find(&self, key: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |entry| entry.0)
    }

    /// Inserts or replaces the value of a key. Returns the previous value.
    pub fn insert(&mut self, key: u32, value: V) -> Option<V> {
        match self.find(key) {
            Ok(place) => Some(replace(&mut self.0[place].1, value)),
            Err(place) => {
                self.0.insert(place, (key, value));
                None
            }
        }
    }

    /// Removes a key. Returns its value.
    pub fn remove(&mut self, key: &u32) -> Option<V> {
        self.find(*key).ok().map(|place| self.0.remove(place).1)
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &u32) -> Option<&V> {
        self.find(*key).ok().map(|place| &self.0[place].1)
    }

    /// Returns the value of a key for changes.
    pub fn get_mut(&mut self, key: &u32) -> Option<&mut V> {
        self.find(*key).ok().map(|place| &mut self.0[place].1)
    }

    /// Returns the number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the entries for which `keep` returns `false`; `keep` may change values.
    pub fn retain(&mut self, mut keep: impl FnMut(&u32, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }

    /// Returns the entries in ascending order of keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&u32, &V)> + Clone {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns the entries in ascending order of keys, for changes of values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&u32, &mut V)> {
        self.0.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Returns the keys in ascending order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &u32> + Clone {
        self.0.iter().map(|entry| &entry.0)
    }

    /// Returns the values in ascending order of keys.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> + Clone {
        self.0.iter().map(|entry| &entry.1)
    }
}

impl<V: Debug> Debug for SortedMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<V> Index<&u32> for SortedMap<V> {
    type Output = V;

    fn index(&self, key: &u32) -> &V {
        self.get(key).unwrap_or_else(|| panic!("{key} has no value"))
    }
}

impl<V> FromIterator<(u32, V)> for SortedMap<V> {
    fn from_iter<I: IntoIterator<Item = (u32, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}
