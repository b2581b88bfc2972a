//! Points of other libraries are accepted: every type that converts into an array.

use hexphase::{Aabb, BroadPhase, Lists, Path, Region, Target};

/// Builds a world from points of one type; its only box spans (1, 1) to (3, 3).
macro_rules! points {
    ($name:ident, $point:expr) => {
        #[test]
        fn $name() {
            let point = $point;
            let mut world: BroadPhase = BroadPhase::new();
            let around = Aabb::around(point(2.0, 2.0), point(1.0, 1.0));
            assert_eq!(around, Aabb::new(point(1.0, 1.0), point(3.0, 3.0)));
            assert_eq!(around, Aabb::of_ball(point(2.0, 2.0), 1.0));
            assert_eq!(Some(around), Aabb::of_points([point(1.0, 3.0), point(3.0, 1.0)]));
            assert!(around.contains_point(point(1.0, 3.0)));
            // Two corners convert into a box.
            let object = world.insert((point(1.0, 1.0), point(3.0, 3.0)), ()).unwrap();
            assert_eq!(world.get(object).unwrap().bounds, around);
            world.set_bounds(object, around.translated(point(4.0, 0.0))).unwrap();
            world.set_bounds(object, around).unwrap();

            assert_eq!(world.query(Region::point(point(3.0, 3.0))).to_vec(), [object]);
            assert_eq!(world.query(Region::ball(point(6.0, 7.0), 5.0)).to_vec(), [object]);
            assert_eq!(world.query(Region::ball(point(6.0, 7.5), 5.0)).to_vec().len(), 0);
            assert_eq!(world.query((point(3.0, 3.0), point(9.0, 9.0))).to_vec().len(), 1);

            assert_eq!(world.query(point(3.0, 3.0)).to_vec(), [object]);
            assert_eq!(world.query(point(3.5, 3.0)).to_vec().len(), 0);
            let nearest = |target| world.nearest(target).first().map(|near| near.distance_squared);
            assert_eq!(nearest(point(6.0, 7.0)), Some(25.0));
            let corners = world.nearest((point(6.0, 7.0), point(8.0, 9.0))).first();
            assert_eq!(corners.map(|near| near.distance_squared), Some(25.0));
            let targets = [Target::point(point(3.0, 7.0)), Target::point(point(2.0, 2.0))];
            let mut near = Lists::default();
            world.nearest_many(&targets).write_to(&mut near);
            assert!(near.items().iter().map(|near| near.distance_squared).eq([16.0, 0.0]));

            let first = |path| world.cast(path).first().map(|hit| hit.fraction);
            assert_eq!(first(Path::segment(point(0.0, 2.0), point(4.0, 2.0))), Some(0.25));
            assert_eq!(first(Path::ray(point(7.0, 2.0), point(-1.0, 0.0))), Some(4.0));
            let ball = Aabb::of_ball(point(2.0, 8.0), 1.0);
            assert_eq!(first(Path::sweep(ball, point(0.0, -8.0))), Some(0.5));
        }
    };
}

points!(arrays, |x: f32, y: f32| [x, y]);
points!(glam_vectors, glam::Vec2::new);
points!(mint_points, |x, y| mint::Point2 { x, y });
points!(mint_vectors, |x, y| mint::Vector2 { x, y });
points!(nalgebra_points, nalgebra::Point2::<f32>::new);
points!(nalgebra_vectors, nalgebra::Vector2::<f32>::new);

#[test]
fn points_in_space_and_of_other_number_types_are_accepted() {
    let expected = Aabb::new([1, 2, 3], [3, 4, 5]);
    assert_eq!(Aabb::of_ball(glam::IVec3::new(2, 3, 4), 1), expected);
    assert_eq!(Aabb::of_ball(mint::Point3 { x: 2, y: 3, z: 4 }, 1), expected);
    assert_eq!(Aabb::of_ball(nalgebra::Point3::new(2, 3, 4), 1), expected);
    let expected = Region::ball([0.5f64, 1.5], 2.0);
    assert_eq!(Region::ball(glam::DVec2::new(0.5, 1.5), 2.0), expected);
    assert_eq!(Region::ball(mint::Vector2 { x: 0.5, y: 1.5 }, 2.0), expected);
    assert_eq!(Region::ball(nalgebra::Vector2::new(0.5, 1.5), 2.0), expected);
}

#[test]
fn literals_take_the_number_type_of_the_world() {
    let doubles: BroadPhase<f64, 2> = BroadPhase::new();
    let integers: BroadPhase<i32, 3> = BroadPhase::new();
    assert_eq!(
        doubles.query([1.0, 2.0]).to_vec().len() + doubles.nearest([1.0, 2.0]).to_vec().len(),
        0
    );
    assert_eq!(doubles.query(Aabb::new([1.0, 2.0], [3.0, 4.0])).to_vec().len(), 0);
    assert_eq!(doubles.nearest(Aabb::point([1.0, 2.0])).to_vec().len(), 0);
    assert_eq!(doubles.query(([1.0, 2.0], [3.0, 4.0])).to_vec().len(), 0);
    assert_eq!(doubles.query(Region::ball([1.0, 2.0], 3.0)).to_vec().len(), 0);
    assert_eq!(doubles.nearest(Target::point([1.0, 2.0]).within(3.0)).to_vec().len(), 0);
    assert_eq!(
        integers.query([1, 2, 3]).to_vec().len() + integers.nearest([1, 2, 3]).to_vec().len(),
        0
    );
    // A tuple of numbers converts into an array; a tuple of points has the corners of a box.
    assert_eq!(doubles.query((1.0, 2.0)).to_vec().len(), 0);
}
