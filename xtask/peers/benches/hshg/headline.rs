//! The headline: ticks, builds and jumps of all objects, with all pairs in canonical order.

use broadphase_core::Backend;
use peers::world::{Boxes, Builder, Grid, World as _, answer_of};
use peers::{Answer, Comparison, Row, Suite};

use super::goals::{milliseconds, number};
use super::{CASES, Case, OPEN, TICKS, Test, subject};

/// The rows of the headline, in the order of the table.
const SUBJECTS: [&str; 3] = ["tick sorted", "from nothing", "jump"];

impl<const D: usize> Test<D> {
    /// Measures the rows of the headline. `peers` measures the ticks of other libraries.
    pub(super) fn headline(
        &mut self,
        suite: &mut Suite,
        peers: impl FnOnce(&mut Comparison<'_>, &Self),
    ) {
        let backend = Backend::detect();
        let on = backend.to_string();
        let mut ticks = suite.compare(self.scene(), self.expected);
        ticks.ours(
            subject("tick sorted", &on),
            || self.grid(backend),
            |(world, out)| {
                world.advance();
                world.collect_sorted(out);
            },
            |(_, out)| Answer::of_pairs(out),
        );
        peers(&mut ticks, self);
        let number = ticks.number();
        self.ticks = number;
        // Building does not depend on walls, so the scene with walls needs no rows if the open
        // scene has them.
        if CASES
            .iter()
            .any(|case| case.name == OPEN && case.now().is_some_and(|now| now.0 == self.name))
        {
            return;
        }

        let mut later = self.start.clone();
        (0..TICKS).for_each(|_| later.advance());
        let mut built = suite.compare(self.scene(), self.expected);
        built.ours(
            subject("from nothing", &on),
            || self.grid(backend),
            |(world, out)| {
                world.refill(&later);
                world.collect_sorted(out);
            },
            |(_, out)| Answer::of_pairs(out),
        );
        for Builder { name, find_pairs, parallel: _ } in self.serial_builders() {
            built.peer(
                &format!("{name}, from nothing"),
                Vec::new,
                |out| find_pairs(&later, out),
                |out| answer_of(out),
            );
        }

        let mut jumped = self.start.clone();
        (0..TICKS).for_each(|_| jumped.jump());
        let mut pairs = Vec::new();
        (self.builders[0].find_pairs)(&jumped, &mut pairs);
        let mut jumps = suite.compare(self.scene(), answer_of(&pairs));
        jumps.ours(
            subject("jump", &on),
            || {
                let (mut grid, mut out) = (Grid::new(&self.start), Vec::new());
                for _ in 1..TICKS {
                    grid.jump();
                    grid.collect_sorted(&mut out);
                }
                (grid, out)
            },
            |(world, out)| {
                world.jump();
                world.collect_sorted(out);
            },
            |(_, out)| Answer::of_pairs(out),
        );
        for Builder { name, find_pairs, parallel: _ } in self.serial_builders() {
            jumps.peer(
                &format!("{name}, jump"),
                || {
                    let mut boxes: Boxes<D> = self.start.clone();
                    (1..TICKS).for_each(|_| boxes.jump());
                    (boxes, Vec::new())
                },
                |(boxes, out)| {
                    boxes.jump();
                    find_pairs(boxes, out);
                },
                |(_, out)| answer_of(out),
            );
        }
    }

    fn serial_builders(&self) -> impl Iterator<Item = &'static Builder<D>> {
        self.builders.iter().filter(|builder| !builder.parallel)
    }
}

/// Prints milliseconds of the headline rows, and of the fastest other library for each.
pub(super) fn print(rows: &[Row], cases: &[Case]) {
    let found = |label: &str, subject: &str| {
        rows.iter().find(|row| row.scene == label && row.subject == subject)
    };
    let labels: Vec<String> = cases.iter().map(|case| case.label(case.scene)).collect();
    if !labels.iter().any(|label| SUBJECTS.iter().any(|subject| found(label, subject).is_some())) {
        return;
    }
    println!("headline: pairs in canonical order; other libraries return them in any order\n");
    println!(
        "scene                  subject                ms  fastest peer                                ms   ratio"
    );
    for label in &labels {
        for row in SUBJECTS.iter().filter_map(|subject| found(label, subject)) {
            let peer = row.peer.as_ref();
            println!(
                "{label:<22} {:<14} {:>10.3}  {:<36} {:>8} {:>7}",
                row.subject,
                milliseconds(row),
                peer.map_or("", |peer| peer.name.as_str()),
                number(peer.map(|peer| peer.ns * row.n as f64 * 1e-6)),
                number(row.ratio()),
            );
        }
    }
    println!();
}
