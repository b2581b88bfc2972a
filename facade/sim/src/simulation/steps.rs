//! Steps, their pairs and their events.

use super::{Simulation, Wrong};
use crate::config::VolumeType;
use crate::op::{Kind, Op};
use crate::subject::{StepKind, Stepped, keeps};

impl Simulation<'_> {
    /// Takes a step: plain, with a predicate, with a limit close to the number of pairs, or with a
    /// predicate that panics at a random pair, or at none. A step with more pairs than the limit
    /// and one that panics must fail and change nothing.
    pub(super) fn step(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(0);
        let mut pairs = self.oracle.pairs_of_step(&mut self.situations);
        let count = pairs.len();
        let has_limit = self.config.volume == VolumeType::Box && cfg!(feature = "std");
        let kind = match op.kind {
            Kind::StepWhere => StepKind::Where(random.below(4) as u32),
            Kind::StepUpTo if has_limit => {
                StepKind::UpTo(random.pick(&[count, count + 3, count.saturating_sub(1), count / 2]))
            }
            Kind::PanicInStep => StepKind::Panic(random.below(count as u64 + 1) as usize),
            _ => StepKind::All,
        };
        let expected: Stepped = match kind {
            StepKind::Panic(index) if index < count => None,
            StepKind::UpTo(most) if count > most => Some(Err(count as u64)),
            StepKind::UpTo(_) | StepKind::All => Some(Ok(Vec::new())),
            StepKind::Where(_) | StepKind::Panic(_) => Some(Ok(pairs.clone())),
        };
        let stepped = self.both(|subject| subject.step(kind));
        for (which, found) in stepped.into_iter().enumerate() {
            match (found, &expected) {
                (Some(Ok(_)), Some(Ok(_))) if kind == StepKind::All => {}
                (Some(Ok(passed)), Some(Ok(pairs))) => {
                    self.compare(which, "pair passed to the predicate", &passed, pairs)?;
                }
                (found, expected) => {
                    self.compare(which, "result of a step", &[&found], &[expected])?;
                }
            }
        }
        self.totals.operations += 1;
        if !matches!(expected, Some(Ok(_))) {
            self.oracle.interrupt_step();
            return Ok(());
        }
        if let StepKind::Where(remainder) = kind {
            pairs.retain(|overlap| keeps(remainder, overlap.users));
            self.situations.add("steps with a predicate", 1);
        }
        self.oracle.complete_step(pairs, &mut self.situations);
        self.tick += 1;
        self.totals.steps += 1;
        Ok(())
    }

    /// Compares the pairs and events of the last step, and the hits of its swept objects.
    pub(super) fn check_pairs(&mut self) -> Result<(), Wrong> {
        let expected = self.oracle.pairs();
        for which in 0..2 {
            let subject = &self.sides[which].subject;
            let (mut found, hits) = (subject.pairs(), subject.swept_hits());
            if which == 0 && self.planted {
                found[0].retain(|pair| pair.users[0] % 5 != 2);
            }
            let names = ["pair", "pair that began", "pair that ended"];
            for (name, (found, expected)) in names.into_iter().zip(found.iter().zip(&expected)) {
                self.compare(which, name, found, expected)?;
            }
            self.digest(&hits);
            self.totals.comparisons += hits.len() as u64;
            let checked = self.oracle.check_swept_hits(&hits, &mut self.situations);
            checked.map_err(|why| (which, why))?;
        }
        Ok(())
    }
}
