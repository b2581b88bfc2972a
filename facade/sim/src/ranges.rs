//! Sets of numbers, written as ranges: `0-3,17`.

use core::fmt;
use core::str::FromStr;

/// A set of numbers, for example the operations of a schedule that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// Inclusive ranges, ascending and not adjacent.
    ranges: Vec<[u32; 2]>,
}

impl Ranges {
    /// Returns whether the set contains a number. Takes time linear in the number of ranges.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.ranges.iter().any(|&[first, last]| first <= number && number <= last)
    }

    /// Returns the set of these numbers, which must ascend.
    pub(crate) fn of(numbers: &[u32]) -> Self {
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        for &number in numbers {
            match ranges.last_mut() {
                Some([_, last]) if number <= last.saturating_add(1) => *last = number,
                _ => ranges.push([number; 2]),
            }
        }
        Self { ranges }
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ranges.is_empty() {
            return f.write_str("none");
        }
        let text = |[first, last]: &[u32; 2]| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        f.write_str(&self.ranges.iter().map(text).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::default());
        }
        let number = |part: &str| {
            part.parse::<u32>().map_err(|_| format!("`{part}` is not a number; expected 0-3,17"))
        };
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (number(first)?, number(last)?);
            if last < first {
                return Err(format!("the range {part} descends"));
            }
            ranges.push([first, last]);
        }
        ranges.sort_unstable();
        Ok(Self { ranges })
    }
}
