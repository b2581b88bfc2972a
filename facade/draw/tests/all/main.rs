//! Pictures as text, pixels and files.

use core::time::Duration;

use hexphase_draw::{Align, Animation, Color, Error, Paint, Picture, Raster, TextSize};

const DELAY: Duration = Duration::from_millis(50);

/// Returns a picture with one shape of each kind.
fn all_shapes(shift: f32) -> Picture {
    let mut picture = Picture::new([120, 90]);
    let translucent = Paint::fill(Color::BLUE.with_alpha(50)).and_border(Color::BLUE, 1.5);
    picture.rectangle([10.0 + shift, 10.0], [40.0 + shift, 30.0], translucent);
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
    let svg = all_shapes(0.0).to_svg();
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
    assert_eq!(svg, all_shapes(0.0).to_svg());
}

#[test]
fn pixels_have_the_colors_of_the_shapes() {
    let pixels = all_shapes(0.0).to_rgb().unwrap();
    let blue =
        |alpha: f32| [0, 0x72, 0xb2].map(|x: u8| (255.0 + (f32::from(x) - 255.0) * alpha).round());
    let close = |found: [u8; 3], expected: [f32; 3]| {
        found.iter().zip(expected).all(|(&a, b)| (f32::from(a) - b).abs() <= 2.0)
    };
    let alpha = 50.0 / 255.0;
    assert!(close(pixels.pixel([20, 20]), blue(alpha)));
    assert!(close(pixels.pixel([35, 25]), blue(1.0 - (1.0 - alpha).powi(2))), "both boxes");
    assert_eq!(pixels.pixel([80, 30]), [0xe6, 0x9f, 0]);
    assert_eq!(pixels.pixel([100, 60]), [255; 3], "the hexagon has no area");
    assert_eq!(
        [[4, 60], [15, 65], [4, 66], [10, 71]].map(|at| pixels.pixel(at)),
        [[0, 0x9e, 0x73], [0, 0x9e, 0x73], [255; 3], [0xcc, 0x79, 0xa7],]
    );
    assert_eq!(pixels, all_shapes(0.0).to_rgb().unwrap());
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
        picture.text([x, x], "text", TextSize::Small, Align::End, Color::INK);
    }
    picture.polygon(&[[1.0, 1.0], [2.0, 2.0]], paint);
    picture.disc([30.0, 30.0], 0.0, paint);
    assert_eq!(picture.to_rgb().unwrap().pixel([50, 24]), [0x56, 0xb4, 0xe9]);
    let svg = picture.to_svg();
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

/// Decodes a PNG file. Returns the pixels of each picture, drawn over the earlier ones.
fn decode(file: &[u8]) -> Vec<Vec<u8>> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    // Palettes become colors.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let frames = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let (width, samples) = (reader.info().width as usize, reader.output_color_type().0.samples());
    let mut canvas = vec![0; width * reader.info().height as usize * 3];
    let mut pictures = Vec::new();
    for _ in 0..frames {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut bytes).unwrap();
        let control = reader.info().frame_control();
        let [left, top] = control
            .map_or([0, 0], |control| [control.x_offset, control.y_offset].map(|x| x as usize));
        for (index, pixel) in bytes[..frame.buffer_size()].chunks_exact(samples).enumerate() {
            let [x, y] = [index % frame.width as usize, index / frame.width as usize];
            if samples == 3 || pixel[3] == 255 {
                let at = ((top + y) * width + left + x) * 3;
                canvas[at..at + 3].copy_from_slice(&pixel[..3]);
            }
        }
        pictures.push(canvas.clone());
    }
    pictures
}

#[test]
fn files_contain_the_pixels() {
    let picture = all_shapes(0.0);
    let file = picture.to_png().unwrap();
    assert_eq!(decode(&file), [picture.to_rgb().unwrap().bytes()]);
    assert_eq!(file, all_shapes(0.0).to_png().unwrap());
}

#[test]
fn animations_contain_all_pictures() {
    let shifts = [0.0, 3.0, 3.0, 9.5, 0.0];
    let mut file = Vec::new();
    let mut animation = Animation::new(&mut file, 5, DELAY);
    for shift in shifts {
        animation.push(all_shapes(shift).to_rgb().unwrap()).unwrap();
    }
    animation.finish().unwrap();
    for (found, shift) in decode(&file).iter().zip(shifts) {
        let expected = all_shapes(shift).to_rgb().unwrap();
        let pixels = found.as_chunks::<3>().0.iter().zip(expected.bytes().as_chunks::<3>().0);
        let distance = |(one, other): (&[u8; 3], &[u8; 3])| {
            (0..3).map(|n| i32::from(one[n].abs_diff(other[n])).pow(2)).sum::<i32>().isqrt()
        };
        let distances: Vec<i32> = pixels.map(distance).collect();
        // Areas have their exact colors, and smooth edges have fewer shades.
        let exact = distances.iter().filter(|&&distance| distance == 0).count();
        assert!(exact * 100 > distances.len() * 93, "{exact} of {} pixels", distances.len());
        assert!(distances.iter().all(|&distance| distance < 28));
    }
    assert_eq!(decode(&file).len(), shifts.len());
    let still = all_shapes(0.0).to_png().unwrap();
    assert!(file.len() < 2 * still.len(), "{} and {} bytes", file.len(), still.len());
}

#[test]
fn impossible_pictures_are_errors() {
    assert_eq!(Picture::new([5, 0]).to_png(), Err(Error::Size([5, 0])));
    let mut animation = Animation::new(Vec::new(), 2, DELAY);
    let [pixels, wider] = [[3, 3], [4, 3]].map(|size| Picture::new(size).to_rgb().unwrap());
    animation.push(pixels.clone()).unwrap();
    assert_eq!(animation.push(wider), Err(Error::Size([4, 3])));
    assert!(animation.finish().is_err(), "fewer pictures than announced");
    let mut animation = Animation::new(Vec::new(), 1, DELAY);
    animation.push(pixels.clone()).unwrap();
    assert!(animation.push(pixels).is_err(), "more pictures than announced");
    assert_eq!(Animation::new(Vec::new(), 1, DELAY).finish(), Err(Error::NoPictures));
}
