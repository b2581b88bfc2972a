//! A whole app: entities that move, are despawned, have parents, change layers, and are rolled back.

use std::collections::BTreeSet;
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_hexphase::hexphase::{Filter, Motion, Path};
use bevy_hexphase::{
    Began, Bounds2d, Bounds3d, BroadPhase, Ended, HexphasePlugin, Layers, Mobility,
};
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

/// The pairs according to the messages.
#[derive(Resource, Default)]
struct Known(BTreeSet<[Entity; 2]>);

fn read_messages(
    mut began: MessageReader<Began<2>>,
    mut ended: MessageReader<Ended<2>>,
    mut known: ResMut<Known>,
) {
    for pair in ended.read() {
        assert!(known.0.remove(&pair.entities), "{pair:?} had not begun");
    }
    for pair in began.read() {
        assert!(known.0.insert(pair.entities), "{pair:?} had begun before");
    }
}

#[derive(Component, Clone, Copy)]
struct Velocity([f32; 2]);

const SIDE: f32 = 1000.0;

/// Moves entities, and lets them bounce off the sides of the area.
fn advance(mut entities: Query<(&mut Transform, &mut Velocity)>) {
    for (mut transform, mut velocity) in &mut entities {
        for axis in 0..2 {
            let at = transform.translation[axis] + velocity.0[axis];
            if !(0.0..=SIDE).contains(&at) {
                velocity.0[axis] = -velocity.0[axis];
            }
            transform.translation[axis] = at.clamp(0.0, SIDE);
        }
    }
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, HexphasePlugin::<2>::default()))
        .init_resource::<Known>()
        .add_systems(Update, advance)
        .add_systems(Last, read_messages);
    app
}

/// A sequence of numbers from 0 to 1.
fn numbers(mut state: u64) -> impl FnMut() -> f32 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32
    }
}

fn spawn(app: &mut App, count: usize, mut random: impl FnMut() -> f32) -> Vec<Entity> {
    let mut spawned = Vec::new();
    for _ in 0..count {
        let transform = Transform::from_xyz(random() * SIDE, random() * SIDE, 0.0);
        let velocity = Velocity([random() - 0.5, random() - 0.5].map(|x| x * 4.0));
        spawned.push(app.world_mut().spawn((Bounds2d::ball(3.0), transform, velocity)).id());
    }
    spawned
}

/// Checks the pairs of the world and of the messages against brute force over all entities.
fn check(app: &mut App) {
    let mut query =
        app.world_mut().query::<(Entity, &Bounds2d, &GlobalTransform, &Layers, &Mobility)>();
    let mut all: Vec<_> = query
        .iter(app.world())
        .map(|(entity, bounds, at, layers, mobility)| {
            (entity, bounds.transformed(at), layers.0, mobility.motion)
        })
        .collect();
    let order =
        |entity: Entity| app.world().resource::<BroadPhase<2>>().handle(entity).expect("inserted");
    all.sort_by_key(|one| order(one.0));
    // Sorted by their first end, so that few pairs are compared.
    let mut expected = BTreeSet::new();
    let mut by_x = all.clone();
    by_x.sort_by(|a, b| a.1.min[0].total_cmp(&b.1.min[0]));
    for (index, a) in by_x.iter().enumerate() {
        for b in by_x[index + 1..].iter().take_while(|b| b.1.min[0] <= a.1.max[0]) {
            let both_static = a.3 == Motion::Static && b.3 == Motion::Static;
            if a.1.overlaps(&b.1) && a.2.accepts(&b.2) && !both_static {
                let [first, second] = if order(a.0) < order(b.0) { [a, b] } else { [b, a] };
                expected.insert([first.0, second.0]);
            }
        }
    }
    let world = app.world().resource::<BroadPhase<2>>();
    assert_eq!(world.world().len(), all.len());
    assert_eq!(world.pairs().collect::<BTreeSet<_>>(), expected);
    assert_eq!(app.world().resource::<Known>().0, expected, "messages");
}

#[test]
fn ten_thousand_moving_entities() {
    let mut app = app();
    let entities = spawn(&mut app, 10_000, numbers(1));
    for frame in 0..12 {
        match frame {
            3 => entities.iter().step_by(7).for_each(|&entity| {
                app.world_mut().despawn(entity);
            }),
            4 => {
                for &entity in entities.iter().skip(1).step_by(7) {
                    let layers = Layers(Filter::layers(2).mask(4));
                    app.world_mut().entity_mut(entity).insert(layers);
                }
            }
            5 => {
                for &entity in entities.iter().skip(2).step_by(7) {
                    app.world_mut().entity_mut(entity).remove::<Bounds2d>();
                }
            }
            6 => {
                for &entity in entities.iter().skip(3).step_by(7) {
                    app.world_mut()
                        .entity_mut(entity)
                        .remove::<Velocity>()
                        .insert(Mobility::STATIC);
                }
                spawn(&mut app, 500, numbers(2));
            }
            7 => {
                for &entity in entities.iter().skip(2).step_by(7) {
                    app.world_mut().entity_mut(entity).insert(Bounds2d::cuboid([4.0, 9.0]));
                }
            }
            _ => {}
        }
        app.update();
        check(&mut app);
    }
    assert!(app.world().resource::<Known>().0.len() > 1000);
}

#[test]
fn children_move_with_their_parents() {
    let mut app = app();
    let parent = app
        .world_mut()
        .spawn(Transform::from_xyz(100.0, 0.0, 0.0).with_scale([2.0; 3].into()))
        .id();
    let at = Transform::from_xyz(10.0, 0.0, 0.0);
    let child = app.world_mut().spawn((Bounds2d::cuboid([2.0, 2.0]), at, ChildOf(parent))).id();
    let other =
        app.world_mut().spawn((Bounds2d::ball(1.0), Transform::from_xyz(122.5, 0.0, 0.0))).id();
    app.update();
    check(&mut app);
    let pairs = |app: &App| app.world().resource::<BroadPhase<2>>().pairs().collect::<Vec<_>>();
    // The child is at 120, with a half extent of 2.
    assert_eq!(pairs(&app), [[child, other]]);
    app.world_mut().entity_mut(parent).get_mut::<Transform>().unwrap().translation.y = 50.0;
    app.update();
    check(&mut app);
    assert_eq!(pairs(&app), [[Entity::PLACEHOLDER; 2]; 0]);
    // A rotation by 45 degrees makes the box of the child larger.
    let mut turned = app.world_mut().entity_mut(child);
    turned.get_mut::<Transform>().unwrap().rotate_z(core::f32::consts::FRAC_PI_4);
    app.update();
    let world = app.world().resource::<BroadPhase<2>>();
    let bounds = world.world().get(world.handle(child).unwrap()).unwrap().bounds;
    assert!((bounds.max[0] - bounds.min[0] - 4.0 * 2f32.sqrt()).abs() < 1e-4, "{bounds:?}");
    app.world_mut().despawn(parent);
    app.update();
    check(&mut app);
    assert_eq!(app.world().resource::<BroadPhase<2>>().world().len(), 1);
}

#[test]
fn queries_name_entities() {
    let mut app = app();
    let mut at = |x: f32, y: f32| {
        app.world_mut().spawn((Bounds2d::ball(1.0), Transform::from_xyz(x, y, 0.0))).id()
    };
    let (a, b) = (at(10.0, 10.0), at(20.0, 10.0));
    app.update();
    let world = app.world().resource::<BroadPhase<2>>();
    assert_eq!(world.query([0.0, 0.0], [9.5, 9.5]), [a]);
    assert_eq!(world.nearest([18.0, 10.0], 2), [(b, 1.0), (a, 7.0)]);
    assert_eq!(world.cast(Path::segment([29.0, 10.0], [9.0, 10.0])), [(b, 0.4), (a, 0.9)]);
}

#[test]
fn three_dimensions() {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, HexphasePlugin::<3>::default()));
    let at = |z| Transform::from_xyz(0.0, 0.0, z);
    let a = app.world_mut().spawn((Bounds3d::ball(1.0), at(0.0))).id();
    let b = app.world_mut().spawn((Bounds3d::cuboid([1.0, 1.0, 3.0]), at(2.0))).id();
    app.world_mut().spawn((Bounds3d::ball(1.0), at(9.0)));
    app.update();
    assert!(app.world().resource::<BroadPhase<3>>().pairs().eq([[a, b]]));
}

#[test]
fn a_fixed_timestep() {
    let mut app = App::new();
    let step = Duration::from_millis(10);
    app.add_plugins((
        TimePlugin,
        TransformPlugin,
        HexphasePlugin::<2>::default().in_schedule(FixedPostUpdate),
    ))
    .insert_resource(Time::<Fixed>::from_duration(step))
    .insert_resource(TimeUpdateStrategy::ManualDuration(step * 2))
    .add_systems(FixedUpdate, advance)
    .init_resource::<Known>()
    .add_systems(FixedLast, read_messages);
    let entities = spawn(&mut app, 1000, numbers(3));
    app.update();
    for round in 0..20 {
        if round == 5 {
            app.world_mut().despawn(entities[100]);
        }
        app.update();
        check(&mut app);
    }
}

#[test]
fn an_entity_with_invalid_bounds_is_named() {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, HexphasePlugin::<2>::default()));
    app.set_error_handler(|error, _| {
        assert!(error.to_string().contains("the bounds of entity"), "{error}");
    });
    let bad = app.world_mut().spawn(Bounds2d::ball(f32::NAN)).id();
    let good = app.world_mut().spawn(Bounds2d::ball(1.0)).id();
    app.update();
    let world = app.world().resource::<BroadPhase<2>>();
    assert_eq!((world.handle(bad), world.handle(good)), (None, None));
    // After the correction, everything is copied.
    app.world_mut().entity_mut(bad).insert(Bounds2d::ball(2.0));
    app.update();
    assert!(app.world().resource::<BroadPhase<2>>().pairs().eq([[bad, good]]));
}

/// The state of a frame: what a rollback restores.
fn saved(app: &mut App) -> (BroadPhase<2>, Vec<(Entity, Transform, Velocity)>) {
    let mut query = app.world_mut().query::<(Entity, &Transform, &Velocity)>();
    let moving = query.iter(app.world()).map(|(entity, at, velocity)| (entity, *at, *velocity));
    (app.world().resource::<BroadPhase<2>>().clone(), moving.collect())
}

#[test]
fn eight_frames_are_rolled_back() {
    let mut app = App::new();
    app.add_plugins((TransformPlugin, HexphasePlugin::<2>::default())).add_systems(Update, advance);
    spawn(&mut app, 2000, numbers(4));
    (0..5).for_each(|_| app.update());
    let (world, moving) = saved(&mut app);
    let run = |app: &mut App| -> Vec<(u64, Vec<[Entity; 2]>)> {
        let frame = |_| {
            app.update();
            let world = app.world().resource::<BroadPhase<2>>();
            (world.world().state_hash(), world.began().chain(world.ended()).collect())
        };
        (0..8).map(frame).collect()
    };
    let first = run(&mut app);
    for (entity, transform, velocity) in moving {
        app.world_mut().entity_mut(entity).insert((transform, velocity));
    }
    app.insert_resource(world);
    assert_eq!(run(&mut app), first);
}
