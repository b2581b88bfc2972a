//! Sets of numbers, written as ranges: `0-3,17`.

use core::fmt;
use core::str::FromStr;

/// A set of numbers, for example the operations of a schedule that are kept.
///
/// ```
/// use hexphase_sim::Ranges;
///
/// let kept: Ranges = "0-2,17".parse()?;
/// assert!(kept.contains(1) && !kept.contains(3));
/// assert_eq!(Ranges::from_iter([17, 0, 1, 2]).to_string(), "0-2,17");
/// # Ok::<(), String>(())
/// ```
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
}

impl FromIterator<u32> for Ranges {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut numbers: Vec<u32> = numbers.into_iter().collect();
        numbers.sort_unstable();
        let mut ranges: Vec<[u32; 2]> = Vec::new();
        for number in numbers {
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
        for (index, [first, last]) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            if first == last {
                write!(f, "{comma}{first}")?;
            } else {
                write!(f, "{comma}{first}-{last}")?;
            }
        }
        Ok(())
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
