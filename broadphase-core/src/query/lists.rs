//! Lists of keys side by side in one buffer: answers to many questions at once.

use alloc::vec::Vec;
use core::hint::black_box;

use crate::Pair;

/// So many lists are fetched at once.
const AHEAD: usize = 16;

/// Lists of keys, in the order of the questions they answer.
///
/// One behind the other in memory, so that a buffer that is used again allocates nothing (the
/// layout that is called compressed sparse rows).
///
/// ```
/// use broadphase_core::{Aabb, BruteForce, Lists, SpatialIndex};
///
/// let mut world: BruteForce<i32, 1> = BruteForce::new();
/// world.extend((0..5).map(|key| (key, Aabb::point([key as i32]), ())))?;
/// let mut found = Lists::default();
/// world.query_many(&[([3], [9]).into(), ([7], [8]).into(), [0].into()], &mut found);
/// assert_eq!(found.len(), 3);
/// assert!(found.iter().eq([&[3, 4][..], &[], &[0]]));
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lists {
    /// Where each list ends in `items`.
    ends: Vec<usize>,
    items: Vec<u32>,
}

impl Lists {
    /// How many lists there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The list with this index; `None` if there is none.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&[u32]> {
        let end = *self.ends.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.items[begin..end])
    }

    /// All lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// What is in all lists, one behind the other.
    #[must_use]
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// Where each list ends among the [`items`](Self::items); it begins where the one before ends.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }

    /// Removes all lists, keeping the memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.items.clear();
    }

    /// Appends a list.
    pub fn push(&mut self, list: &[u32]) {
        self.items.extend_from_slice(list);
        self.ends.push(self.items.len());
    }

    /// The numbers of all lists, to append those of one more, which [`finish`](Self::finish) ends.
    #[inline(always)]
    pub(crate) const fn unfinished(&mut self) -> &mut Vec<u32> {
        &mut self.items
    }

    /// Ends the list of what was appended to the others.
    #[inline(always)]
    pub(crate) fn finish(&mut self) {
        self.ends.push(self.items.len());
    }

    /// Appends all lists of another.
    pub(crate) fn append(&mut self, other: &Self) {
        let before = self.items.len();
        self.items.extend_from_slice(&other.items);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Makes all of it the answers in the order of the questions, which were asked in another:
    /// the second of `asked[n]` is the question that the n-th list of `answers` is for.
    pub(crate) fn arrange(&mut self, answers: &Self, asked: &[Pair]) {
        let mut place = alloc::vec![0; asked.len()];
        for (index, &[_, question]) in asked.iter().enumerate() {
            place[question as usize] = index;
        }
        self.clear();
        self.items.reserve(answers.items.len());
        for index in place {
            self.push(answers.get(index).unwrap_or_default());
        }
    }
}

/// For each object, by ascending key, the keys of others.
///
/// ```
/// use broadphase_core::{Aabb, BruteForce, Neighbors, SpatialIndex};
///
/// let mut world: BruteForce<f32, 1> = BruteForce::new();
/// for (key, x) in [(7, 0.0), (3, 1.0), (20, 2.5)] {
///     world.insert(key, Aabb::point([x]), ())?;
/// }
/// let mut near = Neighbors::default();
/// world.neighbors(1.5, &mut near);
/// assert!(near.iter().eq([(3, &[7, 20][..]), (7, &[3]), (20, &[3])]));
/// assert_eq!(near.of(20), Some(&[3][..]));
/// # Ok::<(), broadphase_core::IndexError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Neighbors {
    keys: Vec<u32>,
    lists: Lists,
    /// Lists in another order, while they are made; between calls, only their memory.
    pub(crate) kept: Lists,
}

impl PartialEq for Neighbors {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys && self.lists == other.lists
    }
}

impl Eq for Neighbors {}

impl Neighbors {
    /// The keys of all objects, ascending.
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// The lists, in the order of the keys.
    #[must_use]
    pub const fn lists(&self) -> &Lists {
        &self.lists
    }

    /// The list of an object; `None` if there is no such object.
    #[must_use]
    pub fn of(&self, key: u32) -> Option<&[u32]> {
        self.lists.get(self.keys.binary_search(&key).ok()?)
    }

    /// Every key with its list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &[u32])> {
        self.keys.iter().copied().zip(self.lists.iter())
    }

    /// Takes in lists for objects, in whatever order those come.
    pub(crate) fn arrange(&mut self, keys: &[u32], answers: &Lists) {
        let mut order: Vec<(u32, u32)> = keys.iter().copied().zip(0..).collect();
        let last = order.iter().map(|&(key, _)| key as usize).max().unwrap_or(0);
        if last < 2 * order.len() {
            // Dense keys are their own order.
            let mut place = alloc::vec![u32::MAX; last + 1];
            order.iter().for_each(|&(key, index)| place[key as usize] = index);
            order.clear();
            order.extend((0..).zip(place).filter(|&(_, index)| index != u32::MAX));
        } else {
            order.sort_unstable();
        }
        self.keys.clear();
        self.keys.extend(order.iter().map(|&(key, _)| key));
        self.lists.clear();
        self.lists.items.reserve(answers.items.len());
        for some in order.chunks(AHEAD) {
            let lists = || some.iter().map(|&(_, index)| answers.get(index as usize));
            // They lie anywhere: the memory of all is waited for at once.
            black_box(
                lists().flatten().filter_map(|list| list.first()).fold(0, |all, key| all ^ key),
            );
            lists().for_each(|list| self.lists.push(list.unwrap_or_default()));
        }
    }

    /// Takes in pairs, each of which makes its two objects neighbours of each other; for
    /// structures.
    ///
    /// Objects are named by their places in `keys`. None of the pairs comes twice, and nothing is
    /// its own neighbour. It is fastest where the two places of a pair are near each other.
    ///
    /// # Panics
    /// If a place is not below `keys.len()`.
    pub fn set_pairs(&mut self, keys: &[u32], pairs: &[[u32; 2]]) {
        let mut ends = alloc::vec![0usize; keys.len()];
        for &place in pairs.as_flattened() {
            ends[place as usize] += 1;
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += *end;
            *end = begin - *end;
        }
        let mut items = alloc::vec![0; begin];
        for &[a, b] in pairs {
            for [place, other] in [[a, b], [b, a]] {
                let end = &mut ends[place as usize];
                items[*end] = keys[other as usize];
                *end += 1;
            }
        }
        let answers = Lists { ends, items };
        self.arrange(keys, &answers);
        let Lists { ends, items } = &mut self.lists;
        let mut begin = 0;
        for &mut end in ends {
            items[begin..end].sort_unstable();
            begin = end;
        }
    }
}
