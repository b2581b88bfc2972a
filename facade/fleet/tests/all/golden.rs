//! Each scene has one hash, for every structure, backend and number of threads, with and without
//! rollback.

use hexphase::{Algorithm, Backend, Options};
use hexphase_fleet::{Game, Saved, Scene, Script, Settings};
use rayon::ThreadPoolBuilder;

const TICKS: u64 = 60;

/// Plays the scripts of two players. With rollback, each tick loads the state `depth` ticks ago and
/// repeats these ticks twice, first with wrong inputs and then with the right ones.
fn play(settings: Settings, options: Options<i32, 2>, depth: u64) -> u64 {
    let mut game = Game::with_options(settings, options).expect("memory");
    let mut scripts = [0, 1].map(|player| Script::new(&settings, player));
    let inputs: Vec<_> =
        (0..TICKS).map(|_| scripts.each_mut().map(|script| script.command())).collect();
    let mut saved = vec![Saved::default(); depth as usize + 1];
    let place = |tick: u64| (tick % (depth + 1)) as usize;
    for now in 0..TICKS {
        if depth > 0 {
            game.save(&mut saved[place(now)]);
            let first = now.saturating_sub(depth);
            for wrong in [true, false] {
                game.load(&saved[place(first)]).expect("saved above");
                for tick in first..now {
                    game.save(&mut saved[place(tick)]);
                    let other = (tick + u64::from(wrong)) % TICKS;
                    game.advance(&inputs[other as usize]).expect("memory");
                }
            }
            game.forget(first);
        }
        game.advance(&inputs[now as usize]).expect("memory");
    }
    assert!(game.broken_cells() > 5, "{} cells lost", game.broken_cells());
    game.save(&mut Saved::default())
}

/// Runs a closure on this number of threads; on the only one of WebAssembly.
fn on_threads<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    if cfg!(target_family = "wasm") {
        return act();
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("threads").install(act)
}

fn check(settings: Settings, golden: u64) {
    let scalar = Options::new().algorithm(Algorithm::Brute).backend(Backend::SCALAR);
    let hash = play(settings, scalar, 0);
    for threads in 1..=3 {
        for &algorithm in Algorithm::ALL {
            for backend in Backend::available() {
                let options = Options::new().algorithm(algorithm).backend(backend);
                let depth = if threads == 1 { 5 } else { 0 };
                let other = on_threads(threads, || play(settings, options, depth));
                assert_eq!(other, hash, "{algorithm}, {backend:?}, {threads} threads");
            }
        }
    }
    assert_eq!(hash, golden, "{hash:#018x}");
}

#[test]
fn sparse_fleets_have_one_hash() {
    let settings = Settings { ships: 300, bullets: 300, ..Settings::default() };
    check(settings, 0x8b5f_1c93_6d07_c6e7);
}

#[test]
fn dense_fleets_have_one_hash() {
    let settings =
        Settings { ships: 150, bullets: 300, scene: Scene::Dense, ..Settings::default() };
    check(settings, 0x944e_2452_831d_307c);
}
