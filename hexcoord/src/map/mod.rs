//! Maps of cells: dense storage, field of view and path finding.

mod any_line;
mod area;
mod dense;
mod path;
mod view;

pub use area::{Area, Cells};
pub use dense::HexMap;
pub use path::{Path, PathLimits, find_path, reachable};
pub use view::Sight;
