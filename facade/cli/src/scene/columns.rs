//! The columns of a table that are read: assigned by the names in the header or by options.

use super::roles::{ROLES, Role};

/// The form in which the rows describe their boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `min_x,min_y[,min_z],max_x,max_y[,max_z]`.
    Corners,
    /// `x,y[,z],r`.
    Ball,
    /// `x,y[,z],width,height[,depth]`; `x,y[,z]` is the minimum of the box.
    Sides,
    /// `x,y[,z]`.
    Point,
    /// A geometry. Its bounding box is used.
    Geometry,
}

/// The indices of the columns that are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The form of the rows.
    pub(crate) form: Form,
    /// The number of dimensions: 2 or 3.
    pub(crate) dimensions: usize,
    /// The columns of the minimum or the center on each axis. The first element is the column of
    /// the geometry if the form is `Geometry`.
    pub(crate) first: [usize; 3],
    /// The columns of the maximum or the side on each axis. The first element is the column of the
    /// radius if the form is `Ball`.
    pub(crate) second: [usize; 3],
    /// Set if `first` and `second` may be exchanged on the second axis, because they are named
    /// `top` and `bottom`.
    pub(crate) is_y_unordered: bool,
    /// The column of ids, if it exists.
    pub(crate) id: Option<usize>,
    /// The names of the columns that are ignored although their names are known.
    pub(crate) ignored: Vec<String>,
}

/// The reason that the columns do not describe boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColumnsError {
    /// No column has a role.
    Unknown,
    /// The column of this role is missing.
    Missing(&'static str),
    /// Two forms are complete, or two forms are incomplete; with the name of a column of one of
    /// them.
    Mixed(String),
    /// Two columns have equal roles.
    Twice {
        /// The name of the second column.
        column: String,
        /// The name of the first column.
        first: String,
        /// The preferred name of the role.
        role: &'static str,
    },
}

/// Returns the role of a kind on an axis, for example `Role::Min`.
type RoleOf = fn(usize) -> Role;

/// The columns that have been found, by role.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundColumns {
    /// The column of each role.
    columns: [Option<usize>; ROLES],
    /// Set for each role whose column has the preferred name.
    are_preferred: [bool; ROLES],
}

impl FoundColumns {
    /// Finds the columns of all roles, given the names of the columns.
    ///
    /// A column with the preferred name of a role wins over columns with synonyms. Two columns with
    /// synonyms are an error.
    pub(crate) fn by_name(names: &[String]) -> Result<Self, ColumnsError> {
        let mut found = Self::default();
        let mut twice = [None; ROLES];
        for (column, name) in names.iter().enumerate() {
            let Some((role, preferred)) = Role::find(name) else { continue };
            let index = role.index();
            let known = &mut found.columns[index];
            let was_preferred = found.are_preferred[index];
            if known.is_some() && was_preferred == preferred {
                twice[index] = twice[index].or(Some((column, preferred)));
            } else if known.is_none() || preferred {
                *known = Some(column);
                found.are_preferred[index] = preferred;
            }
        }
        for (second, first) in twice.iter().zip(found.columns) {
            let (Some((second, preferred)), Some(first)) = (*second, first) else { continue };
            let role = Role::find(&names[first]).map_or("", |(role, _)| role.name());
            let is_replaced = names[first] == role && !preferred;
            if !is_replaced {
                let [column, first] = [second, first].map(|column| names[column].clone());
                return Err(ColumnsError::Twice { column, first, role });
            }
        }
        Ok(found)
    }

    /// Sets the column of a role.
    pub(crate) const fn set(&mut self, role: Role, column: Option<usize>) {
        self.columns[role.index()] = column;
    }

    const fn column(&self, role: Role) -> Option<usize> {
        self.columns[role.index()]
    }

    fn has(&self, role: Role) -> bool {
        self.column(role).is_some()
    }

    /// Chooses the form and the columns. `name` returns the name of a column.
    ///
    /// 1. If the corners are complete, read them, and ignore the columns of incomplete other forms.
    /// 2. Otherwise, if there is a geometry, read it, and ignore all other columns.
    /// 3. Otherwise read the only form of which there are columns. Columns of two forms are an
    ///    error.
    pub(crate) fn choose(&self, name: impl Fn(usize) -> String) -> Result<Columns, ColumnsError> {
        use Role::{At, Geometry, Id, Max, Min, Radius, Side};
        let any = |roles: &[Role]| roles.iter().any(|&role| self.has(role));
        let all = |roles: &[Role]| roles.iter().all(|&role| self.has(role));
        let is_complete = |roles: [RoleOf; 2]| {
            let [low, high] = roles;
            all(&[low(0), low(1), high(0), high(1)]) && self.has(low(2)) == self.has(high(2))
        };
        let are_corners = is_complete([Min, Max]);
        let are_sides = is_complete([At, Side]);
        let are_balls = all(&[At(0), At(1), Radius]);
        let ball = [At(0), At(1), At(2), Radius];
        let sides = [Side(0), Side(1), Side(2)];
        let corners = [Min(0), Min(1), Min(2), Max(0), Max(1), Max(2)];
        // `left,top,width,height` are names of a minimum and sides, although `top` may also be a
        // maximum.
        let are_low_sides = is_complete([Min, Side]) && !any(&[Max(0), Max(1), Max(2)]);
        let has_top_sides = all(&[Min(0), Max(1), Side(0), Side(1)]) && !any(&[Min(1), Max(0)]);
        let mixed = |roles: &[Role]| {
            let first = roles.iter().find_map(|&role| self.column(role));
            ColumnsError::Mixed(first.map_or_else(String::new, &name))
        };
        let named = |roles: &[Role]| -> Vec<String> {
            roles.iter().filter_map(|&role| self.column(role)).map(&name).collect()
        };
        let others = [&ball[..], &sides].concat();
        let (form, [low, high], ignored): (_, [RoleOf; 2], _) = if are_corners {
            if are_sides || are_balls {
                return Err(mixed(&others));
            }
            (Form::Corners, [Min, Max], named(&[&others[..], &[Geometry]].concat()))
        } else if self.has(Geometry) {
            (Form::Geometry, [Min, Max], named(&[&corners[..], &others].concat()))
        } else if are_low_sides || has_top_sides {
            if any(&ball) {
                return Err(mixed(&ball));
            }
            (Form::Sides, [Min, Side], Vec::new())
        } else if any(&corners) {
            if any(&others) {
                return Err(mixed(&others));
            }
            (Form::Corners, [Min, Max], Vec::new())
        } else if any(&sides) {
            if self.has(Radius) {
                return Err(mixed(&[Radius]));
            }
            (Form::Sides, [At, Side], Vec::new())
        } else if self.has(Radius) {
            (Form::Ball, [At, |_| Radius], Vec::new())
        } else if any(&ball) {
            (Form::Point, [At, At], Vec::new())
        } else {
            return Err(ColumnsError::Unknown);
        };
        let is_solid = match form {
            Form::Geometry => false,
            _ => self.has(low(2)) || self.has(high(2)) && form != Form::Ball,
        };
        let dimensions = if is_solid { 3 } else { 2 };
        let mut indices = [[0; 3]; 2];
        if form == Form::Geometry {
            indices[0][0] = self.column(Geometry).unwrap_or_default();
        } else {
            for (indices, role) in indices.iter_mut().zip([low, high]) {
                for (axis, index) in indices.iter_mut().enumerate().take(dimensions) {
                    let role = match role(axis) {
                        Min(1) if has_top_sides => Max(1),
                        role => role,
                    };
                    *index = self.column(role).ok_or(ColumnsError::Missing(role.name()))?;
                }
            }
        }
        let [first, second] = indices;
        let is_edge = |column: usize| {
            ["top", "bottom"].iter().any(|edge| name(column).eq_ignore_ascii_case(edge))
        };
        let is_y_unordered = form == Form::Corners && is_edge(first[1]) && is_edge(second[1]);
        let id = self.column(Id);
        Ok(Columns { form, dimensions, first, second, is_y_unordered, id, ignored })
    }
}
