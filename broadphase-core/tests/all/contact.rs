//! Contacts that paths ignore, first contacts of two moving boxes, regions and paths, against models
//! in integers.

use broadphase_core::query::first_contact_in;
use broadphase_core::{Aabb, Path, Region, Target, first_contact};
use proptest::prelude::*;

type Area = Aabb<i32, 2>;

fn area() -> BoxedStrategy<Area> {
    ([-6i32..6, -6..6], [0i32..4, 0..4])
        .prop_map(|(min, size)| Aabb::new(min, [min[0] + size[0], min[1] + size[1]]))
        .boxed()
}

/// Generates the ends of a moving box: its size stays or changes.
fn moving() -> BoxedStrategy<[Area; 2]> {
    let by = [-9i32..9, -9..9];
    prop_oneof![
        (area(), by).prop_map(|(bounds, by)| [bounds, bounds.translated(by)]),
        (area(), area()).prop_map(|(begin, end)| [begin, end]),
    ]
    .boxed()
}

/// The overlap of a path and a box is measured at this number of instants per unit of fraction. The
/// small paths of these tests do not cross a box between two instants.
const INSTANTS: i32 = 64;

/// Returns whether, on some axis, a path and a box touch at the start of the path, and later
/// overlap in at most that end: the depth of their overlap, measured at many instants, is 0 first
/// and never positive.
fn only_contacts(start: &Area, by: [i32; 2], other: &Area) -> bool {
    (0..2).any(|axis| {
        let depth = |instant: i32| {
            let moved = by[axis] * instant;
            let ahead = INSTANTS * (start.max[axis] - other.min[axis]) + moved;
            let behind = INSTANTS * (other.max[axis] - start.min[axis]) - moved;
            ahead.min(behind)
        };
        depth(0) == 0 && (0..=2 * INSTANTS).all(|instant| depth(instant) <= 0)
    })
}

/// The low and the high corner of a box.
type Corners = [[i128; 2]; 2];

fn corners(area: &Area) -> Corners {
    [area.min, area.max].map(|at| at.map(i128::from))
}

/// Returns the fraction at which two boxes, given at the begin and at the end, first touch.
/// Candidates are 0 and the fractions at which a gap closes; each is tested with exact integers.
fn expected(a: [Corners; 2], b: [Corners; 2]) -> Option<f64> {
    let gaps = |axis: usize| {
        let gap = |low: [Corners; 2], high: [Corners; 2]| {
            [0, 1].map(|time| low[time][0][axis] - high[time][1][axis])
        };
        [gap(b, a), gap(a, b)]
    };
    let gaps: Vec<[i128; 2]> = (0..2).flat_map(gaps).collect();
    let touch = |&(part, whole): &(i128, i128)| {
        gaps.iter().all(|[begin, end]| begin * (whole - part) + end * part <= 0)
    };
    let closings = gaps.iter().filter(|[begin, end]| *begin > 0 && *end <= 0);
    let times = closings.map(|[begin, end]| (*begin, begin - end)).chain([(0, 1)]);
    let fractions = times.filter(touch).map(|(part, whole)| part as f64 / whole as f64);
    fractions.min_by(f64::total_cmp)
}

fn any_box() -> BoxedStrategy<Aabb<f64, 2>> {
    let number = prop_oneof![
        4 => (-9i32..9).prop_map(f64::from),
        1 => prop::sample::select(vec![f64::MAX, f64::MIN, 5e-324, -5e-324, 1e300, 0.1, -0.3]),
    ];
    prop::collection::vec(number, 4)
        .prop_map(|at| Aabb::of_points([[at[0], at[1]], [at[2], at[3]]]).expect("two points"))
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 8000, ..Default::default() })]

    #[test]
    fn paths_ignore_exactly_the_boxes_they_leave_or_slide_along(
        start in area(), by in [-5i32..5, -5..5], other in area(),
    ) {
        let path = Path::sweep(start, by);
        let hit = path.first_touch(&other).filter(|_| !only_contacts(&start, by, &other));
        prop_assert_eq!(path.ignoring_contacts().first_touch(&other), hit);
        let float = |at: [i32; 2]| at.map(|x| x as f32 * 0.1);
        // The numbers are rounded, but equal numbers stay equal.
        let thin = |area: Area| Aabb::new(float(area.min), float(area.max));
        let (from, other) = (start.min, thin(other));
        let to = [from[0] + by[0], from[1] + by[1]];
        let path = Path::segment(float(from), float(to));
        let ignored = (0..2).any(|axis| {
            let (from, to) = (float(from)[axis], float(to)[axis]);
            (from == other.min[axis] && to <= from) || (from == other.max[axis] && to >= from)
        });
        let hit = path.first_touch(&other).filter(|_| !ignored);
        prop_assert_eq!(path.ignoring_contacts().first_touch(&other), hit);
    }

    #[test]
    fn paths_with_overflowing_fractions_touch_the_boxes_of_others(
        start in area(), by in [-5i32..5, -5..5], other in area(),
    ) {
        // Powers of two: numbers are exact, and fractions are multiplied by 2^200.
        let [slow, far] = [-100, 100].map(|exponent| 2f32.powi(exponent));
        let scaled = |at: [i32; 2], scale: f32| at.map(|x| x as f32 * scale);
        let bounds = |area: Area| Aabb::new(scaled(area.min, far), scaled(area.max, far));
        let hit = Path::sweep(start, by).until(f64::INFINITY).first_touch(&other);
        let path = Path::sweep(bounds(start), scaled(by, slow)).until(f32::INFINITY);
        prop_assert_eq!(path.first_touch(&bounds(other)).is_some(), hit.is_some());
    }

    #[test]
    fn first_contacts_of_integers_are_exact(a in moving(), b in moving(), side in 2u32..6) {
        let found = first_contact(a, b);
        let of = |moving: [Area; 2]| moving.map(|area| corners(&area));
        prop_assert_eq!(found, expected(of(a), of(b)));
        prop_assert_eq!(first_contact(b, a), found);
        // A box that moves by a vector is a path.
        let by = [0, 1].map(|axis| a[1].min[axis] - a[0].min[axis]);
        if a[0].translated(by) == a[1] {
            prop_assert_eq!(Path::sweep(a[0], by).first_touch(&b[1]), first_contact(a, [b[1]; 2]));
        }
        let float = |bounds: Area| Aabb::new(bounds.min.map(|x| x as f32), bounds.max.map(|x| x as f32));
        let fraction = first_contact(a.map(float), b.map(float));
        prop_assert_eq!(fraction, found.map(|fraction| fraction as f32));
        // In a world that wraps the earliest contact with any image counts.
        let side = 1 << side;
        for sides in [[side, 0], [0, side], [side, side]] {
            let image = |x: i32, y: i32| b.map(|at| at.translated([x * sides[0], y * sides[1]]));
            let images = (-2..=2).flat_map(|x| (-2..=2).map(move |y| image(x, y)));
            let first = images.filter_map(|image| expected(of(a), of(image))).min_by(f64::total_cmp);
            prop_assert_eq!(first_contact_in(sides, a, b), first);
        }
    }

    #[test]
    fn boxes_that_touch_at_the_start_or_the_end_are_in_contact(
        a in [any_box(), any_box()], b in [any_box(), any_box()],
    ) {
        let found = first_contact(a, b);
        if a[0].overlaps(&b[0]) {
            prop_assert_eq!(found, Some(0.0));
        }
        if a[1].overlaps(&b[1]) {
            prop_assert!(found.is_some());
        }
        prop_assert!(found.is_none_or(|fraction| (0.0..=1.0).contains(&fraction)));
        prop_assert_eq!(first_contact(b, a), found);
        let nan = Aabb::new([0.0, f64::NAN], [1.0, 1.0]);
        prop_assert_eq!(first_contact([a[0], nan], b), None);
        prop_assert_eq!(first_contact(a, [nan, b[1]]), None);
    }
}

#[test]
fn contacts_of_extreme_numbers() {
    let line = |from: f64, to: f64| [from, to].map(|x| Aabb::point([x]));
    let all = line(f64::MIN, f64::MAX);
    assert_eq!(first_contact(all, line(0.0, 0.0)), Some(0.5));
    assert_eq!(first_contact(all, line(f64::MAX, f64::MIN)), Some(0.5));
    assert_eq!(first_contact(all, line(f64::MAX, f64::MAX)), Some(1.0));
    assert_eq!(first_contact(line(5e-324, f64::MAX), line(0.0, f64::MIN)), None);
    // Test a box that ends on the seam against two points: the first lies on the seam; the second
    // is above it by less than the spacing of numbers near the side.
    let below = [Aabb::new([30.0], [32.0]); 2];
    assert_eq!(first_contact_in([32.0], below, line(0.0, 0.0)), Some(0.0));
    assert_eq!(first_contact_in([32.0], below, line(1e-20, 1e-20)), None);
    assert_eq!(first_contact_in([32.0], line(1e-20, 1e-20), below), None);
    assert_eq!(first_contact_in([32.0], line(30.0, 33.0), [Aabb::new([2.0], [9.0]); 2]), None);
    let back = line(-2.0, 2.0); // moved home at the end only
    assert_eq!(first_contact_in([32.0], back, [Aabb::new([20.0], [31.0]); 2]), Some(0.0));
}

fn number() -> BoxedStrategy<i32> {
    prop_oneof![8 => -12..12, 1 => any::<i32>(), 1 => Just(i32::MIN), 1 => Just(i32::MAX)].boxed()
}

fn point() -> BoxedStrategy<[i32; 2]> {
    (number(), number()).prop_map(<[i32; 2]>::from).boxed()
}

fn any_area() -> BoxedStrategy<Area> {
    (point(), point()).prop_map(|(a, b)| Aabb::of_points([a, b]).expect("two points")).boxed()
}

/// Returns the fraction at which a box that moves by `way` first touches another box.
fn first_touch(start: &Area, way: [i128; 2], other: &Area) -> Option<f64> {
    let begin = corners(start);
    let end = begin.map(|at| [at[0] + way[0], at[1] + way[1]]);
    expected([begin, end], [corners(other); 2])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 4000, ..Default::default() })]

    #[test]
    fn integer_paths_are_exact(start in any_area(), by in point(), other in any_area()) {
        let way = [0, 1].map(|axis| i128::from(by[axis]) - i128::from(start.max[axis]));
        let expected = first_touch(&Aabb::point(start.max), way, &other);
        prop_assert_eq!(Path::segment(start.max, by).first_touch(&other), expected);
        let expected = first_touch(&start, by.map(i128::from), &other);
        prop_assert_eq!(Path::sweep(start, by).first_touch(&other), expected);
        // A ray moves as the segment does, but without end.
        let ray = Path::ray(start.min, by);
        let alone = first_touch(&Aabb::point(start.min), by.map(i128::from), &other);
        prop_assert_eq!(ray.until(1.0).first_touch(&other), alone);
    }

    #[test]
    fn small_floats_agree_with_integers(
        from in [-12i8..12, -12..12], to in [-12i8..12, -12..12], min in [-12i8..12, -12..12],
        size in [0i8..6, 0..6],
    ) {
        let max = [0, 1].map(|axis| min[axis] + size[axis]);
        let exact = Path::segment(from.map(i32::from), to.map(i32::from))
            .first_touch(&Aabb::new(min.map(i32::from), max.map(i32::from)));
        let single = Path::segment(from.map(f32::from), to.map(f32::from))
            .first_touch(&Aabb::new(min.map(f32::from), max.map(f32::from)));
        let double = Path::segment(from.map(f64::from), to.map(f64::from))
            .first_touch(&Aabb::new(min.map(f64::from), max.map(f64::from)));
        prop_assert_eq!(double, exact);
        prop_assert_eq!(single, exact.map(|fraction| fraction as f32));
    }

    #[test]
    fn integer_balls_are_exact(center in point(), radius in 0..=i32::MAX, other in any_area()) {
        for radius in [radius, radius % 20] {
            let gap = |axis: usize| {
                let nearest = center[axis].clamp(other.min[axis], other.max[axis]);
                i128::from(center[axis]) - i128::from(nearest)
            };
            let square = gap(0).pow(2) + gap(1).pow(2);
            let expected = square <= i128::from(radius).pow(2);
            prop_assert_eq!(Region::ball(center, radius).overlaps(&other), expected);
            let target = Target::from(center);
            prop_assert_eq!(target.distance_squared(&other), Some(square as f64));
            let within = target.within(radius).distance_squared(&other);
            prop_assert_eq!(within.is_some(), expected);
        }
    }

    #[test]
    fn reach_overlaps_everything_the_region_overlaps(
        center in [any::<f32>(), any::<f32>()], radius in any::<f32>(), gap in -4i8..4,
        side in any::<bool>(),
    ) {
        let Some(ball) = Region::ball(center, radius).normalized() else { return Ok(()) };
        let reach = ball.reach();
        prop_assert!(reach.overlaps(&Aabb::point(center)));
        // Move a few representable numbers to either side of the region's end.
        let mut at = center;
        at[0] = if side { center[0] + radius } else { center[0] - radius };
        for _ in 0..gap.unsigned_abs() {
            at[0] = if gap > 0 { at[0].next_up() } else { at[0].next_down() };
        }
        let other = Aabb::point(at);
        if other.checked().is_ok() && ball.overlaps(&other) {
            prop_assert!(reach.overlaps(&other), "{ball:?} {other:?}");
        }
    }
}

#[test]
fn long_and_tiny_paths_are_correct() {
    let everything = Aabb::new([f32::MIN; 2], [f32::MAX; 2]);
    let corner = Aabb::point([f32::MAX; 2]);
    let diagonal = Path::segment([f32::MIN; 2], [f32::MAX; 2]);
    assert_eq!(diagonal.first_touch(&everything), Some(0.0));
    assert_eq!(diagonal.first_touch(&corner), Some(1.0));
    assert_eq!(diagonal.first_touch(&Aabb::point([0.0; 2])), Some(0.5));
    assert_eq!(Path::sweep(everything, [f32::MAX; 2]).first_touch(&corner), Some(0.0));
    // A segment of denormal length.
    let tiny = Path::segment([0.0_f32, 0.0], [4e-45, 0.0]);
    assert_eq!(tiny.first_touch(&Aabb::point([2e-45, 0.0])), Some(1.0 / 3.0));
    assert_eq!(tiny.first_touch(&Aabb::point([2e-45, 1e-45])), None);
    // Borders and corners count in every direction.
    let unit = Aabb::new([0.0, 0.0], [1.0, 1.0]);
    assert_eq!(Path::ray([-2.0, 1.0], [1.0, 0.0]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([3.0, -2.0], [-1.0, 1.0]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([-1.0, 1.0], [0.5, 0.5]).first_touch(&unit), None);
    assert_eq!(Path::ray([-1.0, 0.0], [0.5, 0.5]).first_touch(&unit), Some(2.0));
    assert_eq!(Path::ray([-2.0, 0.5], [-1.0, 0.0]).first_touch(&unit), None, "the box is behind");
}
