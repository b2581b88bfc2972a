//! The layout of a picture: title, facts, objects, extent, scale and legend, from top to bottom.

use hexphase::LevelStats;
use hexphase_draw::{Align, Color, Mark, Paint, Picture, TextSize, View, label};

use super::classes::{classes, level_color};
use super::found::Found;
use super::plot::{self, Area, Entries};
use super::{ColorBy, count};

/// Width of the empty border of the picture, in pixels.
const MARGIN: u32 = 10;
/// Distance between the objects and the frame around them, in pixels.
const PADDING: f32 = 8.0;
/// Minimum side of a cell in pixels; smaller cells are not drawn.
const MIN_CELL: f32 = 8.0;
/// Minimum side of a cell in pixels if objects are drawn as squares of a raster.
const MIN_CELL_OVER_SQUARES: f32 = 30.0;

pub(super) struct Request<'a> {
    pub(super) title: String,
    pub(super) width: u32,
    pub(super) color_by: ColorBy,
    pub(super) cells: bool,
    pub(super) found: &'a Found,
}

pub(super) struct Drawing {
    pub(super) picture: Picture,
    pub(super) dense: bool,
}

/// Draws a scene.
///
/// The height of the picture depends on the number of lines of text. So everything is drawn twice:
/// first to measure the height, then into a picture of this height.
pub(super) fn draw(request: &Request<'_>) -> Drawing {
    let size = TextSize::for_width(request.width);
    let line = size.line_height() as u32;
    let width = request.width - 2 * MARGIN;
    let letters = (width as f32 / size.letter_width()) as usize;
    let facts = wrap(&facts(request), ", ", letters);
    let top = MARGIN + line * (1 + facts.len() as u32) + MARGIN / 2;
    let extent = request.found.extent();
    let area = [[MARGIN, top], [MARGIN + width, top + plot_height(extent, width)]];
    let layout = Layout { request, size, facts, area, extent, letters };
    let (_, bottom) = layout.draw(0);
    let (drawing, _) = layout.draw(bottom);
    drawing
}

/// Returns the height of the area for objects in pixels: 0.3 to 0.85 times the width.
fn plot_height(extent: Option<[[f64; 2]; 2]>, width: u32) -> u32 {
    let [least, most] = [0.3, 0.85].map(|part| f64::from(width) * part);
    let Some([min, max]) = extent else { return least as u32 };
    let half = [0, 1].map(|axis| max[axis] / 2.0 - min[axis] / 2.0);
    let height = if half[1] == 0.0 { least } else { half[1] / half[0] * f64::from(width) };
    height.clamp(least, most) as u32
}

/// Returns the facts below the title, such as the number of objects, as short texts.
fn facts(request: &Request<'_>) -> Vec<String> {
    let found = request.found;
    let mut facts =
        vec![count(found.boxes.len() as u64, "object"), count(found.pairs, "overlapping pair")];
    let objects = match (found.are_discs, found.dimensions) {
        (true, 2) => "discs",
        (true, _) => "balls",
        (false, _) => "boxes",
    };
    if found.are_discs && found.pairs > 0 {
        facts.push(format!("pairs of the boxes around {objects}"));
    }
    if found.dimensions == 3 {
        facts.push("3 dimensions seen along z".into());
        facts.push(format!("{objects} that cross may not overlap"));
    }
    facts
}

/// Joins texts with a separator into lines of at most this number of letters.
fn wrap<T: AsRef<str>>(texts: &[T], separator: &str, letters: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for text in texts.iter().map(AsRef::as_ref) {
        match lines.last_mut() {
            Some(line) if length(line) + length(separator) + length(text) <= letters => {
                line.push_str(separator);
                line.push_str(text);
            }
            _ => lines.push(text.into()),
        }
    }
    lines
}

/// Divides notes of the legend that are too long into lines. Entries with marks stay as they are.
fn wrap_notes(entries: Entries, letters: usize) -> Entries {
    let wrapped = entries.into_iter().flat_map(|(mark, text)| {
        match mark {
            Mark::None => wrap(&text.split(' ').collect::<Vec<_>>(), " ", letters),
            _ => vec![text],
        }
        .into_iter()
        .map(move |line| (mark.clone(), line))
    });
    wrapped.collect()
}

fn shortened(text: &str, letters: usize) -> String {
    match text.char_indices().nth(letters) {
        Some(_) => text.chars().take(letters.saturating_sub(3)).chain("...".chars()).collect(),
        None => text.into(),
    }
}

/// The positions in a picture.
struct Layout<'a> {
    request: &'a Request<'a>,
    size: TextSize,
    facts: Vec<String>,
    area: Area,
    extent: Option<[[f64; 2]; 2]>,
    /// The number of letters that fit into a line.
    letters: usize,
}

impl Layout<'_> {
    /// Draws into a picture of the given height. Returns the picture and the height that it needs.
    fn draw(&self, height: u32) -> (Drawing, u32) {
        let Self { request, size, area: [min, max], .. } = *self;
        let line = size.line_height();
        let mut picture = Picture::new([request.width, height]);
        let left = MARGIN as f32;
        let mut text = |y: f32, text: &str, color: Color| {
            picture.text([left, y], &shortened(text, self.letters), size, Align::Start, color);
        };
        let mut y = MARGIN as f32;
        text(y, &request.title, Color::INK);
        for fact in &self.facts {
            y += line;
            text(y, fact, Color::GRAY);
        }
        let [corner, end] = [min, max].map(|point| point.map(|x| x as f32));
        let inner = [corner.map(|x| x + PADDING), end.map(|x| x - PADDING)];
        let Some([low, high]) = self.extent else {
            let middle = [f32::midpoint(corner[0], end[0]), f32::midpoint(corner[1], end[1])];
            let at = [middle[0], middle[1] - line / 2.0];
            picture.text(at, "no objects", size, Align::Middle, Color::GRAY);
            picture.rectangle(corner, end, Paint::border(Color::GRAY, 1.0));
            return (Drawing { picture, dense: false }, max[1] + MARGIN);
        };
        let view = View::fit(low, high, inner[0], inner[1]);
        let classes = classes(request.found, request.color_by);
        let dense = plot::is_dense(request.found.boxes.len(), self.area);
        let mut entries;
        if dense {
            let by = request.color_by;
            entries = plot::squares(&mut picture, &view, self.area, request.found, &classes, by);
            entries.extend(self.draw_cells(&mut picture, &view, dense));
        } else {
            let cells = self.draw_cells(&mut picture, &view, dense);
            entries = plot::outlines(&mut picture, &view, request.found, &classes, size);
            entries.extend(cells);
        }
        picture.rectangle(corner, end, Paint::border(Color::GRAY, 1.0));
        let mut y = end[1] + MARGIN as f32 / 2.0;
        let bar = picture.scale_bar(&view, [end[0], y], (end[0] - corner[0]) / 4.0, size);
        let extent = ["x", "y"].into_iter().zip(low.into_iter().zip(high));
        let extent: Vec<String> = extent
            .map(|(axis, (low, high))| format!("{axis} {} to {}", label(low), label(high)))
            .collect();
        let room = ((end[0] - corner[0] - bar) / size.letter_width()) as usize;
        for text in wrap(&extent, ", ", room.saturating_sub(2)) {
            picture.text([left, y], &text, size, Align::Start, Color::GRAY);
            y += line;
        }
        let entries = wrap_notes(entries, self.letters);
        y += picture.legend([left, y], end[0] - corner[0], size, &entries);
        (Drawing { picture, dense }, y as u32 + MARGIN)
    }

    /// Draws the cells that are large enough to be visible. Returns the entries of the legend.
    fn draw_cells(&self, picture: &mut Picture, view: &View, dense: bool) -> Entries {
        let request = self.request;
        if !request.cells {
            return Vec::new();
        }
        let [corner, end] = self.area.map(|point| point.map(|x| x as f32));
        let min_side = if dense { MIN_CELL_OVER_SQUARES } else { MIN_CELL };
        let levels = &request.found.levels;
        let is_small = |level: &&LevelStats| view.length(level.cell) < min_side;
        let first = levels.iter().take_while(is_small).count();
        let mut entries = Vec::new();
        let colored = request.color_by == ColorBy::Level && !dense;
        if colored && first < levels.len() {
            entries.push((Mark::None, "lines: cells with the low corners of objects".to_owned()));
        }
        // Large cells first, so that small cells are drawn over them.
        for (index, level) in levels.iter().enumerate().skip(first).rev() {
            let color = if colored { level_color(index, levels.len()) } else { Color::INK };
            let color = color.with_alpha(150);
            let width = 0.75 + 0.75 * (index - first).min(3) as f32;
            for cell in request.found.cells.iter().filter(|cell| cell.level == level.level) {
                let outline = view.rectangle(cell.min, cell.max);
                draw_cell(picture, outline, [corner, end], color, width);
            }
            if !colored {
                entries.push((Mark::Line(color, width), format!("cells of {}", label(level.cell))));
            }
        }
        if let (Some(smallest), Some(largest)) = (levels[..first].first(), levels[..first].last()) {
            let [low, high] = [smallest.cell, largest.cell].map(label);
            let sides = if first == 1 { low } else { format!("{low} to {high}") };
            entries.push((Mark::None, format!("cells of {sides} are too small to draw")));
        }
        entries
    }
}

/// Draws the part of a cell that is inside an area.
fn draw_cell(
    picture: &mut Picture,
    [min, max]: [[f32; 2]; 2],
    [corner, end]: [[f32; 2]; 2],
    color: Color,
    width: f32,
) {
    let inside = |x: f32, axis: usize| corner[axis] <= x && x <= end[axis];
    if (0..2).all(|axis| inside(min[axis], axis) && inside(max[axis], axis)) {
        return picture.rectangle(min, max, Paint::border(color, width));
    }
    for axis in 0..2 {
        let along = 1 - axis;
        let limit = |x: f32| x.clamp(corner[along], end[along]);
        let [from, to] = [limit(min[along]), limit(max[along])];
        for x in [min[axis], max[axis]] {
            if inside(x, axis) && from < to {
                let ends = if axis == 0 { [[x, from], [x, to]] } else { [[from, x], [to, x]] };
                picture.line(ends, color, width);
            }
        }
    }
}
