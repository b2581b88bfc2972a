//! Snapshots. They must be equal in both worlds, restore the state into any world, and, if damaged,
//! be rejected without effect.

use hexphase::{Algorithm, Backend};

use super::{Saved, Side, Simulation, Wrong, run};
use crate::op::Op;

impl Simulation<'_> {
    /// Returns the snapshot of the current state, after comparing those of both worlds.
    fn bytes(&mut self) -> Result<Vec<u8>, Wrong> {
        let [first, second] = self.both(|subject| subject.snapshot().0);
        self.compare(1, "byte of the snapshot", &second, &first)?;
        Ok(first)
    }

    pub(super) fn snapshot(&mut self) -> Result<(), Wrong> {
        let bytes = self.bytes()?;
        for side in self.sides.iter().filter(|side| side.subject.len() < 600) {
            side.subject.assert_hash_follows_state();
        }
        self.saved = Some(Saved { oracle: self.oracle.restored(), bytes });
        self.totals.operations += 1;
        Ok(())
    }

    /// Restores the last saved state, if there is one.
    pub(super) fn restore(&mut self) -> Result<(), Wrong> {
        let Some(Saved { oracle, bytes }) = self.saved.take() else { return Ok(()) };
        self.each("restore", &Ok(()), |subject| subject.restore(&bytes))?;
        // Objects that only the newer state had no longer exist.
        let lost = self.oracle.objects().map(|object| object.handle);
        self.gone.extend(lost.filter(|&handle| oracle.by_handle(handle).is_none()));
        self.situations.add("restored", 1);
        self.oracle = oracle.clone();
        self.saved = Some(Saved { oracle, bytes });
        self.totals.operations += 1;
        Ok(())
    }

    /// Replaces both worlds by new ones with random structures and backends, created from a
    /// snapshot.
    pub(super) fn reopen(&mut self, op: &Op) -> Result<(), Wrong> {
        let (random, bytes) = (&mut op.random(0), self.bytes()?);
        let backends: Vec<Backend> = Backend::available().collect();
        for which in 0..2 {
            let structure = random.pick(Algorithm::ALL);
            let backend = random.pick(&backends);
            let Side { name, subject, threads } = &mut self.sides[which];
            let done = run(*threads, || subject.reopen(&bytes, structure, backend));
            *name = format!("{} restored as {structure} on {backend}", ["world", "twin"][which]);
            self.compare(which, "restore", &[done], &[Ok(())])?;
        }
        self.oracle = self.oracle.restored();
        self.totals.operations += 1;
        Ok(())
    }

    /// Restores damaged bytes, which must fail. The comparison of states after the operation shows
    /// that nothing has changed.
    pub(super) fn damage(&mut self, op: &Op) -> Result<(), Wrong> {
        let (random, mut bytes) = (&mut op.random(0), self.bytes()?);
        let place = random.below(bytes.len() as u64) as usize;
        let damage = random.below(4);
        match damage {
            0 => bytes.truncate(place),
            1 => bytes.insert(place, random.next() as u8),
            2 => bytes[place] = bytes[place].wrapping_add(1 + random.below(255) as u8),
            _ => bytes[place] ^= 1 << random.below(8),
        }
        let damage = ["truncated", "extended", "changed", "flipped"][damage as usize];
        let subject_of = format!("whether bytes {damage} at {place} are rejected");
        self.totals.operations += 1;
        self.each(&subject_of, &true, |subject| subject.restore(&bytes).is_err())
    }
}
