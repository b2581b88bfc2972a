//! The objects of the hexprism suite: 100 meshes of 50 points each, scattered over a field.

/// A kind of objects and their distribution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Data {
    pub(crate) name: &'static str,
    /// Computes a point of a mesh from three numbers in −1 … 1; `None` requests other numbers.
    mesh: fn([f32; 3]) -> Option<[f32; 3]>,
    /// Computes the position of an object, as a fraction of the field, from four numbers in 0 … 1.
    place: fn([f32; 4]) -> [f32; 3],
    /// The field for 4 million objects. With fewer objects, x and y shrink to keep the density. The
    /// field of the article's data is fixed.
    field: [f32; 3],
    fixed: bool,
}

/// The data of the article on hexagonal prisms: meshes four times as high as wide, on a flat field.
pub(crate) const TALL: Data = Data {
    name: "tall",
    mesh: |[x, y, z]| in_ball([x * 0.25, y * 0.25, z]),
    place: |[x, y, z, _]| [x, y, z],
    field: [200.0, 200.0, 2.0],
    fixed: true,
};

/// Further data sets, described in README.md of bounds-hexprism. Prisms are faster with some of
/// them and slower with others.
pub(crate) const OTHERS: [Data; 5] = [
    Data {
        name: "isotropic",
        mesh: in_ball,
        place: |[x, y, z, _]| [x, y, z],
        field: [100.0, 100.0, 100.0],
        fixed: true,
    },
    Data {
        name: "flat",
        mesh: |[x, y, z]| in_ball([x, y, z]).map(|[x, y, z]| [x, y, z * 0.1]),
        place: |[x, y, _, _]| [x, y, 0.0],
        ..DENSE
    },
    Data {
        name: "diagonal",
        mesh: |[x, y, z]| Some([x * 4.0 + y * 0.2, -x * 4.0 + y * 0.2, z]),
        place: |[x, y, z, _]| [x, y, z],
        ..DENSE
    },
    Data {
        name: "antidiagonal",
        mesh: |[x, y, z]| Some([x * 4.0 + y * 0.2, x * 4.0 - y * 0.2, z]),
        place: |[x, y, z, _]| [x, y, z],
        ..DENSE
    },
    Data {
        name: "clustered",
        mesh: TALL.mesh,
        place: |[x, y, z, crowd]| {
            let crowd = (crowd * 40.0) as u32;
            let middle = [crowd * 7 % 40, crowd * 23 % 40].map(|n| (n as f32 + 0.5) / 40.0);
            // Place objects twice as densely in the middle of a crowd as at its edge.
            [middle[0] + (x - 0.5) * x * 0.05, middle[1] + (y - 0.5) * y * 0.05, z]
        },
        ..DENSE
    },
];

/// Objects about as close together as in a game.
const DENSE: Data = Data { name: "", field: [4000.0, 4000.0, 2.0], fixed: false, ..TALL };

fn in_ball(point: [f32; 3]) -> Option<[f32; 3]> {
    (point.iter().map(|x| x * x).sum::<f32>() <= 1.0).then_some(point)
}

impl Data {
    /// Returns whether this is the article's data.
    pub(crate) fn is_the_texts(&self) -> bool {
        self.name == TALL.name
    }

    /// Returns the points of `n` objects, one object at a time.
    pub(crate) fn objects(&self, n: usize) -> impl Iterator<Item = [[f32; 3]; 50]> {
        let mut random = Random(42);
        let mut point = || loop {
            let numbers = [0; 3].map(|_| random.unit() * 2.0 - 1.0);
            if let Some(point) = (self.mesh)(numbers) {
                break point;
            }
        };
        let meshes: Vec<[[f32; 3]; 50]> = (0..100).map(|_| [0; 50].map(|_| point())).collect();
        let scale = if self.fixed { 1.0 } else { (n as f32 / 4e6).sqrt() };
        let field = [self.field[0] * scale, self.field[1] * scale, self.field[2]];
        let place = self.place;
        (0..n).map(move |_| {
            let mesh = &meshes[(random.unit() * 100.0) as usize];
            let at = place([0; 4].map(|_| random.unit()));
            mesh.map(|point| core::array::from_fn(|i| point[i] + (at[i] - 0.5) * field[i]))
        })
    }
}

/// Pseudo-random numbers: Steele, Lea and Flood's `SplitMix64`.
struct Random(u64);

impl Random {
    /// Returns a number from 0, included, to 1, excluded.
    fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1u64 << 24) as f32
    }
}
