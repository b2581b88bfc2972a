//! `hexphase sim`.

use crate::run::run;

#[test]
fn a_seed_is_printed_before_it_is_played() {
    let run = run("sim 7");
    assert!(run.text().starts_with("seed 7: "), "{}", run.text());
    assert!(run.text().contains("\n   1 step\n"), "{}", run.text());
    assert!(run.err.starts_with("hexphase: 1 seed, ") && run.err.contains(", no difference, "));
}

#[test]
fn a_part_of_a_schedule_is_played() {
    let run = run("sim 7 --keep 0-1,3 --objects 2,4");
    let lines: Vec<_> = run.text().lines().collect();
    assert_eq!(lines.len(), 6, "{lines:?}");
    let numbers: Vec<_> = lines[3..].iter().map(|line| line[..4].trim()).collect();
    assert_eq!(numbers, ["0", "1", "3"]);
}

#[test]
fn counts_do_not_depend_on_the_number_of_jobs() {
    let [one, two] = ["1", "2"].map(|jobs| {
        let run = run(&format!("sim 40 --runs 6 --jobs {jobs}"));
        assert!(run.text().is_empty());
        let (counts, _) = run.err.split_once(", no difference, ").expect("a summary");
        counts.to_owned()
    });
    assert_eq!(one, two);
    assert!(one.starts_with("hexphase: 6 seeds, "), "{one}");
}

#[test]
fn the_hash_depends_on_the_seeds_only() {
    let hash = |line: &str| {
        let run = run(&format!("sim {line} --hash"));
        assert_eq!((run.status, run.text().len()), (0, 17), "{line}: {}", run.err);
        run.text().to_owned()
    };
    let one = hash("40 --runs 6");
    assert_eq!(hash("40 --runs 6 --jobs 3"), one);
    assert_ne!(hash("40 --runs 5"), one);
    assert_ne!(hash("41 --runs 6"), one);
}

#[test]
fn invalid_selections_are_one_line() {
    for line in
        ["sim x", "sim 7 --keep 3-1", "sim --runs 0", "sim 7 --hash", "sim 7 --runs 2 --keep 0"]
    {
        let run = run(line);
        assert_eq!((run.status, run.lines().len(), run.out.len()), (2, 1, 0), "{line}");
    }
}
