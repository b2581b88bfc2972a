//! Pictures as PNG files, and sequences of pictures as animated PNG files.

use core::fmt;
use core::time::Duration;
use std::io::Write;

use png::{BitDepth, BlendOp, ColorType, DisposeOp, Encoder, Filter, Writer};

use crate::{Error, Picture, Pixels};

/// Without a filter, because areas of one color compress best: 5,500 hexagons in 800 x 640 pixels
/// take 204 kB, and 334 kB with a filter chosen for each row.
const FILTER: Filter = Filter::NoFilter;

impl Picture {
    /// Returns the picture as a PNG file.
    ///
    /// # Errors
    /// If the picture has no pixels, or more than memory can hold.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        self.to_rgb()?.to_png()
    }
}

impl Pixels {
    /// Returns the pixels as a PNG file.
    ///
    /// # Errors
    /// If the encoder fails.
    ///
    /// ```
    /// use hexphase_draw::Picture;
    ///
    /// let picture = Picture::new([60, 40]);
    /// assert_eq!(picture.to_rgb()?.to_png()?, picture.to_png()?);
    /// # Ok::<(), hexphase_draw::Error>(())
    /// ```
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        let mut file = Vec::new();
        let [width, height] = self.size();
        let mut encoder = Encoder::new(&mut file, width, height);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_filter(FILTER);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(self.bytes())?;
        writer.finish()?;
        Ok(file)
    }
}

/// Writes pictures of equal size as an animated PNG file that repeats forever.
///
/// Browsers play such files; programs without support for animations show the first picture. After
/// the first picture, only the smallest rectangle with all changed pixels is stored.
///
/// ```
/// use core::time::Duration;
///
/// use hexphase_draw::{Animation, Color, Paint, Picture};
///
/// let mut file = Vec::new();
/// let mut animation = Animation::new(&mut file, 3, Duration::from_millis(40));
/// for x in [10.0, 20.0, 30.0] {
///     let mut picture = Picture::new([60, 40]);
///     picture.disc([x, 20.0], 8.0, Paint::fill(Color::BLUE));
///     animation.push(picture.to_rgb()?)?;
/// }
/// animation.finish()?;
/// assert_eq!(file[1..4], *b"PNG");
/// # Ok::<(), hexphase_draw::Error>(())
/// ```
pub struct Animation<W: Write> {
    count: u32,
    delay: Duration,
    state: State<W>,
}

/// The state of an animation before and after its first picture.
enum State<W: Write> {
    Empty(W),
    /// The writer, and the pixels of the last picture.
    Begun(Box<Writer<W>>, Pixels),
    /// Writing a picture failed or was refused.
    Failed,
}

impl<W: Write> Animation<W> {
    /// Creates an animation of `count` pictures. `delay` is the time from one picture to the next,
    /// at most 65 seconds.
    pub const fn new(out: W, count: u32, delay: Duration) -> Self {
        Self { count, delay, state: State::Empty(out) }
    }

    /// Writes the next picture.
    ///
    /// # Errors
    /// If the size of the picture differs from the size of the first one, if there are more than
    /// `count` pictures, or if writing fails. Afterwards the animation is incomplete.
    pub fn push(&mut self, pixels: Pixels) -> Result<(), Error> {
        match core::mem::replace(&mut self.state, State::Failed) {
            State::Empty(out) => {
                let writer = Box::new(self.begin(out, &pixels)?);
                self.state = State::Begun(writer, pixels);
            }
            State::Begun(mut writer, last) => {
                if pixels.size() != last.size() {
                    return Err(Error::Size(pixels.size()));
                }
                let area = changed_area(&last, &pixels);
                writer.set_frame_position(0, 0)?;
                writer.set_frame_dimension(area.size[0], area.size[1])?;
                writer.set_frame_position(area.corner[0], area.corner[1])?;
                writer.write_image_data(&changes(&last, &pixels, area))?;
                self.state = State::Begun(writer, pixels);
            }
            State::Failed => return Err(Error::NoPictures),
        }
        Ok(())
    }

    /// Writes the header of the file and the first picture.
    fn begin(&self, out: W, first: &Pixels) -> Result<Writer<W>, Error> {
        let [width, height] = first.size();
        let mut encoder = Encoder::new(out, width, height);
        encoder.set_color(ColorType::Rgba);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_filter(FILTER);
        encoder.set_animated(self.count, 0)?;
        let delay = u16::try_from(self.delay.as_millis()).unwrap_or(u16::MAX);
        encoder.set_frame_delay(delay, 1000)?;
        encoder.set_blend_op(BlendOp::Over)?;
        encoder.set_dispose_op(DisposeOp::None)?;
        let mut writer = encoder.write_header()?;
        let opaque = first.bytes().chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 255]);
        writer.write_image_data(&opaque.collect::<Vec<_>>())?;
        Ok(writer)
    }

    /// Writes the end of the file.
    ///
    /// # Errors
    /// If there are fewer than `count` pictures, or if writing fails.
    pub fn finish(self) -> Result<(), Error> {
        match self.state {
            State::Begun(writer, _) => Ok(writer.finish()?),
            _ => Err(Error::NoPictures),
        }
    }
}

impl<W: Write> fmt::Debug for Animation<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, delay, .. } = self;
        f.debug_struct("Animation")
            .field("count", count)
            .field("delay", delay)
            .finish_non_exhaustive()
    }
}

/// A rectangle of pixels in a picture.
#[derive(Clone, Copy)]
struct Area {
    corner: [u32; 2],
    size: [u32; 2],
}

/// Returns the smallest rectangle with all pixels that differ; one pixel if the pictures are equal.
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

/// Returns the pixels of an area as RGBA: the new color if a pixel changes, otherwise transparent.
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
