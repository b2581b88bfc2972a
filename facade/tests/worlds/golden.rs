//! Golden hashes of scenes, with every structure, backend and number type that can hold the scene.
//! An independent program computed the results and their hashes, which are published.

use broadphase_core::scenes::{Movers, Scene, SceneName};
#[cfg(feature = "hshg")]
use hexphase::Hshg;
#[cfg(feature = "morton")]
use hexphase::MortonCells;
#[cfg(feature = "hash")]
use hexphase::SpatialHash;
use hexphase::{
    Aabb, Algorithm, Backend, BroadPhase, BruteForce, Number, Options, Pair, SpatialIndex,
    SpatialIndexExt,
};
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

#[test]
fn terdiman_matches_the_published_hash() {
    let expected = "be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f";
    check_scene("terdiman:10000", expected);
    let Scene::Solid(scene) = "terdiman:10000".parse::<SceneName>().unwrap().generate() else {
        panic!("expected three dimensions");
    };
    // All coordinates of this scene are integers, so the `i32` world must find the same pairs.
    check::<i32, 3>("terdiman:10000", &scene, expected);
}

#[test]
fn discs_match_the_published_hash() {
    let expected = "2305e161b63d0dd8fc81c3da52f7367105047bf93593a597b191a504cd275119";
    check_scene("discs:10000", expected);
}

#[test]
fn mixed_match_the_published_hash() {
    let expected = "75e4916e7a6cb2c3c7ee536a8053da842e62fdc216d85991250d625701795be3";
    check_scene("mixed:10000", expected);
}

#[test]
fn tail_match_the_published_hash() {
    let expected = "19c9124bfb5bce3d4ffa1c13201bc5333e0f8d399c62aa27ec8caa458f904fa3";
    check_scene("tail:10000", expected);
}

#[test]
fn clustered_match_the_published_hash() {
    let expected = "e3997bd706ac0d53d79109e8059e38a2c88dc7085cb2f1f88611259b56187873";
    check_scene("clustered:10000", expected);
}

#[test]
fn discs3_match_the_published_hash() {
    let expected = "63622c56ccba41d008653e9928e993f8c55a64fba18eecf4d78196ca3a424971";
    check_scene("discs3:10000", expected);
}

#[test]
fn mixed3_match_the_published_hash() {
    let expected = "1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207";
    check_scene("mixed3:10000", expected);
}

/// Inserts all objects in random order, removes two thirds, inserts the removed objects in another
/// order, and moves a few objects away and back.
fn detour<const D: usize, I: SpatialIndex<f32, D>>(index: &mut I, scene: &Movers<D>) {
    let mut seed = 1u32;
    let mut keys: Vec<u32> = (0..scene.len() as u32).collect();
    let mut shuffle = |keys: &mut [u32]| {
        for last in (1..keys.len()).rev() {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            keys.swap(last, seed as usize % (last + 1));
        }
    };
    let bounds = |key: u32| scene.bounds(key as usize);
    shuffle(&mut keys);
    index.extend(keys.iter().map(|&key| (key, bounds(key)))).unwrap();
    shuffle(&mut keys);
    keys.truncate(scene.len() / 3 * 2);
    keys.iter().for_each(|&key| assert!(index.remove(key)));
    shuffle(&mut keys);
    index.extend(keys.iter().map(|&key| (key, bounds(key)))).unwrap();
    for &key in &keys[..1000] {
        index.set_bounds(key, bounds((key + 1) % scene.len() as u32).translated([1e5; D])).unwrap();
    }
    for &key in &keys[..1000] {
        index.set_bounds(key, bounds(key)).unwrap();
    }
    index.assert_well_formed();
}

fn check_detour<const D: usize>(scene: &Movers<D>, expected: &str) {
    let text =
        |pairs: &[Pair]| -> String { pairs.iter().map(|[a, b]| format!("{a},{b}\n")).collect() };
    let mut pairs = Vec::new();
    let mut brute: BruteForce<f32, D> = BruteForce::new();
    detour(&mut brute, scene);
    brute.pairs(&mut pairs);
    assert_eq!(sha256(&text(&pairs)), expected, "brute force");
    #[cfg(feature = "hash")]
    {
        let cell = SpatialHash::<f32, D>::recommend(scene.all_bounds());
        let mut hash: SpatialHash<f32, D> = SpatialHash::new(cell);
        detour(&mut hash, scene);
        hash.pairs(&mut pairs);
        assert_eq!(sha256(&text(&pairs)), expected, "spatial hash");
    }
    #[cfg(feature = "hshg")]
    {
        let mut grid: Hshg<f32, D> = Hshg::new();
        detour(&mut grid, scene);
        grid.pairs(&mut pairs);
        assert_eq!(sha256(&text(&pairs)), expected, "hierarchical grid");
    }
    #[cfg(feature = "morton")]
    {
        let mut cells: MortonCells<f32, D> = MortonCells::new();
        detour(&mut cells, scene);
        cells.pairs(&mut pairs);
        assert_eq!(sha256(&text(&pairs)), expected, "sorted cells");
    }
}

#[test]
fn results_do_not_depend_on_history() {
    for (name, expected) in [
        ("tail:10000", "19c9124bfb5bce3d4ffa1c13201bc5333e0f8d399c62aa27ec8caa458f904fa3"),
        ("terdiman:10000", "be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f"),
    ] {
        match name.parse::<SceneName>().unwrap().generate() {
            Scene::Flat(scene) => check_detour(&scene, expected),
            Scene::Solid(scene) => check_detour(&scene, expected),
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
