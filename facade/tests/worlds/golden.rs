//! Golden hashes of scenes, with every structure, backend and number type that can hold the scene.
//! An independent program computed the results and their hashes, which are published.

use broadphase_core::scenes::{Movers, Scene, SceneName};
use hexphase::{Aabb, Algorithm, Backend, BroadPhase, Number, Options};
use sha2::{Digest, Sha256};

/// Returns the pairs as text: a line `a,b` per pair.
fn answer<S: Number, const D: usize>(world: &BroadPhase<S, D, u32>) -> String {
    let mut text = String::new();
    for overlap in world.pairs() {
        text += &format!("{},{}\n", overlap.users[0], overlap.users[1]);
    }
    text
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn world<S: Number, const D: usize>(
    scene: &Movers<D>,
    algorithm: Algorithm,
    backend: Backend,
) -> BroadPhase<S, D, u32> {
    let mut world = BroadPhase::with_options(Options::new().algorithm(algorithm).backend(backend));
    for (key, bounds) in (0..).zip(scene.all_bounds()) {
        let convert = |x: f32| S::from_f64(f64::from(x));
        let bounds = Aabb { min: bounds.min.map(convert), max: bounds.max.map(convert) };
        world.insert(bounds, key).unwrap();
    }
    world
}

fn check<S: Number, const D: usize>(name: &str, scene: &Movers<D>, expected: &str) {
    for backend in Backend::available() {
        for &algorithm in Algorithm::ALL {
            let mut world = world::<S, D>(scene, algorithm, backend);
            world.step();
            world.assert_well_formed();
            assert_eq!(world.backend(), backend);
            let choice = world.choice().algorithm;
            assert!(algorithm == Algorithm::Auto || choice == Some(algorithm), "{choice:?} ran");
            let found = sha256(&answer(&world));
            assert_eq!(found, expected, "{name} by {algorithm} on {backend} in {}", S::NAME);
        }
    }
}

fn check_scene(name: &str, expected: &str) {
    match name.parse::<SceneName>().unwrap().generate() {
        Scene::Flat(scene) => {
            check::<f32, 2>(name, &scene, expected);
            check::<f64, 2>(name, &scene, expected);
        }
        Scene::Solid(scene) => {
            check::<f32, 3>(name, &scene, expected);
            check::<f64, 3>(name, &scene, expected);
        }
    }
}

macro_rules! published {
    ($($test:ident $scene:literal $hash:literal;)*) => {$(
        #[test]
        fn $test() {
            check_scene($scene, $hash);
        }
    )*};
}
published! {
    discs "discs:10000" "2305e161b63d0dd8fc81c3da52f7367105047bf93593a597b191a504cd275119";
    mixed "mixed:10000" "75e4916e7a6cb2c3c7ee536a8053da842e62fdc216d85991250d625701795be3";
    tail "tail:10000" "19c9124bfb5bce3d4ffa1c13201bc5333e0f8d399c62aa27ec8caa458f904fa3";
    clustered "clustered:10000" "e3997bd706ac0d53d79109e8059e38a2c88dc7085cb2f1f88611259b56187873";
    discs3 "discs3:10000" "63622c56ccba41d008653e9928e993f8c55a64fba18eecf4d78196ca3a424971";
    mixed3 "mixed3:10000" "1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207";
    terdiman "terdiman:10000" "be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f";
}

/// All coordinates of this scene are integers, so worlds of `i32` must find the same pairs.
#[test]
fn terdiman_in_integers() {
    let Scene::Solid(scene) = "terdiman:10000".parse::<SceneName>().unwrap().generate() else {
        panic!("expected three dimensions");
    };
    let expected = "be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f";
    check::<i32, 3>("terdiman:10000", &scene, expected);
}

/// The scenes are large enough for several threads with every structure except brute force.
#[cfg(all(feature = "rayon", feature = "hshg"))]
#[test]
fn published_scenes_match_their_hashes_on_any_number_of_threads() {
    fn check<const D: usize>(scene: &Movers<D>, expected: &str) {
        for threads in [1, 2, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for &algorithm in Algorithm::ALL.iter().filter(|&&one| one != Algorithm::Brute) {
                let found = pool.install(|| {
                    let mut world = world::<f32, D>(scene, algorithm, Backend::detect());
                    world.step();
                    sha256(&answer(&world))
                });
                assert_eq!(found, expected, "{algorithm}, {threads} threads");
            }
        }
    }
    for (name, expected) in [
        ("terdiman:100000", "459a585ef43b8d7d2a2182afa867a5dc0c4e0c95c7367373fc78c07ca298502d"),
        ("tail:100000", "ef8c526c0bf398907f67d515ba746891d670dacda864b2fce6744364d43d521c"),
        ("mixed3:10000", "1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207"),
    ] {
        match name.parse::<SceneName>().unwrap().generate() {
            Scene::Flat(scene) => check(&scene, expected),
            Scene::Solid(scene) => check(&scene, expected),
        }
    }
}

/// Returns the FNV-1a hash of the pairs of 100 ticks in which everything moves and objects are
/// replaced.
fn hundred_ticks(algorithm: Algorithm, backend: Backend) -> u64 {
    let Scene::Flat(mut scene) = "tail:2000".parse::<SceneName>().unwrap().generate() else {
        panic!("expected two dimensions");
    };
    let mut world = world::<f32, 2>(&scene, algorithm, backend);
    let mut handles: Vec<_> = world.handles().collect();
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for tick in 0..100 {
        scene.tick();
        let bounds: Vec<_> = scene.all_bounds().collect();
        world.update(|_, user, place| *place = bounds[*user as usize]).unwrap();
        let user = tick * 19 % 2000;
        assert_eq!(world.remove(handles[user]), Some(user as u32));
        handles[user] = world.insert(bounds[user], user as u32).unwrap();
        world.step();
        for overlap in world.pairs() {
            for byte in overlap.users.into_iter().flat_map(u32::to_le_bytes) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    hash
}

#[test]
fn hundred_ticks_of_movement_match_the_golden_hash() {
    for backend in Backend::available() {
        for &algorithm in Algorithm::ALL {
            // The expected hash was computed by brute force on the scalar backend.
            let golden = 0xdd00_a32a_b43c_be0a;
            assert_eq!(hundred_ticks(algorithm, backend), golden, "{algorithm} on {backend}");
        }
    }
}
