//! Seeds without differences, and a planted fault that is found and shrunk.

mod golden;

use hexphase_sim::{Played, Ranges, Run, Schedule, Selection, Shrunk, Totals};

/// The first seed and the number of seeds. The laws of worlds in `facade/tests` play the seeds
/// from 0.
const SEEDS: (u64, u64) = (1_000_000, 250);

#[test]
fn seeds_have_no_difference() {
    let (first, count) = SEEDS;
    let Played { runs, totals, .. } = Played::without_difference(first, count);
    let Totals { operations, comparisons, .. } = totals;
    assert!(operations > 500 * runs && comparisons > 20 * operations);
}

#[test]
fn a_planted_fault_is_found_and_shrunk() {
    let selection = Selection { planted: true, ..Selection::default() };
    let has_difference = |seed: &u64| Run::new(*seed, &selection).difference.is_some();
    let seed = (0..20).find(has_difference).expect("a difference");
    let shrunk = Shrunk::new(seed, &selection).expect("a difference");
    let Shrunk { selection, difference, tries } = shrunk;
    assert!(tries > 5, "{tries} tries");
    assert_eq!(Run::new(seed, &selection).difference, Some(difference.clone()));

    // Two objects, an insertion and a step; at most one operation moves the two together. The
    // configuration has three lines.
    let text = Schedule::new(seed, &selection).to_string();
    assert!((5..=6).contains(&text.lines().count()), "{text}");
    let objects = selection.objects.expect("selected objects");
    assert_eq!((0..10_000).filter(|&id| objects.contains(id)).count(), 2, "{objects}");
    assert!(difference.kind.starts_with("step") && difference.found.starts_with("pair at index 0"));
    assert!(difference.world.starts_with("the world ("), "{difference}");

    let sound = Selection { planted: false, objects: Some(objects), ..selection };
    assert!(Shrunk::new(seed, &sound).is_none());
}

#[test]
fn a_seed_determines_schedule_and_counts() {
    let whole = Selection::default();
    let text = |seed| Schedule::new(seed, &whole).to_string();
    assert_eq!(text(9), text(9));
    assert_ne!(text(9), text(10));
    assert_eq!(Run::new(9, &whole).totals, Run::new(9, &whole).totals);
    let none = Selection { objects: Some(Ranges::default()), ..Selection::default() };
    assert!(Run::new(9, &none).difference.is_none());
}

#[test]
fn bytes_are_schedules() {
    let all: Vec<u8> = (0..=255).flat_map(|byte| [byte, byte]).collect();
    let text = Schedule::of_bytes(&all).to_string();
    for kind in ["insert", "move", "clear", "nearest", "restore", "shrink", "copy", "step"] {
        assert!(text.lines().any(|line| line[5..].starts_with(kind)), "no {kind}");
    }
    let (mut operations, mut steps) = (0, 0);
    for config in 0..60u8 {
        let mut bytes = vec![config, 0];
        bytes.extend((0..120u8).map(|byte| byte.wrapping_mul(89).wrapping_add(config)));
        let run = Schedule::of_bytes(&bytes).play();
        assert_eq!(run.difference, None);
        operations += run.totals.operations;
        steps += run.totals.steps;
    }
    assert!(operations > 60 * 100 && steps > 60 * 5, "{operations} operations, {steps} steps");
    assert_eq!(Schedule::of_bytes(&[]).play().totals.operations, 0);
}

#[test]
fn ranges_are_written_as_arguments() {
    for text in ["none", "3", "0-3,17", "5,7-9"] {
        assert_eq!(text.parse::<Ranges>().map(|ranges| ranges.to_string()), Ok(text.to_owned()));
    }
    for text in ["", "3-1", "x", "1,", "-1"] {
        assert!(text.parse::<Ranges>().is_err(), "{text}");
    }
    let operations = Some("0-3,17".parse().expect("ranges"));
    let selection = Selection { operations, ..Selection::default() };
    assert_eq!(selection.to_string(), " --keep 0-3,17");
}
