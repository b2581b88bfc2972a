//! Pictures as text, pixels and files.

use hexphase_draw::{Align, Color, Error, Paint, Picture, Raster, TextSize};

/// Returns a picture with one shape of each kind.
fn all_shapes() -> Picture {
    let mut picture = Picture::new([120, 90]);
    let translucent = Paint::fill(Color::BLUE.with_alpha(50)).and_border(Color::BLUE, 1.5);
    picture.rectangle([10.0, 10.0], [40.0, 30.0], translucent);
    picture.rectangle([30.25, 20.0], [60.0, 50.0], translucent);
    picture.disc([80.0, 30.0], 12.0, Paint::fill(Color::ORANGE));
    picture.hexagon([100.0, 60.0], 12.0, 0.3, Paint::border(Color::INK, 2.0));
    picture.line([[5.0, 85.0], [115.0, 80.0]], Color::GRAY, 1.0);
    let squares = [Some(Color::GREEN), Some(Color::GREEN), None, Some(Color::PURPLE)].to_vec();
    picture.raster(Raster { corner: [4, 60], side: 6, columns: 2, squares });
    picture.text([60.0, 62.0], "<é→>", TextSize::Small, Align::Middle, Color::INK);
    picture
}

#[test]
fn svg_has_one_element_for_each_shape() {
    let svg = all_shapes().to_svg();
    let expected = "\
<g fill=\"#0072b2\" fill-opacity=\"0.2\" stroke=\"#0072b2\" stroke-width=\"1.5\">
<rect x=\"10\" y=\"10\" width=\"30\" height=\"20\"/>
<rect x=\"30.25\" y=\"20\" width=\"29.75\" height=\"30\"/>
</g>
<g fill=\"#e69f00\">
<circle cx=\"80\" cy=\"30\" r=\"12\"/>
</g>
";
    assert!(svg.contains(expected), "{svg}");
    assert!(svg.contains("<path fill=\"#009e73\" d=\"m4 60h12v6h-12z\"/>"), "{svg}");
    assert!(svg.contains("<path fill=\"#cc79a7\" d=\"m10 66h6v6h-6z\"/>"), "{svg}");
    assert!(svg.contains(" text-anchor=\"middle\" fill=\"#222222\">&lt;é→&gt;</text>"), "{svg}");
    assert_eq!(svg, all_shapes().to_svg());
}

/// Draws a picture as a PNG file, and returns its pixels by row and column.
fn pixels(picture: &Picture) -> Vec<Vec<[u8; 3]>> {
    let file = picture.to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!([frame.width, frame.height], picture.size());
    let colors = bytes.as_chunks().0;
    colors.chunks(frame.width as usize).map(<[_]>::to_vec).collect()
}

#[test]
fn pixels_have_the_colors_of_the_shapes() {
    let pixels = pixels(&all_shapes());
    let at = |[x, y]: [usize; 2]| pixels[y][x];
    let blue =
        |alpha: f32| [0, 0x72, 0xb2].map(|x: u8| (255.0 + (f32::from(x) - 255.0) * alpha).round());
    let close = |found: [u8; 3], expected: [f32; 3]| {
        found.iter().zip(expected).all(|(&a, b)| (f32::from(a) - b).abs() <= 2.0)
    };
    let alpha = 50.0 / 255.0;
    assert!(close(at([20, 20]), blue(alpha)));
    assert!(close(at([35, 25]), blue(1.0 - (1.0 - alpha).powi(2))), "both boxes");
    assert_eq!(at([80, 30]), [0xe6, 0x9f, 0]);
    assert_eq!(at([100, 60]), [255; 3], "the hexagon has no area");
    assert_eq!(
        [[4, 60], [15, 65], [4, 66], [10, 71]].map(at),
        [[0, 0x9e, 0x73], [0, 0x9e, 0x73], [255; 3], [0xcc, 0x79, 0xa7]]
    );
}

#[test]
fn shapes_far_outside_and_numbers_that_are_not_finite_are_drawn() {
    let mut picture = Picture::new([60, 60]);
    let paint = Paint::fill(Color::SKY).and_border(Color::INK, 1.0);
    picture.rectangle([-1e30, 20.0], [1e30, 40.0], paint);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
        picture.rectangle([x, 0.0], [x, x], paint);
        picture.disc([x, 1.0], 5.0, paint);
        picture.disc([-900.0, 1.0], x, Paint::border(Color::INK, 0.0));
        picture.polygon(&[[x, x], [-5.0, x], [-9.0, -9.0]], paint);
        picture.line([[x, 0.0], [x, 9.0]], Color::INK, 1.0);
        picture.text([x, x], "text", TextSize::Small, Align::Start, Color::INK);
    }
    picture.polygon(&[[1.0, 1.0], [2.0, 2.0]], paint);
    picture.disc([30.0, 30.0], 0.0, paint);
    assert_eq!(pixels(&picture)[24][50], [0x56, 0xb4, 0xe9]);
    let svg = picture.to_svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn impossible_pictures_are_errors() {
    let error = Picture::new([5, 0]).to_png().unwrap_err();
    assert_eq!(error, Error::Size([5, 0]));
    assert_eq!(error.to_string(), "a picture of 5 x 0 pixels cannot be drawn");
}
