//! Golden hashes on any number of threads. The expected hashes come from the published results of
//! an independent program.

use broadphase_core::scenes::{Movers, Scene, SceneName};
use hexphase::{Aabb, Algorithm, BroadPhase, Number, Options};
use sha2::{Digest, Sha256};

fn sha256<S: Number, const D: usize>(scene: &Movers<D>, algorithm: Algorithm) -> String {
    let mut world: BroadPhase<S, D, u32> =
        BroadPhase::with_options(Options::new().algorithm(algorithm));
    for (key, bounds) in (0..).zip(scene.all_bounds()) {
        let convert = |x: f32| S::from_f64(f64::from(x));
        let bounds = Aabb { min: bounds.min.map(convert), max: bounds.max.map(convert) };
        world.insert(bounds, key).unwrap();
    }
    world.step();
    let mut hash = Sha256::new();
    for overlap in world.pairs() {
        hash.update(format!("{},{}\n", overlap.users[0], overlap.users[1]));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn check(name: &str, algorithm: Algorithm, expected: &str) {
    let scene = name.parse::<SceneName>().unwrap().generate();
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| match &scene {
            Scene::Flat(scene) => {
                [sha256::<f32, 2>(scene, algorithm), sha256::<f64, 2>(scene, algorithm)]
            }
            Scene::Solid(scene) => {
                [sha256::<f32, 3>(scene, algorithm), sha256::<f64, 3>(scene, algorithm)]
            }
        });
        assert_eq!(found, [expected; 2], "{name} by {algorithm}, {threads} threads");
    }
}

/// The scenes are large enough for several threads with every structure except brute force.
#[test]
fn published_scenes_match_their_hashes_on_any_number_of_threads() {
    for (name, expected) in [
        ("terdiman:100000", "459a585ef43b8d7d2a2182afa867a5dc0c4e0c95c7367373fc78c07ca298502d"),
        ("tail:100000", "ef8c526c0bf398907f67d515ba746891d670dacda864b2fce6744364d43d521c"),
        ("mixed3:10000", "1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207"),
    ] {
        for &algorithm in Algorithm::ALL {
            if !["auto", "brute"].contains(&algorithm.to_string().as_str()) {
                check(name, algorithm, expected);
            }
        }
    }
}
