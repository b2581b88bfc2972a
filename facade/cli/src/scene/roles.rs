//! The roles of columns, and the names by which columns of each role are recognized.

/// The role of a column: the part of an object that it describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The minimum of a box on an axis.
    Min(usize),
    /// The maximum of a box on an axis.
    Max(usize),
    /// On an axis, the center of a disc or ball, a point, or the minimum of a box with sides.
    At(usize),
    Radius,
    /// The length of a box on an axis.
    Side(usize),
    Id,
    /// A geometry in WKT, GeoJSON or hexadecimal WKB.
    Geometry,
}

pub(super) const ROLES: usize = 15;

/// Each role with its preferred name and its synonyms, in lower case and without separators.
const NAMES: [(Role, &str, &str); ROLES] = [
    (
        Role::Min(0),
        "min_x",
        "minx xmin x1 x0 left west lonmin minlon longitudemin minlongitude xminimum xlo \
         xlow westbound",
    ),
    (
        Role::Min(1),
        "min_y",
        "miny ymin y1 y0 bottom south latmin minlat latitudemin minlatitude yminimum \
         ylo ylow southbound",
    ),
    (Role::Min(2), "min_z", "minz zmin z1 z0 zminimum zlo zlow"),
    (
        Role::Max(0),
        "max_x",
        "maxx xmax x2 right east lonmax maxlon longitudemax maxlongitude xmaximum xhi \
         xhigh eastbound",
    ),
    (
        Role::Max(1),
        "max_y",
        "maxy ymax y2 top north latmax maxlat latitudemax maxlatitude ymaximum yhi \
         yhigh northbound",
    ),
    (Role::Max(2), "max_z", "maxz zmax z2 zmaximum zhi zhigh"),
    (Role::At(0), "x", "lon lng long longitude longitudedeg easting cx centerx xcenter posx"),
    (Role::At(1), "y", "lat latitude latitudedeg northing cy centery ycenter posy"),
    (Role::At(2), "z", "cz centerz zcenter posz"),
    (Role::Radius, "r", "radius rad"),
    (Role::Side(0), "width", "w sizex xsize dx lengthx"),
    (Role::Side(1), "height", "h sizey ysize dy lengthy"),
    (Role::Side(2), "depth", "sizez zsize dz lengthz"),
    (Role::Id, "id", ""),
    (Role::Geometry, "geometry", "wkt geom thegeom wkbgeometry wktgeom wkb geojson shape"),
];

impl Role {
    /// Returns the index of the role in arrays of all roles.
    pub(super) fn index(self) -> usize {
        NAMES.iter().position(|(role, ..)| *role == self).expect("all roles have names")
    }

    pub(super) fn name(self) -> &'static str {
        NAMES[self.index()].1
    }

    /// Returns the role of a column with this name, and whether the name is the preferred one.
    pub(super) fn find(name: &str) -> Option<(Self, bool)> {
        /// Maximum length of a name with separators; no synonym is longer.
        const MAX_LENGTH: usize = 32;
        if name.len() > MAX_LENGTH {
            return None;
        }
        let preferred = NAMES.iter().find(|(_, preferred, _)| *preferred == name);
        if let Some((role, ..)) = preferred {
            return Some((*role, true));
        }
        let is_separator = |letter: char| matches!(letter, '_' | '-' | ' ' | '.');
        let plain: String = name.to_ascii_lowercase().replace(is_separator, "");
        let role = NAMES.iter().find(|(_, preferred, synonyms)| {
            plain == *preferred || synonyms.split_whitespace().any(|name| plain == name)
        });
        role.map(|(role, ..)| (*role, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_distinct_names() {
        let mut all = Vec::new();
        for (role, preferred, synonyms) in &NAMES {
            assert_eq!(Role::find(preferred), Some((*role, true)));
            for name in synonyms.split_whitespace() {
                assert_eq!(Role::find(name), Some((*role, false)), "{name}");
            }
            all.extend(synonyms.split_whitespace().chain([*preferred]));
        }
        let names = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), names);
    }

    #[test]
    fn case_and_separators_are_irrelevant() {
        for (name, role) in [
            ("XMin", Role::Min(0)),
            ("Lat Max", Role::Max(1)),
            ("MIN-X", Role::Min(0)),
            ("Z", Role::At(2)),
            ("the_geom", Role::Geometry),
        ] {
            assert_eq!(Role::find(name), Some((role, false)), "{name}");
        }
        for name in ["name", "bbox.x", "", "_", "x 1 y"] {
            assert_eq!(Role::find(name), None, "{name}");
        }
    }
}
