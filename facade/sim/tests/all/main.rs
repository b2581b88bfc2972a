//! Seeds without differences, and a planted fault that is found and shrunk.

use hexphase_sim::{Planted, Played, Pools, Ranges, Run, Schedule, Selection, Shrunk, Totals};

/// The first seed and the number of seeds. The laws of worlds in `facade/tests` play the seeds
/// from 0.
const SEEDS: (u64, u64) = (1_000_000, 250);

fn run(seed: u64, selection: &Selection, pools: &mut Pools) -> Run {
    Run::new(seed, selection, pools).expect("a valid selection")
}

#[test]
fn seeds_have_no_difference() {
    let (first, count) = SEEDS;
    let Totals { operations, comparisons, .. } = Played::without_difference(first, count).totals;
    assert!(operations > 500 * count && comparisons > 20 * operations);
}

#[test]
fn a_planted_fault_is_found_and_shrunk() {
    let mut pools = Pools::default();
    let planted = Some(Planted { remainder: 2, modulus: 5 });
    let selection = Selection { planted, ..Selection::default() };
    let has_difference = |seed: &u64| run(*seed, &selection, &mut pools).difference.is_some();
    let seed = (0..20).find(has_difference).expect("a difference");
    let shrunk = Shrunk::new(seed, &selection, &mut pools).expect("a valid selection");
    let Shrunk { selection, difference, tries } = shrunk.expect("a difference");
    assert!(tries > 5, "{tries} tries");
    assert_eq!(run(seed, &selection, &mut pools).difference, Some(difference.clone()));

    // Two objects, an insertion and a step; at most one operation moves the two together.
    let text = Schedule::new(seed, &selection).expect("a valid selection").to_string();
    assert!((4..=6).contains(&text.lines().count()), "{text}");
    let objects = selection.objects.expect("selected objects");
    assert_eq!((0..10_000).filter(|&id| objects.contains(id)).count(), 2, "{objects}");
    assert!(difference.kind.starts_with("step") && difference.found.starts_with("pair at index 0"));
    assert!(difference.world.starts_with("the world ("), "{difference}");
    assert!(text.contains("twin-structure=brute") && text.contains(" threads=1 "), "{text}");

    let sound = Selection { planted: None, objects: Some(objects), ..selection };
    assert!(Shrunk::new(seed, &sound, &mut pools).expect("a valid selection").is_none());
}

#[test]
fn a_seed_determines_schedule_and_counts() {
    let (mut pools, whole) = (Pools::default(), Selection::default());
    let text = |seed, selection| Schedule::new(seed, selection).expect("valid").to_string();
    assert_eq!(text(9, &whole), text(9, &whole));
    assert_ne!(text(9, &whole), text(10, &whole));
    let totals = run(9, &whole, &mut pools).totals;
    assert_eq!(run(9, &whole, &mut pools).totals, totals);

    // Results and counts do not depend on settings, or on objects that do not take part.
    let settings = ["structure=brute", "twin-threads=1", "cell=0", "twin-backend=scalar"];
    let settings = settings.map(|setting| setting.split_once('=').expect("a setting"));
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let changed = Selection { settings, ..Selection::default() };
    assert_eq!(run(9, &changed, &mut pools).totals.operations, totals.operations);
    let none = Selection { objects: Some(Ranges::default()), ..Selection::default() };
    assert!(run(9, &none, &mut pools).difference.is_none());
}

#[test]
fn selections_are_written_as_arguments() {
    for text in ["none", "3", "0-3,17", "5,7-9"] {
        assert_eq!(text.parse::<Ranges>().map(|ranges| ranges.to_string()), Ok(text.to_owned()));
    }
    for text in ["", "3-1", "x", "1,", "-1"] {
        assert!(text.parse::<Ranges>().is_err(), "{text}");
    }
    for (name, value) in [
        ("cell", "-1"),
        ("twin-cell", "NaN"),
        ("threads", "0"),
        ("backend", "neon"),
        ("structure", "octree"),
        ("color", "red"),
    ] {
        let settings = vec![(name.to_owned(), value.to_owned())];
        let selection = Selection { settings, ..Selection::default() };
        assert!(Schedule::new(0, &selection).is_err(), "{name}={value}");
    }
}
