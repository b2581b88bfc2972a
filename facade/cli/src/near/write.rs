//! Writes the lines of all pairs, from a list or piece by piece.

use std::io::{self, Write};

use super::{Found, Search};
use crate::lines::Lines;
use crate::pieces;
use crate::scene::Number;

/// Maximum number of rows in a piece of a list, and about the number of pairs of a piece. With 256,
/// two threads write 1.8 million pairs in half the time of one thread.
const PIECE: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A line for each pair. In one scene, the smaller row comes first.
    Pairs,
    /// A line for each pair of two scenes, and for each object of the first one without a partner.
    LeftJoin,
    /// A line for each object of the first scene without a partner.
    AntiJoin,
    /// Two lines for each pair in one scene, one for each direction, with the distance.
    Neighbors,
}

/// Writes the lines of a search.
pub(super) struct Writer<'a, S: Number, const D: usize> {
    pub(super) search: &'a Search<S, D>,
    pub(super) kind: Kind,
    /// An empty list of lines.
    pub(super) lines: &'a Lines<'a>,
}

impl<S: Number, const D: usize> Writer<'_, S, D> {
    /// Writes the lines of all pairs in canonical order.
    pub(super) fn write(&self, found: &Found, out: &mut dyn Write) -> io::Result<()> {
        let &Self { search, kind, lines } = self;
        match &found.list {
            _ if kind == Kind::AntiJoin => {
                pieces::write(search.rows(), lines, out, &|row, lines, _| {
                    if !found.paired[row as usize] {
                        lines.push_one(row);
                    }
                })
            }
            Some(list) => self.write_list(list, out),
            None => pieces::write(search.rows(), lines, out, &|row, lines, partners| {
                search.partners(row, partners);
                if kind == Kind::Pairs && search.theirs.is_none() {
                    partners.retain(|&other| other > row);
                }
                self.push(row, partners.iter().copied(), lines);
            }),
        }
    }

    /// Writes the lines of all pairs, given the whole list, in pieces of successive rows.
    fn write_list(&self, list: &[[u32; 2]], out: &mut dyn Write) -> io::Result<()> {
        let rows = self.search.rows();
        let size = (PIECE * rows / list.len().max(1)).clamp(1, PIECE);
        pieces::write(rows.div_ceil(size), self.lines, out, &|piece, lines, _| {
            let first = piece as usize * size;
            let end = rows.min(first + size) as u32;
            let mut list = &list[list.partition_point(|pair| (pair[0] as usize) < first)..];
            let mut next = first as u32;
            loop {
                let row = match list {
                    _ if self.kind == Kind::LeftJoin => next,
                    [[row, _], ..] => *row,
                    [] => return,
                };
                if row >= end {
                    return;
                }
                let count = list.iter().take_while(|pair| pair[0] == row).count();
                let (pairs, rest) = list.split_at(count);
                self.push(row, pairs.iter().map(|pair| pair[1]), lines);
                (list, next) = (rest, row + 1);
            }
        })
    }

    fn push(&self, row: u32, partners: impl Iterator<Item = u32>, lines: &mut Lines<'_>) {
        lines.begin(row);
        let mut alone = true;
        for other in partners {
            alone = false;
            if self.kind == Kind::Neighbors {
                lines.push_with(other, "distance", self.search.distance([row, other]));
            } else {
                lines.push(other);
            }
        }
        if alone && self.kind == Kind::LeftJoin {
            lines.push_none();
        }
    }
}

#[cfg(test)]
mod tests {
    use hexphase::{Aabb, Algorithm, Backend};

    use super::super::Setup;
    use super::*;
    use crate::lines::Format;
    use crate::scene::{Ids, InputArgs, Objects};

    /// Returns discs in a square with a side of 64.
    fn discs(count: u64, seed: u64) -> Objects<f32, 2> {
        let at = |n: u64| ((n * 2_654_435_761 + seed) >> 7) as f32 % 64.0;
        let disc = |n: u64| Aabb::of_ball([at(3 * n), at(3 * n + 1)], at(3 * n + 2) / 32.0);
        Objects { bounds: (0..count).map(disc).collect(), ids: Ids::Rows, are_discs: true }
    }

    #[test]
    fn pieces_have_the_lines_of_the_list() {
        let input = InputArgs::default().input(&["a.csv".into()]).expect("a file");
        for (algorithm, side) in [
            (Algorithm::Hshg, 0.0),
            (Algorithm::Hshg, 64.0),
            (Algorithm::Brute, 0.0),
            (Algorithm::Hash, 0.0),
            (Algorithm::Morton, 64.0),
        ] {
            for (kind, two) in [
                (Kind::Pairs, false),
                (Kind::Pairs, true),
                (Kind::LeftJoin, true),
                (Kind::Neighbors, false),
            ] {
                let theirs = two.then(|| discs(300, 5));
                let setup = Setup { algorithm, sides: [side; 2], backend: Backend::detect() };
                let search = Search::new(discs(400, 0), theirs, setup, Some(1.0), &input);
                let mut search = search.expect("memory");
                let found = search.find(kind == Kind::Neighbors).expect("memory");
                search.build().expect("memory");
                let pieces = Found { pairs: found.pairs, ..Found::default() };
                assert!(found.list.is_some() && found.pairs > 100, "{}", found.pairs);
                let [from_list, from_pieces] = [found, pieces].map(|found| {
                    let mut out = Vec::new();
                    let lines = Lines::new([&Ids::Rows; 2], Format::Csv);
                    let writer = Writer { search: &search, kind, lines: &lines };
                    writer.write(&found, &mut out).expect("memory");
                    String::from_utf8(out).expect("text")
                });
                assert!(from_list == from_pieces, "{algorithm} {kind:?} {two} {side}");
            }
        }
    }
}
