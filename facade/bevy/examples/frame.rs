//! The cost of the plugin: milliseconds of a frame in which every entity moves, with and without it.
//!
//! `cargo run --release --manifest-path facade/bevy/Cargo.toml --example frame`

use std::time::Instant;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_hexphase::{Bounds2d, BroadPhase, HexphasePlugin};
use bevy_transform::prelude::*;

#[derive(Component)]
struct Velocity([f32; 2]);

fn advance(mut entities: Query<(&mut Transform, &Velocity)>) {
    for (mut transform, velocity) in &mut entities {
        transform.translation.x += velocity.0[0];
        transform.translation.y += velocity.0[1];
    }
}

/// Creates an app of discs with a radius of 1, one for each 16 units of area.
fn app(count: u32, has_plugin: bool) -> App {
    let mut app = App::new();
    app.add_plugins(TransformPlugin).add_systems(Update, advance);
    if has_plugin {
        app.add_plugins(HexphasePlugin::<2>::default());
    }
    let side = f64::from(count * 16).sqrt() as f32;
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    for _ in 0..count {
        let at = Transform::from_xyz(random() * side, random() * side, 0.0);
        let velocity = Velocity([random() - 0.5, random() - 0.5]);
        app.world_mut().spawn((at, velocity, Bounds2d::ball(1.0)));
    }
    app
}

/// Returns the median time of a frame in milliseconds.
fn frame(app: &mut App) -> f64 {
    let mut times: Vec<f64> = (0..60)
        .map(|_| {
            let begin = Instant::now();
            app.update();
            begin.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() {
    for count in [10_000, 100_000] {
        let (mut with, mut without) = (app(count, true), app(count, false));
        let (with_time, without_time) = (frame(&mut with), frame(&mut without));
        let pairs = with.world().resource::<BroadPhase<2>>().pairs().count();
        let cost = with_time - without_time;
        println!(
            "{count} moving entities, {pairs} pairs: {with_time:.2} ms a frame, {without_time:.2} \
             without the plugin: {cost:.2} ms"
        );
    }
}
