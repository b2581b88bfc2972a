//! Tests of two sides (here threads) over loopback sockets, with a bad network between them.

use core::net::SocketAddr;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use core::time::Duration;
use std::net::UdpSocket;
use std::sync::Arc;
use std::thread;

use hexphase::{Algorithm, Backend};
use hexphase_fleet::{Command, Game, Machine, Saved, Script, Settings};
use hexphase_wire::{WireDifference, WireError, WirePlan, WireReport, connect, listen};

use crate::proxy::Proxy;

/// A game at four times real time, so the delay of 25 to 35 ms in each direction is 10 to 14 ticks.
fn plan() -> WirePlan {
    WirePlan {
        settings: Settings { ships: 150, bullets: 100, ..Settings::default() },
        ticks: 300,
        tick: Duration::from_micros(2500),
        machine: Machine { algorithm: Algorithm::Hshg, ..Machine::default() },
        ..WirePlan::default()
    }
}

fn other_machine() -> Machine {
    Machine { algorithm: Algorithm::Morton, backend: Backend::SCALAR, threads: 2 }
}

fn socket() -> (UdpSocket, SocketAddr) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("loopback");
    let address = socket.local_addr().expect("an address");
    (socket, address)
}

fn proxy(server: SocketAddr) -> Arc<Proxy> {
    Proxy::start(socket().0, server).expect("loopback")
}

type Outcome = Result<WireReport, WireError>;

/// Plays two sides through a proxy.
fn play(plans: [&WirePlan; 2]) -> ([Outcome; 2], Arc<Proxy>) {
    let (server, address) = socket();
    let proxy = proxy(address);
    let [two, one] = thread::scope(|scope| {
        let one = scope.spawn(|| listen(plans[0], server, |_| {}));
        [connect(plans[1], proxy.address(), |_| {}), one.join().expect("no panic")]
    });
    proxy.end.store(true, Relaxed);
    ([one, two], proxy)
}

/// Plays the same commands in a game without network and rollback. Returns the hash.
fn play_alone(plan: &WirePlan) -> u64 {
    let mut game = Game::new(plan.settings).expect("memory");
    let mut scripts = [0, 1].map(|player| Script::new(&plan.settings, player));
    for tick in 0..plan.ticks {
        let late = tick >= plan.delay.into();
        let commands = scripts.each_mut().map(|script| match late {
            true => script.command(),
            false => Command::NONE,
        });
        game.advance(&commands).expect("memory");
    }
    game.save(&mut Saved::default())
}

#[test]
fn two_sides_agree_over_a_bad_network() {
    let plan = plan();
    let (outcomes, proxy) = play([&plan, &WirePlan { machine: other_machine(), ..plan.clone() }]);
    let hash = play_alone(&plan);
    for (player, outcome) in outcomes.iter().enumerate() {
        let report = outcome.as_ref().expect("agreement");
        assert_eq!(report.hash, hash);
        assert_eq!(usize::from(report.player), player);
        assert!(report.left[2] > 0, "no contacts: {report:?}");
        let text = report.table(&plan);
        assert!(text.contains(&format!("{hash:016x}")), "{text}");
    }
    // If the machine is busy, one side falls behind: it receives inputs early and has few
    // rollbacks, so count the rollbacks of both sides.
    let rollbacks: u64 = outcomes.iter().flatten().map(|report| report.rollbacks).sum();
    assert!(rollbacks > 5, "{outcomes:?}");
    for count in [&proxy.lost, &proxy.twice, &proxy.overtaken] {
        assert!(count.load(Relaxed) > 10, "{proxy:?}");
    }
}

#[test]
fn one_bit_is_found_within_a_second_by_both_sides() {
    const TICK: u64 = 55;
    let check = |liar: usize| {
        let honest = plan();
        let lying = WirePlan { lie: Some(TICK), ..plan() };
        let plans = if liar == 0 { [&lying, &honest] } else { [&honest, &lying] };
        let differences: Vec<WireDifference> = play(plans)
            .0
            .into_iter()
            .map(|outcome| match outcome {
                Err(WireError::Differs(difference)) => difference,
                other => panic!("the lie of player {liar} is not found: {other:?}"),
            })
            .collect();
        let [one, two] = differences[..] else { panic!("two sides") };
        assert_eq!((one.tick, one.here, one.there), (two.tick, two.there, two.here));
        assert_eq!([one.player, two.player], [0, 1]);
        for difference in [one, two] {
            assert_ne!(difference.here, difference.there);
            assert!((TICK + 1..TICK + 40).contains(&difference.tick), "{difference}");
            assert!(difference.found <= TICK + 100, "{difference}");
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| check(0));
        check(1);
    });
}

#[test]
fn different_settings_are_refused_by_both_sides() {
    let plan = plan();
    let settings = Settings { ships: 151, seed: 2, ..plan.settings };
    let (outcomes, _) = play([&plan, &WirePlan { settings, ..plan.clone() }]);
    let texts = outcomes.map(|outcome| outcome.expect_err("other settings").to_string());
    assert!(
        texts[0].ends_with("ships 150 here and 151 there, seed 1 here and 2 there"),
        "{texts:?}"
    );
    assert!(
        texts[1].ends_with("ships 151 here and 150 there, seed 2 here and 1 there"),
        "{texts:?}"
    );
}

#[test]
fn silence_is_an_error() {
    let timeout = Duration::from_millis(500);
    let plan = WirePlan { timeout, ..plan() };
    let (server, address) = socket();
    // The game does not end before the proxy has stopped.
    let endless = WirePlan { ticks: 100_000, ..plan.clone() };
    let proxy = proxy(address);
    let to = proxy.address();
    let confirmed = AtomicU64::new(0);
    thread::scope(|scope| {
        let one = scope.spawn(|| listen(&endless, server, |_| {}));
        let two = scope.spawn(|| connect(&endless, to, |tick| confirmed.store(tick, Relaxed)));
        while confirmed.load(Relaxed) < 10 && !two.is_finished() {
            thread::sleep(Duration::from_millis(1));
        }
        proxy.end.store(true, Relaxed);
        for side in [one, two] {
            let outcome = side.join().expect("no panic");
            assert!(
                matches!(outcome, Err(WireError::Silent { confirmed: 1.., .. })),
                "{outcome:?}"
            );
        }
    });
    let quick = WirePlan { timeout: Duration::from_millis(150), ..plan };
    let (idle, address) = socket();
    let outcome = connect(&quick, address, |_| {});
    assert!(matches!(outcome, Err(WireError::NoAnswer(..))), "{outcome:?}");
    let outcome = listen(&quick, idle, |_| {});
    // The greetings of the previous call are still in the socket, but their sender has ended.
    assert!(matches!(outcome, Err(WireError::Silent { confirmed: 0, .. })), "{outcome:?}");
    let outcome = listen(&quick, socket().0, |_| {});
    assert!(matches!(outcome, Err(WireError::NotCalled(..))), "{outcome:?}");
}

#[test]
fn a_third_process_is_sent_away() {
    let plan = WirePlan { ticks: 200, ..plan() };
    let (server, address) = socket();
    thread::scope(|scope| {
        let one = scope.spawn(|| listen(&plan, server, |_| {}));
        let two = scope.spawn(|| {
            let mut third = None;
            let report = connect(&plan, address, |confirmed| {
                if confirmed > 20 && third.is_none() {
                    third = Some(connect(&plan, address, |_| {}));
                }
            });
            (report, third)
        });
        let (report, third) = two.join().expect("no panic");
        assert!(matches!(third, Some(Err(WireError::Busy(..)))), "{third:?}");
        assert_eq!(
            report.expect("a game").hash,
            one.join().expect("no panic").expect("a game").hash
        );
    });
}
