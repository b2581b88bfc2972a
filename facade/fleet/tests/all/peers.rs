//! Peers on different machines agree, and a peer with a changed bit is found.

use hexphase::{Algorithm, Backend};
use hexphase_fleet::{Conditions, Difference, Machine, Plan, Scene, Settings, run};

fn plan() -> Plan {
    let machines = vec![
        Machine { algorithm: Algorithm::Hshg, ..Machine::default() },
        Machine { algorithm: Algorithm::Morton, backend: Backend::SCALAR, threads: 2 },
        Machine { algorithm: Algorithm::Brute, ..Machine::default() },
    ];
    Plan {
        settings: Settings { ships: 200, bullets: 200, ..Settings::default() },
        machines,
        ticks: 80,
        conditions: Conditions { latency: 20, loss: 100, twice: 200 },
        depth: 0,
        lie: None,
    }
}

#[test]
fn peers_agree_at_every_tick() {
    let report = run(&plan(), |_| {}).expect("agreement");
    assert_eq!(report.compared, 80);
    assert!(report.lost > 10 && report.left[2] > 0, "{report:?}");
    for peer in &report.peers {
        assert!(peer.replayed > 100, "{peer:?}");
    }
    let dense = Settings { ships: 100, bullets: 10, scene: Scene::Dense, ..Settings::default() };
    let report = run(&Plan { settings: dense, depth: 9, ..plan() }, |_| {}).expect("agreement");
    assert_eq!(report.compared, 80);
    assert!((5.0..95.0).contains(&report.touching), "{report:?}");
}

#[test]
fn a_lie_is_found_at_its_tick() {
    for peer in 0..3 {
        let error = run(&Plan { lie: Some((peer, 33)), ..plan() }, |_| {}).expect_err("a lie");
        let difference = error.downcast_ref::<Difference>().expect("a difference");
        assert_eq!(difference.tick, 33);
        assert!(difference.peers.contains(&peer), "{difference}");
    }
}
