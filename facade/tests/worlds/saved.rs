//! Saves and reads worlds and handles with serde.

use core::fmt::Debug;

use hexphase::{Aabb, BroadPhase, Filter, Handle, Motion, Object, Options, Plain as _};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

type World = BroadPhase<f32, 2, u16>;

fn refusal<V: DeserializeOwned + Debug>(text: &str) -> String {
    let why = serde_json::from_str::<V>(text).expect_err(text).to_string();
    // Remove the position in the text from the message.
    why.split(" at line").next().unwrap_or_default().to_owned()
}

/// Returns a world with a variety of objects.
fn world(options: Options) -> World {
    let mut world = World::with_options(options);
    for n in 0..30u16 {
        let motion = [Motion::Dynamic, Motion::Static, Motion::Sleeping][usize::from(n % 3)];
        let filter = Filter::layers(1 << (n % 2)).mask(3);
        let at = [f32::from(n % 6), f32::from(n)];
        world
            .insert_object(Object::new(Aabb::of_ball(at, 1.5), n).motion(motion).filter(filter))
            .expect("good");
    }
    world.step();
    let gone = world.handles().nth(7).expect("thirty");
    world.remove(gone);
    world
}

#[test]
fn saved_worlds_continue_identically() {
    for options in [Options::new(), Options::new().events(false), Options::new().wrap([16.0, 0.0])]
    {
        let mut world = world(options);
        let mut snapshot = Vec::new();
        world.snapshot_into(&mut snapshot);
        let text = serde_json::to_string(&world).expect("text");
        assert_eq!(text, serde_json::to_string(&snapshot).expect("numbers"));
        let bytes = postcard::to_allocvec(&world).expect("bytes");
        let read = [serde_json::from_str(&text).ok(), postcard::from_bytes(&bytes).ok()];
        world.step();
        for again in read {
            let mut again: World = again.expect("valid world");
            again.assert_well_formed();
            again.step();
            assert!(again.pairs().eq(world.pairs()) && again.ended().eq(world.ended()));
            assert_eq!(again.state_hash(), world.state_hash());
        }
    }
}

#[test]
fn saved_handles_are_valid_in_the_saved_world() {
    #[derive(Serialize, Deserialize)]
    struct Game {
        world: World,
        player: Handle,
        camera: Aabb,
    }
    let mut game = Game {
        world: world(Options::new()),
        player: Handle::read(&mut &[0; 8][..]).expect("eight bytes"),
        camera: Aabb::new([0.0, 0.0], [4.0, 3.0]),
    };
    game.player = game.world.insert(Aabb::point([0.0; 2]), 99).expect("good");
    assert_eq!(serde_json::to_string(&game.player).expect("text"), "[7,1]");
    let text = serde_json::to_string(&game).expect("text");
    let mut again: Game = serde_json::from_str(&text).expect("valid game");
    assert_eq!((again.world[again.player], again.camera), (99, game.camera));
    let next = again.world.insert(Aabb::point([0.0; 2]), 1).expect("good");
    assert_eq!(next, game.world.insert(Aabb::point([0.0; 2]), 1).expect("good"));
}

#[test]
fn invalid_snapshots_have_precise_errors() {
    let text = serde_json::to_string(&world(Options::new())).expect("text");
    let other = refusal::<BroadPhase<f64, 2, u16>>(&text);
    assert_eq!(
        other,
        "snapshot of another kind of world: number type f32 in the snapshot, f64 in this world"
    );
    let mut bytes: Vec<u8> = serde_json::from_str(&text).expect("numbers");
    bytes[100] ^= 1;
    let damaged = serde_json::to_string(&bytes).expect("text");
    assert_eq!(refusal::<World>(&damaged), "damaged snapshot");
    assert_eq!(refusal::<World>(r#""world""#), "not a snapshot");
    assert_eq!(refusal::<World>("[]"), "not a snapshot");
    assert_eq!(refusal::<World>("[256]"), "invalid value: integer `256`, expected u8");
    let number = "invalid type: integer `1`, expected the bytes of a snapshot";
    assert_eq!(refusal::<World>("1"), number);
}
