//! A window with entities of all sizes that bounce off each other. Gizmos draw their bounds and
//! pairs.
//!
//! `cargo run`; with `--ignore-rust-version` if Bevy demands a later Rust than yours.

use bevy::prelude::*;
use bevy_hexphase::{Began, Bounds2d, HexphasePlugin, HexphaseSystems, draw};
use oorandom::Rand32;

/// The number of entities.
const COUNT: u32 = 250;
/// Half of the width and of the height of the window.
const HALF: Vec2 = Vec2::new(480.0, 320.0);

#[derive(Component)]
struct Velocity(Vec2);

fn main() {
    let window = Window {
        title: "bevy_hexphase".to_owned(),
        resolution: (2 * HALF.as_uvec2()).into(),
        ..Window::default()
    };
    App::new()
        .add_plugins(DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }))
        .add_plugins(HexphasePlugin::<2>::default())
        .insert_resource(ClearColor(Color::srgb(0.05, 0.06, 0.08)))
        .add_systems(Startup, spawn)
        .add_systems(Update, (bounce, advance).chain())
        .add_systems(PostUpdate, draw::<2>.after(HexphaseSystems::Step))
        .run();
}

fn spawn(mut commands: Commands) {
    commands.spawn(Camera2d);
    let random = &mut Rand32::new(7);
    for _ in 0..COUNT {
        let mut next = |half: f32| (random.rand_float() * 2.0 - 1.0) * half;
        let (center, velocity) = (Vec2::new(next(HALF.x), next(HALF.y)), [next(60.0), next(60.0)]);
        // Each doubling of the size is three times as rare.
        let radius = 4.0 * next(1.0).abs().max(0.01).powf(-0.6);
        commands.spawn((
            Bounds2d::ball(radius.min(60.0)),
            Transform::from_translation(center.extend(0.0)),
            Velocity(velocity.into()),
        ));
    }
}

/// Turns entities that begin to overlap away from each other.
fn bounce(mut began: MessageReader<Began<2>>, mut entities: Query<(&Transform, &mut Velocity)>) {
    for pair in began.read() {
        let Ok([(a, mut va), (b, mut vb)]) = entities.get_many_mut(pair.entities) else { continue };
        let away = (b.translation - a.translation).truncate().normalize_or_zero();
        let approach = (va.0 - vb.0).dot(away).max(0.0);
        va.0 -= away * approach;
        vb.0 += away * approach;
    }
}

/// Moves all entities; at the sides of the window they turn.
fn advance(time: Res<Time>, mut entities: Query<(&mut Transform, &mut Velocity)>) {
    for (mut transform, mut velocity) in &mut entities {
        for axis in 0..2 {
            let at = transform.translation[axis] + velocity.0[axis] * time.delta_secs();
            if at.abs() > HALF[axis] {
                velocity.0[axis] = -at.signum() * velocity.0[axis].abs();
            }
            transform.translation[axis] = at.clamp(-HALF[axis], HALF[axis]);
        }
    }
}
