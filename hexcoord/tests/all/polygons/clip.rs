//! Tests by definition, in exact arithmetic, whether edges surround the center of a cell, touch the
//! cell, or enter its interior.

use super::Wide;

/// Moves a point by an infinitesimal step towards larger a, and by a much smaller step towards
/// larger b. Returns whether an odd number of edges is then to the left of the point.
pub(super) fn surrounded(edges: &[[Wide; 2]], point: Wide) -> bool {
    let crossed = edges.iter().filter(|[from, to]| {
        let (low, high) = if from[1] < to[1] { (from, to) } else { (to, from) };
        let turn =
            (high[0] - low[0]) * (point[1] - low[1]) - (high[1] - low[1]) * (point[0] - low[0]);
        low[1] <= point[1] && point[1] < high[1] && turn <= 0
    });
    crossed.count() % 2 == 1
}

/// Returns the six distances of a point to the sides of a cell, positive inside.
fn inside([a, b]: Wide, center: Wide, size: i128) -> [i128; 6] {
    let (a, b) = (a - center[0], b - center[1]);
    [2 * a + b, a + 2 * b, a - b, -2 * a - b, -a - 2 * b, b - a].map(|d| size - d)
}

/// An edge, cut by the lines that contain the sides of a cell. Stores the parameters of its ends
/// and of all intersections, as ascending fractions, and the distances of the ends to the sides.
struct Clipped {
    parameters: Vec<[i128; 2]>,
    from: [i128; 6],
    to: [i128; 6],
}

impl Clipped {
    fn new([from, to]: [Wide; 2], center: Wide, size: i128) -> Self {
        let (from, to) = (inside(from, center, size), inside(to, center, size));
        let mut parameters = vec![[0, 1], [1, 1]];
        for (from, to) in from.into_iter().zip(to) {
            if (from < 0) != (to < 0) {
                let sign = (from - to).signum();
                parameters.push([sign * from, sign * (from - to)]);
            }
        }
        parameters.sort_by(|[n, d], [m, e]| (n * e).cmp(&(m * d)));
        Self { parameters, from, to }
    }

    /// Returns the smallest distance to a side at the parameter n / d, times d.
    fn inside(&self, [n, d]: [i128; 2]) -> i128 {
        let sides = self.from.iter().zip(self.to);
        sides.map(|(from, to)| from * d + (to - from) * n).min().expect("six")
    }
}

/// Returns whether the edge and the closed cell have a common point.
pub(super) fn touches(edge: [Wide; 2], center: Wide, size: i128) -> bool {
    let clipped = Clipped::new(edge, center, size);
    clipped.parameters.iter().any(|&parameter| clipped.inside(parameter) >= 0)
}

/// Returns whether the edge and the interior of the cell have a common point.
pub(super) fn enters(edge: [Wide; 2], center: Wide, size: i128) -> bool {
    let clipped = Clipped::new(edge, center, size);
    let between = clipped.parameters.windows(2).map(|pair| {
        let [[n, d], [m, e]] = [pair[0], pair[1]];
        [n * e + m * d, 2 * d * e]
    });
    between.chain([[0, 1], [1, 1]]).any(|parameter| clipped.inside(parameter) > 0)
}
