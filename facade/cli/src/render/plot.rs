//! Draws the objects of a scene as boxes or discs, or as squares of a raster if there are many.

use hexphase_draw::{Color, Density, Mark, Paint, Picture, Raster, TextSize, View, grouped};

use super::ColorBy;
use super::classes::{Class, Classes};
use super::found::Found;

/// The side of the squares of a raster in pixels.
const SQUARE: u32 = 4;
/// With more objects than one for this number of pixels, objects are drawn as squares of a raster.
const PIXELS_PER_OBJECT: f32 = 64.0;
/// Minimum side of a drawn box or disc in pixels; smaller ones are enlarged.
const MIN_SIDE: f32 = 2.0;
/// Minimum side in pixels of a box or disc with a border, which would cover smaller neighbors.
const MIN_BORDERED: f32 = 6.0;
/// Maximum number of objects with labels.
const MAX_LABELS: usize = 100;
/// Maximum number of shades of a color.
const MAX_SHADES: u32 = 6;

/// The rectangle for objects in a picture: its upper left and lower right corner, in whole pixels.
pub(super) type Area = [[u32; 2]; 2];

pub(super) type Entries = Vec<(Mark, String)>;

pub(super) fn is_dense(objects: usize, [min, max]: Area) -> bool {
    let pixels = (max[0] - min[0]) as f32 * (max[1] - min[1]) as f32;
    objects as f32 * PIXELS_PER_OBJECT > pixels
}

/// Draws boxes or discs by class, large ones first. Returns the entries of the legend.
pub(super) fn outlines(
    picture: &mut Picture,
    view: &View,
    found: &Found,
    classes: &Classes,
    size: TextSize,
) -> Entries {
    let mut order: Vec<usize> = (0..found.boxes.len()).collect();
    order.sort_by(|&a, &b| {
        let side = |object: usize| found.boxes[object].side;
        let by_class = classes.of_objects[a].cmp(&classes.of_objects[b]);
        by_class.then(side(b).total_cmp(&side(a))).then(a.cmp(&b))
    });
    for &object in &order {
        let flat = &found.boxes[object];
        let [min, max] = visible(view.rectangle(flat.min, flat.max));
        let class = &classes.all[usize::from(classes.of_objects[object])];
        let side = (max[0] - min[0]).max(max[1] - min[1]);
        let small = Paint::fill(class.color.with_alpha(if class.strong { 150 } else { 200 }));
        let paint = if side < MIN_BORDERED { small } else { paint(class) };
        match found.are_discs {
            true => picture.disc(center(min, max), side / 2.0, paint),
            false => picture.rectangle(min, max, paint),
        }
    }
    if found.boxes.len() <= MAX_LABELS {
        labels(picture, view, found, size);
    }
    let mark = if found.are_discs { Mark::Disc } else { Mark::Area };
    classes.all.iter().map(|class| (mark(paint(class)), class.text.clone())).collect()
}

fn center(min: [f32; 2], max: [f32; 2]) -> [f32; 2] {
    [0, 1].map(|axis| f32::midpoint(min[axis], max[axis]))
}

/// Enlarges a box to [`MIN_SIDE`] on each axis.
fn visible([min, max]: [[f32; 2]; 2]) -> [[f32; 2]; 2] {
    let grow = [0, 1].map(|axis| ((MIN_SIDE - (max[axis] - min[axis])) / 2.0).max(0.0));
    [[min[0] - grow[0], min[1] - grow[1]], [max[0] + grow[0], max[1] + grow[1]]]
}

fn paint(class: &Class) -> Paint {
    let (alpha, width) = if class.strong { (70, 1.5) } else { (40, 1.0) };
    Paint::fill(class.color.with_alpha(alpha)).and_border(class.color, width)
}

/// Writes the ids of objects into the upper left corners of boxes, or into the centers of discs. A
/// label is left out if it does not fit into its object or would cover another label.
fn labels(picture: &mut Picture, view: &View, found: &Found, size: TextSize) {
    const MARGIN: f32 = 3.0;
    let mut covered: Vec<[[f32; 2]; 2]> = Vec::new();
    for (object, flat) in found.boxes.iter().enumerate() {
        let [min, max] = view.rectangle(flat.min, flat.max);
        let text = found.id(object);
        let sides = [size.width(&text), size.line_height()];
        let (at, fits) = match (found.are_discs, center(min, max)) {
            (true, [x, y]) => {
                let at = [x - sides[0] / 2.0, y - sides[1] / 2.0];
                (at, sides[0].hypot(sides[1]) <= max[0] - min[0])
            }
            (false, _) => {
                let at = [min[0] + MARGIN, min[1] + 1.0];
                (at, (0..2).all(|axis| at[axis] + sides[axis] <= max[axis]))
            }
        };
        let end = [at[0] + sides[0], at[1] + sides[1]];
        let is_free = covered.iter().all(|[other, other_end]| {
            (0..2).any(|axis| other[axis] > end[axis] || at[axis] > other_end[axis])
        });
        if fits && is_free {
            picture.text(at, &text, size, hexphase_draw::Align::Start, Color::INK);
            covered.push([at, end]);
        }
    }
}

/// Draws squares of a raster. Each has the color of the class to which most of the objects that
/// touch it belong. If objects are colored by overlap, squares that more objects touch are darker.
pub(super) fn squares(
    picture: &mut Picture,
    view: &View,
    area: Area,
    found: &Found,
    classes: &Classes,
    by: ColorBy,
) -> Entries {
    let [min, max] = area;
    let squares = [0, 1].map(|axis| (max[axis] - min[axis]).div_ceil(SQUARE) as usize);
    let mut densities = vec![Density::new(min, squares, SQUARE); classes.all.len()];
    for (flat, &class) in found.boxes.iter().zip(&classes.of_objects) {
        let [min, max] = view.rectangle(flat.min, flat.max);
        densities[usize::from(class)].add(min, max);
    }
    let counts: Vec<Vec<u32>> = densities.iter().map(Density::counts).collect();
    let totals: Vec<u32> = (0..squares[0] * squares[1])
        .map(|square| counts.iter().map(|counts| counts[square]).sum())
        .collect();
    let (most, limit) = usual(&totals);
    let ramps: Vec<Vec<Color>> = classes
        .all
        .iter()
        .map(
            |class| {
                if by == ColorBy::Pairs { shades(class.color, limit) } else { vec![class.color] }
            },
        )
        .collect();
    let colors = totals.iter().enumerate().map(|(square, &total)| {
        // If counts are equal, choose the last class.
        let class = (0..counts.len()).max_by_key(|&class| counts[class][square])?;
        let ramp = &ramps[class];
        (total > 0).then(|| ramp[shade(total, limit, ramp.len())])
    });
    picture.raster(Raster {
        corner: min,
        side: SQUARE,
        columns: squares[0],
        squares: colors.collect(),
    });
    let entries = classes.all.iter().zip(ramps);
    let mut entries: Entries =
        entries.map(|(class, ramp)| (Mark::Scale(ramp), class.text.clone())).collect();
    let note = match by {
        ColorBy::Pairs => format!(
            "pale squares touch 1 object, dark ones {}{}",
            grouped(limit.into()),
            if most > limit { " or more" } else { "" },
        ),
        _ => "squares have the color of most objects that touch them".into(),
    };
    entries.push((Mark::None, note));
    entries
}

/// Returns the largest count of all squares, and the count that one of 100 squares exceeds.
fn usual(totals: &[u32]) -> (u32, u32) {
    let mut totals: Vec<u32> = totals.iter().copied().filter(|&total| total > 0).collect();
    totals.sort_unstable();
    let most = totals.last().copied().unwrap_or(0);
    let outliers = totals.len() / 100;
    (most, totals.iter().rev().nth(outliers).copied().unwrap_or(most))
}

/// Returns shades of a color for counts up to `most`, from pale to dark.
fn shades(color: Color, most: u32) -> Vec<Color> {
    let steps = (most.max(1).ilog2() + 1).min(MAX_SHADES);
    let pale = Color::between(&[color, Color::WHITE], 0.6);
    let dark = Color::between(&[color, Color::rgb(0)], 0.5);
    let at = |step: u32| f64::from(step) / f64::from((steps - 1).max(1));
    (0..steps).map(|step| Color::between(&[pale, color, dark], at(step))).collect()
}

/// Returns the shade of a count. The scale is logarithmic: equal factors are equal steps.
fn shade(total: u32, most: u32, shades: usize) -> usize {
    let [total, most] = [total.min(most), most].map(|count| count.max(1).ilog2() as usize);
    (total * shades / (most + 1)).min(shades - 1)
}
