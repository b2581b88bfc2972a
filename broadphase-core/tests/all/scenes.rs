//! Scene names parse and print; objects stay in the world. The pairs of published scenes are tested
//! by the golden hashes of worlds.

use broadphase_core::scenes::{Scene, SceneKind, SceneName, UnknownScene};

#[test]
fn names_survive_printing_and_parsing() {
    for kind in SceneKind::ALL {
        for seed in [kind.default_seed(), 1, 4_000_000_000] {
            let scene = SceneName { kind, count: 17, seed };
            assert_eq!(scene.to_string().parse(), Ok(scene));
        }
    }
    let refused = |text: &str| text.parse::<SceneName>().unwrap_err();
    assert_eq!(refused("disks:10"), UnknownScene::Name);
    assert_eq!(refused("discs"), UnknownScene::Form);
    assert_eq!(refused("discs:10:1:1"), UnknownScene::Form);
    assert_eq!(refused("discs:"), UnknownScene::Count);
    assert_eq!(refused("discs:-1"), UnknownScene::Count);
    assert_eq!(refused("discs:4294967296"), UnknownScene::Count);
    assert_eq!(refused("discs:10:0"), UnknownScene::Seed);
    assert!(refused("disks:10").to_string().contains("clustered3"));
}

#[test]
fn boxes_of_terdiman_begin_in_the_world() {
    let Scene::Solid(movers) = SceneName::new(SceneKind::Terdiman, 200).generate() else {
        panic!("boxes are solid");
    };
    let [low, high] = movers.world;
    assert!(movers.centers.iter().flatten().all(|x| (low..=high).contains(x)));
}

#[test]
fn objects_stay_in_the_world_and_turn_around() {
    let Scene::Flat(mut movers) = SceneName::new(SceneKind::Discs, 200).generate() else {
        panic!("discs are flat");
    };
    let begin = movers.clone();
    for _ in 0..20_000 {
        movers.tick();
        let [low, high] = movers.world;
        assert!(movers.centers.iter().flatten().all(|x| (low..=high).contains(x)));
    }
    let turned = movers.velocities.iter().zip(&begin.velocities);
    assert!(turned.clone().any(|(v, before)| v != before), "some object reached the border");
    assert!(turned.flat_map(|(v, before)| v.iter().zip(before)).all(|(v, w)| v.abs() == w.abs()));
}
