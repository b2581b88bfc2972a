//! The report of `hexphase info`, as text or JSON.

use core::fmt;

use super::sizes::Sizes;
use crate::error::Count;
use crate::json;

/// The length of the longest bar of the histogram, in characters.
const BAR: usize = 40;

pub(super) struct Report {
    pub(super) objects: usize,
    pub(super) dimensions: usize,
    pub(super) are_discs: bool,
    /// Displays a number with as many digits as the scalar type of the scene needs.
    pub(super) number: fn(f64) -> String,
    /// The minimum of all boxes on each axis; empty for a scene without objects.
    pub(super) min: Vec<f64>,
    /// The maximum of all boxes on each axis; empty for a scene without objects.
    pub(super) max: Vec<f64>,
    /// The sum of the areas or volumes of all boxes.
    pub(super) content: f64,
    pub(super) sizes: Sizes,
    pub(super) sample: Sample,
    pub(super) structure: String,
    pub(super) reason: String,
    pub(super) bytes: usize,
}

/// The number of pairs, estimated from a sample of the objects.
pub(super) struct Sample {
    pub(super) objects: usize,
    pub(super) pairs: f64,
    /// The standard error of the expected number of pairs; 0 if all objects are in the sample.
    pub(super) error: f64,
}

impl Sample {
    /// Computes the estimate from the numbers of partners of the objects in the sample.
    pub(super) fn new(partners: Vec<f64>, objects: usize) -> Self {
        let count = partners.len();
        let mean = partners.iter().sum::<f64>() / count.max(1) as f64;
        let squares: f64 = partners.iter().map(|x| (x - mean) * (x - mean)).sum();
        let variance = squares / count.saturating_sub(1).max(1) as f64;
        let rest = 1.0 - count as f64 / objects.max(1) as f64;
        let half = 0.5 * objects as f64;
        Self {
            objects: count,
            pairs: half * mean,
            error: half * (variance * rest / count.max(1) as f64).sqrt(),
        }
    }
}

impl Report {
    /// Returns the mean number of objects at a point of the extent; `None` if the extent is empty.
    fn density(&self) -> Option<f64> {
        let sides = self.min.iter().zip(&self.max).map(|(min, max)| max - min);
        let extent: f64 = sides.product();
        let density = self.content / extent;
        (self.objects > 0 && density.is_finite()).then_some(density)
    }

    const fn shape(&self) -> &'static str {
        match (self.are_discs, self.dimensions) {
            (true, 2) => "discs",
            (true, _) => "balls",
            _ => "boxes",
        }
    }

    pub(super) fn json(&self) -> String {
        let mut sizes = json::Object::new();
        for (percent, size) in self.sizes.quantiles() {
            sizes = sizes.field(&format!("p{percent}"), (self.number)(size));
        }
        let classes = self.sizes.classes().into_iter().map(|class| {
            let object = json::Object::new().field("from", class.from).field("to", class.to);
            object.field("count", class.count).line()
        });
        let density = self.density().map_or_else(|| "null".into(), |density| density.to_string());
        json::Object::new()
            .field("objects", self.objects)
            .field("dimensions", self.dimensions)
            .text("shape", self.shape())
            .list("min", self.min.iter().map(|&x| (self.number)(x)))
            .list("max", self.max.iter().map(|&x| (self.number)(x)))
            .field("sizes", sizes.line())
            .list("histogram", classes)
            .field("density", density)
            .field("pairs", self.sample.pairs)
            .field("pairs_error", self.sample.error)
            .field("sample", self.sample.objects)
            .text("structure", &self.structure)
            .text("reason", &self.reason)
            .field("bytes", self.bytes)
            .line()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { objects, dimensions, sample, .. } = self;
        writeln!(f, "objects    {objects} {}, {dimensions} dimensions", self.shape())?;
        for (axis, (min, max)) in self.min.iter().zip(&self.max).enumerate() {
            let title = if axis == 0 { "extent" } else { "" };
            let [min, max] = [*min, *max].map(self.number);
            writeln!(f, "{title:<10} {} from {min} to {max}", ["x", "y", "z"][axis])?;
        }
        let quantiles: Vec<_> = self.sizes.quantiles().collect();
        if let [(_, least), middle @ .., (_, most)] = &quantiles[..] {
            writeln!(f, "sizes      longest side from {} to {}", short(*least), short(*most))?;
            let middle: Vec<_> = middle
                .iter()
                .map(|(percent, size)| match percent {
                    50 => format!("median {}", short(*size)),
                    _ => format!("{percent} % {}", short(*size)),
                })
                .collect();
            writeln!(f, "           {}", middle.join(", "))?;
        }
        let classes = self.sizes.classes();
        let most = classes.iter().map(|class| class.count).max().unwrap_or(1).max(1);
        let digits = most.to_string().len();
        let labels = classes.iter().map(|class| match class.to {
            to if to > 0.0 => format!("{} to {}", short(class.from), short(to)),
            _ => "0".into(),
        });
        let labels: Vec<String> = labels.collect();
        let width = labels.iter().map(String::len).max().unwrap_or(0);
        for (class, label) in classes.iter().zip(&labels) {
            // A class with objects has a bar of at least one character.
            let bar = "#".repeat((class.count * BAR).div_ceil(most));
            let line = format!("           {label:<width$} {:>digits$} {bar}", class.count);
            writeln!(f, "{}", line.trim_end())?;
        }
        if let Some(density) = self.density() {
            let density = short(density);
            writeln!(f, "density    {density} objects at a point of the extent, on average")?;
        }
        let (pairs, error) = (sample.pairs, sample.error);
        let each = short(2.0 * pairs / (*objects).max(1) as f64);
        if sample.objects == *objects {
            let pairs = Count(pairs as u64, "pair");
            writeln!(f, "pairs      {pairs}; {each} partners for each object")?;
        } else {
            writeln!(
                f,
                "pairs      about {pairs:.0}, standard error {error:.0}, from a sample of {}; \
                 {each} partners\n           for each object",
                sample.objects
            )?;
        }
        writeln!(f, "structure  {} {}", self.structure, self.reason)?;
        writeln!(f, "memory     {} MB for objects and structure", short(self.bytes as f64 / 1e6))
    }
}

/// Returns a number with at most four significant digits.
fn short(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    match rounded.abs() {
        size if size == 0.0 || (1e-4..1e7).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        let texts = [0.0, 0.012_345, 123.456, 1e6, 123_456_789.0, 1e-9].map(short);
        assert_eq!(texts, ["0", "0.01235", "123.5", "1000000", "1.235e8", "1e-9"]);
    }

    #[test]
    fn estimates_have_an_error_unless_all_objects_are_counted() {
        let all = Sample::new(vec![1.0, 1.0, 0.0, 2.0], 4);
        assert_eq!((all.pairs, all.error), (2.0, 0.0));
        let some = Sample::new(vec![1.0, 3.0], 100);
        assert_eq!(some.pairs, 100.0);
        assert!((some.error - 50.0 * (2.0f64 * 0.98 / 2.0).sqrt()).abs() < 1e-9);
        let none = Sample::new(vec![], 0);
        assert_eq!((none.pairs, none.error), (0.0, 0.0));
    }
}
