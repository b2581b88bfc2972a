//! A hex map: field of view, and the cheapest path over terrain.
//!
//! Each cell has a cost; mountains block the view and cannot be entered. The example checks each
//! step of the path, and the view in both directions.

mod support;

use hexphase::hex::{Area, Hex, HexMap, Layout, Orientation, PathLimits, Sight, find_path, hex};
use support::{Picture, Random};

#[derive(Clone, Copy, PartialEq)]
enum Terrain {
    Grass,
    Forest,
    Mountain,
}

impl Terrain {
    /// The cost of a step onto this terrain; `None` if it cannot be entered.
    fn cost(self) -> Option<u32> {
        match self {
            Self::Grass => Some(1),
            Self::Forest => Some(3),
            Self::Mountain => None,
        }
    }
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let area = Area::hexagon(hex(0, 0), 20);
    let (start, goal) = (hex(-16, 8), hex(16, -8));
    let mut random = Random(9);
    let map = HexMap::new(area, |cell| match random.bits() % 8 {
        _ if cell == start || cell == goal => Terrain::Grass,
        0 | 1 => Terrain::Mountain,
        2..=4 => Terrain::Forest,
        _ => Terrain::Grass,
    });
    let cost = |_: Hex, to: Hex| map.get(to)?.cost();
    let limits = PathLimits { min_step_cost: 1, budget: 1_000 };
    let path = find_path(start, goal, limits, cost).ok_or("mountains enclose the start")?;
    for step in path.cells.windows(2) {
        assert_eq!(step[0].distance(step[1]), 1);
        assert!(map.get(step[1]).is_some_and(|&terrain| terrain != Terrain::Mountain));
    }
    let steps = path.cells.windows(2).filter_map(|step| cost(step[0], step[1]));
    assert_eq!(steps.map(u64::from).sum::<u64>(), path.cost);

    let opaque = |cell: Hex| map.get(cell) == Some(&Terrain::Mountain);
    let seen = start.field_of_view(10, Sight::Permissive, opaque);
    let seen: Vec<Hex> = seen.filter(|&cell| area.contains(cell)).collect();
    let sees_start = |cell: Hex| cell.sees(start, Sight::Permissive, opaque);
    assert!(seen.iter().all(|&cell| sees_start(cell)), "sight is mutual");
    println!(
        "path of {} cells, cost {}; {} cells in view",
        path.cells.len(),
        path.cost,
        seen.len()
    );

    let layout = Layout::new(Orientation::Pointy, 5.0).with_origin([200.0, 170.0]);
    let mut picture = Picture::new([400.0, 340.0]);
    for cell in area.cells() {
        let color = match map.get(cell) {
            Some(Terrain::Mountain) => "#78909c",
            Some(Terrain::Forest) if seen.contains(&cell) => "#66bb6a",
            Some(Terrain::Forest) => "#2e7d32",
            _ if seen.contains(&cell) => "#dce775",
            _ => "#9e9d24",
        };
        picture.polygon(&layout.corners(cell), color);
    }
    for step in path.cells.windows(2) {
        picture.line(layout.center(step[0]), layout.center(step[1]), "#d84315");
    }
    picture.save("hex_map")?;
    Ok(())
}
