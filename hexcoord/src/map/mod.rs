//! Maps of cells: dense storage, cells of polygons, field of view and path finding.

mod area;
mod dense;
mod path;
mod polygon;
mod view;

pub use area::Area;
pub use dense::HexMap;
pub use path::{Path, PathLimits, find_path, reachable};
pub use polygon::{Containment, PolygonFill, Run, Runs};
pub use view::Sight;
