//! PNG files, still and animated.

use core::time::Duration;

use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder};

use crate::{Error, Picture, Pixels};

impl Picture {
    /// Returns the picture as a PNG file.
    ///
    /// # Errors
    /// If the picture has no pixels, or more than memory can hold.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let pixels = self.to_rgb()?;
        let mut file = Vec::new();
        let [width, height] = pixels.size();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(pixels.bytes())?;
        writer.finish()?;
        Ok(file)
    }
}

/// Returns pictures of one size as an animated PNG file that repeats forever. `delay` is the time
/// from one picture to the next.
///
/// Browsers play such files; programs without support for them show the first picture. A frame
/// stores only the pixels that change.
///
/// # Errors
/// If there are no pictures, or a picture has no pixels, more than memory can hold, or another size
/// than the first.
///
/// ```
/// use core::time::Duration;
///
/// use hexphase_draw::{Color, Paint, Picture, animate};
///
/// let frames = [10.0, 20.0, 30.0].map(|x| {
///     let mut picture = Picture::new([60, 40]);
///     picture.disc([x, 20.0], 8.0, Paint::fill(Color::BLUE));
///     picture
/// });
/// let file = animate(frames, Duration::from_millis(40))?;
/// assert_eq!(file[1..4], *b"PNG");
/// # Ok::<(), hexphase_draw::Error>(())
/// ```
pub fn animate(
    pictures: impl IntoIterator<Item = Picture, IntoIter: ExactSizeIterator>,
    delay: Duration,
) -> Result<Vec<u8>, Error> {
    let mut pictures = pictures.into_iter();
    let count = u32::try_from(pictures.len()).map_err(|_| Error::NoPictures)?;
    let first = pictures.next().ok_or(Error::NoPictures)?.to_rgb()?;
    let mut file = Vec::new();
    let [width, height] = first.size();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_color(ColorType::Rgba);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    encoder.set_animated(count, 0)?;
    encoder.set_frame_delay(u16::try_from(delay.as_millis()).unwrap_or(u16::MAX), 1000)?;
    encoder.set_blend_op(BlendOp::Over)?;
    encoder.set_dispose_op(DisposeOp::None)?;
    let mut writer = encoder.write_header()?;
    let opaque = first.bytes().chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]);
    writer.write_image_data(&opaque.collect::<Vec<_>>())?;
    let mut last = first;
    for picture in pictures {
        let pixels = picture.to_rgb()?;
        if pixels.size() != last.size() {
            return Err(Error::Size(pixels.size()));
        }
        let Area { corner, size } = changed_area(&last, &pixels);
        writer.set_frame_position(0, 0)?;
        writer.set_frame_dimension(size[0], size[1])?;
        writer.set_frame_position(corner[0], corner[1])?;
        writer.write_image_data(&changes(&last, &pixels, Area { corner, size }))?;
        last = pixels;
    }
    writer.finish()?;
    Ok(file)
}

/// A part of a picture.
#[derive(Clone, Copy)]
struct Area {
    corner: [u32; 2],
    size: [u32; 2],
}

/// Returns the smallest area with all pixels that differ; one pixel if none differs.
fn changed_area(from: &Pixels, to: &Pixels) -> Area {
    let width = from.size()[0] as usize;
    let differs = |&index: &usize| {
        let bytes = index * 3..index * 3 + 3;
        from.bytes()[bytes.clone()] != to.bytes()[bytes]
    };
    let (mut min, mut max) = ([usize::MAX; 2], [0; 2]);
    for index in (0..to.bytes().len() / 3).filter(differs) {
        let at = [index % width, index / width];
        min = [min[0].min(at[0]), min[1].min(at[1])];
        max = [max[0].max(at[0]), max[1].max(at[1])];
    }
    if min[0] > max[0] {
        return Area { corner: [0; 2], size: [1; 2] };
    }
    let size = [max[0] - min[0] + 1, max[1] - min[1] + 1];
    Area { corner: min.map(|x| x as u32), size: size.map(|x| x as u32) }
}

/// Returns the pixels of an area: opaque if they change, otherwise transparent.
fn changes(from: &Pixels, to: &Pixels, Area { corner, size }: Area) -> Vec<u8> {
    let places = (corner[1]..corner[1] + size[1])
        .flat_map(|y| (corner[0]..corner[0] + size[0]).map(move |x| [x, y]));
    let colors = places.flat_map(|at| match to.pixel(at) {
        color if color == from.pixel(at) => [0; 4],
        [red, green, blue] => [red, green, blue, 255],
    });
    colors.collect()
}

impl From<png::EncodingError> for Error {
    fn from(error: png::EncodingError) -> Self {
        Self::Encoding(error.to_string())
    }
}
