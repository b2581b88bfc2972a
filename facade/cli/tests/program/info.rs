//! `hexphase info`: the report as text and as JSON.

use serde_json::Value;

use crate::oracle::Scene;
use crate::run::{Folder, run};

#[test]
fn the_report_describes_a_scene() {
    let folder =
        Folder::with_scene("min_x,min_y,max_x,max_y\n0,0,1,1\n1,0,3,1\n-2.5,7,-2.5,7\n0,0,10,10\n");
    let run = folder.run("info scene.csv");
    let expected = "\
objects    4 boxes, 2 dimensions
extent     x from -2.5 to 10
           y from 0 to 10
sizes      longest side from 0 to 10
           1 % 0, 10 % 0, 25 % 0, median 1, 75 % 2, 90 % 2, 99 % 2
           0        1 ########################################
           1 to 2   1 ########################################
           2 to 5   1 ########################################
           5 to 10  0
           10 to 20 1 ########################################
density    0.824 objects at a point of the extent, on average
pairs      3 pairs; 1.5 partners for each object
structure  brute for few objects
memory     ";
    assert!(run.text().starts_with(expected), "{}", run.text());
}

#[test]
fn json_has_the_numbers_of_the_scene() {
    let scene = Scene::discs(1, 900);
    let run = Folder::with_scene(scene.csv(None)).run("info scene.csv --json");
    let report: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(report["objects"], 900);
    assert_eq!(report["shape"], "discs");
    let pairs = scene.pairs(&scene, None, None).iter().filter(|[a, b]| a < b).count();
    assert_eq!((&report["pairs"], &report["pairs_error"]), (&pairs.into(), &0.into()));
    let min = scene.boxes.iter().map(|[min, _]| min[0]).min().unwrap();
    assert_eq!(report["min"][0], min);
    let classes = report["histogram"].as_array().unwrap().iter();
    assert_eq!(classes.map(|class| class["count"].as_u64().unwrap()).sum::<u64>(), 900);
    assert_eq!(report["structure"], "hshg");
}

#[test]
fn large_scenes_are_estimated() {
    let run = run("info discs:40000 --json");
    let report: Value = serde_json::from_str(run.text()).unwrap();
    assert_eq!(report["sample"], 2000);
    let [pairs, error] = ["pairs", "pairs_error"].map(|name| report[name].as_f64().unwrap());
    // The whole scene has 7327 pairs.
    assert!((pairs - 7327.0).abs() < 4.0 * error && error < 500.0, "{pairs} {error}");
}

#[test]
fn empty_scenes_are_described() {
    let run = run("info discs:0");
    assert!(run.text().starts_with("objects    0 discs, 2 dimensions\npairs      0 pairs;"));
    assert!(serde_json::from_str::<Value>(crate::run::run("info discs:0 --json").text()).is_ok());
}
