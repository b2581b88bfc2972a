//! Golden hashes: the output is identical with every structure, backend and scalar type.

use std::env;

use hexphase::Backend;

use crate::run::run;

/// Generated scenes of 10,000 objects, each with its number of pairs and the hash of the output.
const SMALL: &str = "\
terdiman:10000 11811 be7ea215ac77d3c84c2e6dc690811e38121cbfea99ea7031bb47d741de4c229f
discs:10000 1826 2305e161b63d0dd8fc81c3da52f7367105047bf93593a597b191a504cd275119
mixed:10000 9791 75e4916e7a6cb2c3c7ee536a8053da842e62fdc216d85991250d625701795be3
tail:10000 8733 19c9124bfb5bce3d4ffa1c13201bc5333e0f8d399c62aa27ec8caa458f904fa3
clustered:10000 26794 e3997bd706ac0d53d79109e8059e38a2c88dc7085cb2f1f88611259b56187873
discs3:10000 3691 63622c56ccba41d008653e9928e993f8c55a64fba18eecf4d78196ca3a424971
mixed3:10000 53839 1bb268dcec471d2da3bbac6bb9c0fd4dc1c6401622ae1750340b26aae5914207";
/// Larger generated scenes.
const MEDIUM: &str = "\
terdiman:100000 1144045 459a585ef43b8d7d2a2182afa867a5dc0c4e0c95c7367373fc78c07ca298502d
tail:100000 90078 ef8c526c0bf398907f67d515ba746891d670dacda864b2fce6744364d43d521c
tail3:100000 1234506 34092a6ae4347f5c2e18c26501de6286b2ff477635133feb8d16664a193f655e";
/// Scenes that take too long for routine runs.
const LARGE: &str = "\
discs:500000 90955 5dcf2e1c068432913725a006b9e66f3dd862585186de39fbba2703cd3a861081
mixed:500000 495597 2c6ca97dd14374297e2214b933f2849f69d8f93b83defde7724cbc4dc973e367
clustered:500000 1346890 5b2bd945ef5cf8d47272991d3e1e5178a7187508d583cf0f9d026cdaf1741c2e
discs3:300000 113571 72da0785f5ed2f381d8ff22eeb929a1288b73e544fce2f5b51e934cf8d28af48
mixed3:300000 1737920 cba076332db6fc8285a50f9fd7561544894b299d829189b68acec0b0132aabde";
/// Recorded scenes.
const RECORDED: &str = "\
runways.csv.gz 4466 196a75c42e0b599606d7289af850aa9bcc4e849c9840c00516197b34441a6a3c
navaids.csv.gz 69578 b04f7b0fca42e0e00c993bfbfc420bd0dfe13675b74612403762a00aadbf391f";

/// Runs `hexphase pairs` for each scene of a table and compares the number of pairs and the hash.
#[track_caller]
fn check(table: &str, folder: &str, options: &str) {
    for row in table.lines() {
        let [scene, pairs, hash] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let run = run(&format!("pairs {folder}{scene} {options}"));
        assert_eq!(run.sha256(), hash, "{scene} {options}: {}", run.err);
        assert!(run.err.contains(&format!(" {pairs} pairs, ")), "{scene}: {}", run.err);
    }
}

#[test]
fn small_scenes_with_every_structure_backend_and_float() {
    for backend in Backend::available() {
        for algorithm in ["brute", "hash", "hshg", "morton"] {
            for scalar in ["f32", "f64"] {
                let line = format!("--algorithm {algorithm} --backend {backend} --scalar {scalar}");
                check(SMALL, "", &line);
            }
        }
    }
}

#[test]
fn medium_scenes_with_the_structures() {
    for algorithm in ["auto", "hash", "hshg", "morton"] {
        check(MEDIUM, "", &format!("--algorithm {algorithm}"));
    }
}

/// Skipped unless `HEXPHASE_THOROUGH` is set.
#[test]
fn large_scenes_with_the_structures() {
    if env::var_os("HEXPHASE_THOROUGH").is_none() {
        return println!("SKIPPED golden::large_scenes: HEXPHASE_THOROUGH is not set");
    }
    for algorithm in ["hash", "hshg", "morton"] {
        check(LARGE, "", &format!("--algorithm {algorithm}"));
    }
}

/// Skipped unless `HEXPHASE_SCENES` is set to the folder of the recorded scenes.
#[test]
fn recorded_scenes() {
    let Ok(folder) = env::var("HEXPHASE_SCENES") else {
        return println!("SKIPPED golden::recorded_scenes: HEXPHASE_SCENES is not set");
    };
    for backend in Backend::available() {
        for algorithm in ["brute", "hash", "hshg", "morton"] {
            let options = format!("--algorithm {algorithm} --backend {backend}");
            check(RECORDED, &format!("{folder}/"), &options);
        }
    }
}
