//! Steps, their pairs and their events.

use hexphase::Overlap;

use super::{Simulation, Wrong};
use crate::config::VolumeType;
use crate::op::Op;
use crate::subject::{StepKind, keeps};

/// The result of a step: `None` after a panic, otherwise the pairs passed to the predicate, or the
/// number of pairs if there are more than the limit.
type Stepped = Option<Result<Vec<Overlap<u32>>, u64>>;

impl Simulation<'_> {
    fn take_step(&mut self, kind: StepKind) -> [Stepped; 2] {
        self.sides.each_mut().map(|side| side.run(|subject| subject.step(kind)))
    }

    fn complete_step(&mut self, kept: &[Overlap<u32>]) {
        self.oracle.complete_step(kept, &mut self.situations);
        self.tick += 1;
        self.totals.operations += 1;
        self.totals.steps += 1;
    }

    pub(super) fn step(&mut self) -> Result<(), Wrong> {
        self.take_step(StepKind::All);
        let pairs = self.oracle.pairs_of_step(&mut self.situations);
        self.complete_step(&pairs);
        Ok(())
    }

    pub(super) fn step_where(&mut self, op: &Op) -> Result<(), Wrong> {
        let remainder = op.random(0).below(4) as u32;
        let stepped = self.take_step(StepKind::Where(remainder));
        let pairs = self.oracle.pairs_of_step(&mut self.situations);
        self.compare_passed(stepped, &pairs)?;
        let kept = pairs.into_iter().filter(|overlap| keeps(remainder, overlap.users));
        let kept: Vec<_> = kept.collect();
        self.complete_step(&kept);
        self.situations.add("steps with a predicate", 1);
        Ok(())
    }

    /// Takes a step with a limit close to the number of pairs. If there are more pairs, the step
    /// must fail and change nothing.
    pub(super) fn step_up_to(&mut self, op: &Op) -> Result<(), Wrong> {
        if self.config.volume != VolumeType::Box || cfg!(not(feature = "std")) {
            return self.step();
        }
        let pairs = self.oracle.pairs_of_step(&mut self.situations);
        let count = pairs.len();
        let most = op.random(0).pick(&[count, count + 3, count.saturating_sub(1), count / 2]);
        let stepped = self.take_step(StepKind::UpTo(most));
        for (which, stepped) in stepped.into_iter().enumerate() {
            let stepped = stepped.unwrap_or(Ok(Vec::new()));
            let expected = if count <= most { Ok(()) } else { Err(count as u64) };
            let found = stepped.map(|_| ());
            self.compare(which, "result of a step with a limit", &[found], &[expected])?;
        }
        if count <= most {
            self.complete_step(&pairs);
            return Ok(());
        }
        self.oracle.interrupt_step();
        self.totals.operations += 1;
        Ok(())
    }

    /// Takes a step whose predicate panics at a random pair. Without such a pair the step
    /// completes.
    pub(super) fn panic_in_step(&mut self, op: &Op) -> Result<(), Wrong> {
        let pairs = self.oracle.pairs_of_step(&mut self.situations);
        let index = op.random(0).below(pairs.len() as u64 + 1) as usize;
        let stepped = self.take_step(StepKind::Panic(index));
        if index >= pairs.len() {
            self.compare_passed(stepped, &pairs)?;
            self.complete_step(&pairs);
            return Ok(());
        }
        for (which, stepped) in stepped.into_iter().enumerate() {
            self.compare(which, "step with a panic", &[stepped.is_none()], &[true])?;
        }
        self.totals.operations += 1;
        self.oracle.interrupt_step();
        Ok(())
    }

    fn compare_passed(
        &mut self,
        stepped: [Stepped; 2],
        pairs: &[Overlap<u32>],
    ) -> Result<(), Wrong> {
        for (which, stepped) in stepped.into_iter().enumerate() {
            let passed = stepped.and_then(Result::ok).unwrap_or_default();
            self.compare(which, "pair passed to the predicate", &passed, pairs)?;
        }
        Ok(())
    }

    /// Compares the pairs and events of the last step, and the hits of its swept objects.
    pub(super) fn check_pairs(&mut self) -> Result<(), Wrong> {
        let (pairs, began) = (self.oracle.pairs(), self.oracle.began());
        let ended = self.oracle.ended();
        for which in 0..2 {
            let subject = &self.sides[which].subject;
            let (mut found, begun, gone) = (subject.pairs(), subject.began(), subject.ended());
            if let (0, Some(planted)) = (which, &self.planted) {
                planted.apply(&mut found);
            }
            self.compare(which, "pair", &found, &pairs)?;
            self.compare(which, "pair that began", &begun, &began)?;
            self.compare(which, "pair that ended", &gone, &ended)?;
            let hits = self.sides[which].subject.swept_hits();
            self.totals.comparisons += hits.len() as u64;
            let checked = self.oracle.check_swept_hits(&hits, &mut self.situations);
            checked.map_err(|why| (which, why))?;
        }
        Ok(())
    }
}
