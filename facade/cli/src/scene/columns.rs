//! The columns of a table that are read: assigned by the names in the header or by options.

use super::roles::{ROLES, Role};

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

pub(crate) struct Columns {
    pub(crate) form: Form,
    pub(crate) dimensions: usize,
    /// The columns of the minimum or the center on each axis, or the column of the geometry.
    pub(crate) first: Vec<usize>,
    /// The columns of the maximum or the side on each axis, or the column of the radius.
    pub(crate) second: Vec<usize>,
    /// Set if `first[1]` and `second[1]` may be exchanged, because they are `top` and `bottom`.
    pub(crate) is_y_unordered: bool,
    pub(crate) id: Option<usize>,
    /// The names of the columns that are ignored although their names are known.
    pub(crate) ignored: Vec<String>,
}

/// The reason that the columns do not describe boxes.
pub(crate) enum ColumnsError {
    /// No column has a role.
    Unknown,
    /// The name of a column that is missing, or belongs to another form, and the problem.
    Incomplete(String, &'static str),
    /// The name of a column that has the role of another column, and the problem.
    Twice(String, String),
}

/// Returns the role of a kind on an axis, for example `Role::Min`.
type RoleOf = fn(usize) -> Role;

#[derive(Clone, Debug, Default)]
pub(crate) struct FoundColumns {
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
                let [column, first] = [&names[second], &names[first]];
                let problem = if column == first {
                    "duplicate column".into()
                } else {
                    format!("means {role}, as column {first} does; choose with --columns")
                };
                return Err(ColumnsError::Twice(column.clone(), problem));
            }
        }
        Ok(found)
    }

    pub(crate) fn set(&mut self, role: Role, column: Option<usize>) {
        self.columns[role.index()] = column;
    }

    fn column(&self, role: Role) -> Option<usize> {
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
            ColumnsError::Incomplete(first.map_or_else(String::new, &name), "mixes two forms")
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
            (Form::Geometry, [|_| Geometry, Max], named(&[&corners[..], &others].concat()))
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
        let indices = |role_of: RoleOf, count: usize| -> Result<Vec<usize>, ColumnsError> {
            let roles = (0..count).map(|axis| match role_of(axis) {
                Min(1) if has_top_sides => Max(1),
                role => role,
            });
            let missing = |role: Role| ColumnsError::Incomplete(role.name().into(), "missing");
            roles.map(|role| self.column(role).ok_or_else(|| missing(role))).collect()
        };
        let [lows, highs] = match form {
            Form::Geometry => [1, 0],
            Form::Point => [dimensions, 0],
            Form::Ball => [dimensions, 1],
            Form::Corners | Form::Sides => [dimensions; 2],
        };
        let (first, second) = (indices(low, lows)?, indices(high, highs)?);
        let is_edge = |column: usize| {
            ["top", "bottom"].iter().any(|edge| name(column).eq_ignore_ascii_case(edge))
        };
        let is_y_unordered = form == Form::Corners && is_edge(first[1]) && is_edge(second[1]);
        let id = self.column(Id);
        Ok(Columns { form, dimensions, first, second, is_y_unordered, id, ignored })
    }
}
