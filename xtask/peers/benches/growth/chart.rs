//! Draws the chart: time per object over the number of objects, both axes logarithmic.

use core::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// The measurements of one subject.
pub(super) struct Line {
    pub(super) name: &'static str,
    /// Numbers of objects, and nanoseconds per object.
    pub(super) points: Vec<(f64, f64)>,
}

const COLORS: [RGBColor; 2] = [RGBColor(31, 119, 180), RGBColor(214, 39, 40)];

/// Writes all non-empty lines to an SVG file.
pub(super) fn draw(file: &Path, lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let points = || lines.iter().flat_map(|line| &line.points);
    let span = |of: fn(&(f64, f64)) -> f64| {
        let all = points().map(of);
        (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max))
    };
    let (objects, times) = (span(|point| point.0), span(|point| point.1));
    // The time axis begins and ends at powers of ten; the object axis has a margin at both ends.
    let floor = |x: f64| 10f64.powf(x.log10().floor());
    let times = floor(times.0)..10.0 * floor(times.1);
    let objects = objects.0 / 1.3..objects.1 * 1.3;

    let area = SVGBackend::new(file, (900, 600)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(20)
        .x_label_area_size(50)
        .y_label_area_size(70)
        .caption("one tick of equal discs", ("sans-serif", 22))
        .build_cartesian_2d(objects.log_scale(), times.log_scale())?;
    chart
        .configure_mesh()
        .x_desc("objects")
        .y_desc("ns per object")
        .x_label_formatter(&|n| short(*n))
        .y_label_formatter(&|ns| short(*ns))
        .draw()?;
    for (line, color) in lines.iter().zip(COLORS).filter(|(line, _)| !line.points.is_empty()) {
        chart
            .draw_series([PathElement::new(line.points.clone(), color.stroke_width(2))])?
            .label(line.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(2)));
        let dot = |&point: &(f64, f64)| Circle::new(point, 4, color.filled());
        chart.draw_series(line.points.iter().map(dot))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(BLACK)
        .background_style(WHITE)
        .draw()?;
    area.present()?;
    Ok(())
}

/// Formats a number with a suffix for thousands and millions.
fn short(number: f64) -> String {
    match number {
        1e6.. => format!("{}M", number / 1e6),
        1e3.. => format!("{}k", number / 1e3),
        _ => format!("{number}"),
    }
}
