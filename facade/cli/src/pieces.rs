//! Writes the lines of all objects in order without storing all lines.
//!
//! 1. Take the next objects in ascending order, an equal number for each thread.
//! 2. On each thread, query the partners of each of its objects and append their lines to the
//!    thread's own buffer. Stop early if the buffer is full.
//! 3. Output the buffers in order, up to and including that of the first thread that stopped early.
//!    Continue with the first object that this thread did not process; the work of later threads is
//!    discarded.
//!
//! To discard little work, the number of objects in step 1 doubles while the buffers stay small,
//! and halves if a buffer was full. Each thread needs memory only for a buffer and for the partners
//! of one object. One search for all pairs would be faster, but would have to store all pairs.

use core::ops::Range;
use std::io::{self, Write};

use broadphase_core::tasks;

use crate::lines::Lines;
use crate::progress::Progress;

/// Size in bytes at which a buffer of lines is full.
const FULL: usize = 1 << 20;
/// Initial number of objects for each thread.
const INITIAL_OBJECTS: usize = 16;

/// A range of objects and the buffer of their lines.
struct Piece<'a> {
    /// Indices of the objects that are not yet processed.
    range: Range<usize>,
    lines: Lines<'a>,
    partners: Vec<u32>,
}

/// Appends the lines of an object, given by its index. The vector is a scratch buffer.
pub(crate) type Fill<'a> = dyn Fn(u32, &mut Lines<'_>, &mut Vec<u32>) + Sync + 'a;

/// Writes the lines of the objects from 0 to `objects - 1`. `lines` must be empty.
pub(crate) fn write(
    objects: usize,
    lines: &Lines<'_>,
    out: &mut dyn Write,
    fill: &Fill<'_>,
) -> io::Result<()> {
    let piece = || Piece { range: 0..0, lines: lines.clone(), partners: Vec::new() };
    let mut pieces: Vec<_> = (0..tasks::threads()).map(|_| piece()).collect();
    let (mut next, mut size) = (0, INITIAL_OBJECTS);
    let mut progress = Progress::steps("writing", objects as u64);
    while next < objects {
        for (begin, piece) in (next..).step_by(size).zip(&mut pieces) {
            let [begin, end] = [begin, begin + size].map(|index| index.min(objects));
            piece.range = begin..end;
        }
        tasks::each(&mut pieces, |Piece { range, lines, partners }| {
            lines.clear();
            while lines.text().len() < FULL
                && let Some(object) = range.next()
            {
                fill(object as u32, lines, partners);
            }
        });
        let mut most = 0;
        let mut stopped = false;
        for Piece { range, lines, .. } in &pieces {
            out.write_all(lines.text())?;
            (next, stopped) = (range.start, !range.is_empty());
            most = most.max(lines.text().len());
            if stopped {
                break;
            }
        }
        progress.set(next as u64);
        if stopped {
            size = (size / 2).max(1);
        } else if most < FULL / 2 {
            size *= 2;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Format;
    use crate::scene::Ids;

    /// Objects have few lines, then many, then one object has more lines than fit into a buffer.
    #[test]
    fn all_lines_are_written_in_order() {
        let count = |object: u32| match object {
            0..5000 => object % 3,
            5000..7000 => 100,
            7000 => 200_000,
            _ => 1,
        };
        let ids = Ids::Numbers((0..220_000).map(|index| 3 * index).collect());
        let mut expected = String::new();
        for object in 0..12_000 {
            for other in object..object + count(object) {
                expected += &format!("{},{}\n", 3 * object, 3 * other);
            }
        }
        assert!(expected.len() > 3 * FULL, "{}", expected.len());
        let (lines, mut out) = (Lines::new([&ids; 2], Format::Csv), Vec::new());
        let fill = |object: u32, lines: &mut Lines<'_>, _: &mut Vec<u32>| {
            lines.begin(object);
            (object..object + count(object)).for_each(|other| lines.push(other));
        };
        write(12_000, &lines, &mut out, &fill).expect("a list accepts all bytes");
        assert!(out == expected.as_bytes(), "{} bytes, expected {}", out.len(), expected.len());
    }
}
