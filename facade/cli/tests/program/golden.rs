//! Golden hashes: the output is identical with every structure, backend and scalar type.

use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use hexphase::Backend;

use crate::run::{Folder, run};

/// Generated scenes of 10,000 objects, each with its number of pairs and the hash of the output.
const SMALL: [(&str, usize, &str); 7] = [
    ("terdiman:10000", 11_811, "be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f"),
    ("discs:10000", 1_826, "2305e161b63d0dd8fc81c3da52f7367105047bf93593a597b191a504cd275119"),
    ("mixed:10000", 9_791, "75e4916e7a6cb2c3c7ee536a8053da842e62fdc216d85991250d625701795be3"),
    ("tail:10000", 8_733, "19c9124bfb5bce3d4ffa1c13201bc5333e0f8d399c62aa27ec8caa458f904fa3"),
    ("clustered:10000", 26_794, "e3997bd706ac0d53d79109e8059e38a2c88dc7085cb2f1f88611259b56187873"),
    ("discs3:10000", 3_691, "63622c56ccba41d008653e9928e993f8c55a64fba18eecf4d78196ca3a424971"),
    ("mixed3:10000", 53_839, "1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207"),
];
/// Larger generated scenes.
const MEDIUM: [(&str, usize, &str); 3] = [
    (
        "terdiman:100000",
        1_144_045,
        "459a585ef43b8d7d2a2182afa867a5dc0c4e0c95c7367373fc78c07ca298502d",
    ),
    ("tail:100000", 90_078, "ef8c526c0bf398907f67d515ba746891d670dacda864b2fce6744364d43d521c"),
    ("tail3:100000", 1_234_506, "34092a6ae4347f5c2e18c26501de6286b2ff477635133feb8d16664a193f655e"),
];
/// Scenes that take too long for routine runs.
const LARGE: [(&str, usize, &str); 5] = [
    ("discs:500000", 90_955, "5dcf2e1c068432913725a006b9e66f3dd862585186de39fbba2703cd3a861081"),
    ("mixed:500000", 495_597, "2c6ca97dd14374297e2214b933f2849f69d8f93b83defde7724cbc4dc973e367"),
    (
        "clustered:500000",
        1_346_890,
        "5b2bd945ef5cf8d47272991d3e1e5178a7187508d583cf0f9d026cdaf1741c2e",
    ),
    ("discs3:300000", 113_571, "72da0785f5ed2f381d8ff22eeb929a1288b73e544fce2f5b51e934cf8d28af48"),
    (
        "mixed3:300000",
        1_737_920,
        "cba076332db6fc8285a50f9fd7561544894b299d829189b68acec0b0132aabde",
    ),
];
/// Recorded scenes.
const RECORDED: [(&str, usize, &str); 2] = [
    ("runways.csv.gz", 4_466, "196a75c42e0b599606d7289af850aa9bcc4e849c9840c00516197b34441a6a3c"),
    ("navaids.csv.gz", 69_578, "b04f7b0fca42e0e00c993bfbfc420bd0dfe13675b74612403762a00aadbf391f"),
];

/// Runs `hexphase pairs` with options and compares the number of pairs and the hash.
#[track_caller]
fn check((scene, pairs, hash): (&str, usize, &str), options: &str) {
    let words: Vec<_> = ["pairs", scene].into_iter().chain(options.split(' ')).collect();
    let run = Folder::new().run_words(&words, b"");
    assert_eq!(run.sha256(), hash, "{scene} {options}: {}", run.err);
    let count = format!(" {pairs} pairs, ");
    assert!(run.err.contains(&count), "{scene} {options}: {}", run.err);
}

#[test]
fn small_scenes_with_every_structure_backend_and_float() {
    for scene in SMALL {
        for backend in Backend::available() {
            for algorithm in ["brute", "hash", "hshg", "morton"] {
                for scalar in ["f32", "f64"] {
                    let options =
                        format!("--algorithm {algorithm} --backend {backend} --scalar {scalar}");
                    check(scene, &options);
                }
            }
        }
    }
}

#[test]
fn small_scenes_without_options() {
    for scene in SMALL {
        let run = run(&format!("pairs {}", scene.0));
        assert_eq!(run.sha256(), scene.2, "{}", scene.0);
    }
}

fn check_structures(scenes: &[(&str, usize, &str)]) {
    for &scene in scenes {
        for algorithm in ["hash", "hshg", "morton"] {
            check(scene, &format!("--algorithm {algorithm}"));
        }
    }
}

#[test]
fn medium_scenes_with_the_structures() {
    check_structures(&MEDIUM);
}

/// Skipped unless `HEXPHASE_THOROUGH` is set.
#[test]
fn large_scenes_with_the_structures() {
    match env::var_os("HEXPHASE_THOROUGH") {
        Some(_) => check_structures(&LARGE),
        None => println!("SKIPPED golden::large_scenes: HEXPHASE_THOROUGH is not set"),
    }
}

/// Skipped unless `HEXPHASE_SCENES` is set to the folder of the recorded scenes.
#[test]
fn recorded_scenes() {
    let Some(folder) = env::var_os("HEXPHASE_SCENES").map(PathBuf::from) else {
        return println!("SKIPPED golden::recorded_scenes: HEXPHASE_SCENES is not set");
    };
    for (file, pairs, hash) in RECORDED {
        let path = folder.join(file);
        let path = path.to_str().expect("a path of text");
        for backend in Backend::available() {
            for algorithm in ["brute", "hash", "hshg", "morton"] {
                let options = format!("--algorithm {algorithm} --backend {backend}");
                check((path, pairs, hash), &options);
            }
        }
    }
    // The order of rows is irrelevant. Sort the rows by their last characters, so that rows that
    // were adjacent are separated.
    let (file, _, hash) = RECORDED[0];
    let packed = fs::File::open(folder.join(file)).expect("the scene");
    let text = io::read_to_string(GzDecoder::new(packed)).expect("text");
    let (header, rows) = text.split_once('\n').expect("a header");
    let mut rows: Vec<_> = rows.lines().collect();
    rows.sort_by_key(|row| row.bytes().rev().take(6).collect::<Vec<_>>());
    let folder = Folder::with_scene(format!("{header}\n{}\n", rows.join("\n")));
    assert_eq!(folder.run("pairs scene.csv").sha256(), hash);
}
