//! Classes of objects, with their colors and their texts in the legend.

use hexphase_draw::{Color, label};

use super::found::Found;
use super::{ColorBy, count};

/// A class: objects that are drawn in one color.
pub(super) struct Class {
    pub(super) text: String,
    /// The color of the borders and areas of boxes, and of squares.
    pub(super) color: Color,
    pub(super) strong: bool,
}

/// All classes in the order in which they are drawn, and for each object the index of its class.
pub(super) struct Classes {
    pub(super) all: Vec<Class>,
    pub(super) of_objects: Vec<u8>,
}

/// Maximum number of classes of sizes; more colors are hard to distinguish.
const MAX_SIZES: usize = 6;

pub(super) fn classes(found: &Found, by: ColorBy) -> Classes {
    match by {
        ColorBy::Pairs => by_pairs(found),
        ColorBy::Size => by_size(found),
        ColorBy::Level => by_level(found),
    }
}

fn by_pairs(found: &Found) -> Classes {
    let of_objects: Vec<u8> = found.overlaps.iter().copied().map(u8::from).collect();
    let overlapping = of_objects.iter().filter(|&&class| class == 1).count() as u64;
    let alone = of_objects.len() as u64 - overlapping;
    let verb = |number: u64| if number == 1 { "overlaps" } else { "overlap" };
    let class = |number: u64, others: &str, color: Color, strong: bool| Class {
        text: format!("{} {} {others}", count(number, "object"), verb(number)),
        color,
        strong,
    };
    let all = vec![
        class(alone, "no other", Color::BLUE, false),
        class(overlapping, "another", Color::VERMILLION, true),
    ];
    Classes { all, of_objects }
}

/// Returns classes of sizes. Their limits are powers of two, as many powers apart as are needed for
/// at most [`MAX_SIZES`] classes. Large objects are drawn first.
fn by_size(found: &Found) -> Classes {
    // The biased binary exponent of a float; 0 for the size 0.
    let exponents: Vec<usize> =
        found.boxes.iter().map(|flat| (flat.side.to_bits() >> 52) as usize).collect();
    let (low, high) = exponents
        .iter()
        .fold((usize::MAX, 0), |(low, high), &exponent| (low.min(exponent), high.max(exponent)));
    let span = (high + 1).saturating_sub(low);
    let bands = span.min(MAX_SIZES);
    // Large objects have classes with low indices.
    let band = |exponent: usize| bands - 1 - (exponent - low) * bands / span;
    let of_objects: Vec<u8> = exponents.iter().map(|&exponent| band(exponent) as u8).collect();
    let mut sides = vec![[f64::INFINITY, 0.0f64]; bands];
    let mut objects = vec![0; bands];
    for (&class, flat) in of_objects.iter().zip(&found.boxes) {
        let [min, max] = &mut sides[usize::from(class)];
        (*min, *max) = (min.min(flat.side), max.max(flat.side));
        objects[usize::from(class)] += 1;
    }
    // Classes without objects are left out.
    let used: Vec<usize> = (0..bands).filter(|&class| objects[class] > 0).collect();
    let all = used.iter().map(|&class| {
        let [min, max] = sides[class].map(label);
        let range = if min == max { max } else { format!("{min} to {max}") };
        let at = if bands == 1 { 0.5 } else { 1.0 - class as f64 / (bands - 1) as f64 };
        Class {
            text: format!("sides {range}: {}", count(objects[class], "object")),
            color: Color::on_scale(at),
            strong: false,
        }
    });
    let all = all.collect();
    let number = |class: u8| used.partition_point(|&used| used < usize::from(class)) as u8;
    Classes { all, of_objects: of_objects.into_iter().map(number).collect() }
}

/// Returns a class for each level of the grid. Large objects are drawn first.
fn by_level(found: &Found) -> Classes {
    let levels = &found.levels;
    let last = levels.len().saturating_sub(1);
    let of_objects = found.boxes.iter().map(|flat| {
        let level = levels.iter().position(|level| flat.side <= level.cell).unwrap_or(last);
        (last - level) as u8
    });
    let of_objects = of_objects.collect();
    let all = levels.iter().enumerate().rev().map(|(index, level)| Class {
        text: format!(
            "level {}, cells of {}: {}",
            level.level,
            label(level.cell),
            count(level.objects as u64, "object")
        ),
        color: level_color(index, levels.len()),
        strong: false,
    });
    Classes { all: all.collect(), of_objects }
}

pub(super) fn level_color(index: usize, levels: usize) -> Color {
    match Color::CLASSES.get(index) {
        Some(&color) if levels <= Color::CLASSES.len() => color,
        _ => Color::on_scale(index as f64 / (levels - 1).max(1) as f64),
    }
}
