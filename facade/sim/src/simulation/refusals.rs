//! Invalid calls, failing allocations, and panics in closures. After each operation the states of
//! all objects are compared, which shows that nothing else has changed.

use core::fmt;
use hexphase::{Error, Handle, Motion};

use super::updates::changes_by_slot;
use super::{Simulation, Wrong};
use crate::op::{Movement, Op};
use crate::shape::{New, State};
use crate::subject::{Method, Subject};

impl Simulation<'_> {
    /// Runs a call that must fail on both worlds. The errors must satisfy `is_right` and be equal.
    fn refused<T: PartialEq + fmt::Debug + Send>(
        &mut self,
        subject_of: &str,
        is_right: impl Fn(&Result<T, Error>) -> bool,
        act: impl Fn(&mut dyn Subject) -> Result<T, Error> + Sync,
    ) -> Result<(), Wrong> {
        let mut results = Vec::new();
        for which in 0..2 {
            let result = self.sides[which].run(|subject| act(subject));
            let found = format!("{subject_of} returns {result:?}");
            self.compare(which, &found, &[is_right(&result)], &[true])?;
            results.push(result);
        }
        self.totals.operations += 1;
        self.compare(1, subject_of, &results[1..], &results[..1])
    }

    pub(super) fn refuse(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(0);
        let (maker, mut new) = (self.maker, Vec::new());
        for user in 0..5 {
            let (volume, filter) = (maker.volume(random, user), maker.filter(random));
            new.push(New { volume, user, motion: Motion::Dynamic, filter });
        }
        let bad = random.below(5) as usize;
        new[bad].volume = maker.invalid_volume(random);
        let invalid = new[bad];
        let why = self.oracle.place(&invalid.volume).expect_err("an invalid volume");
        self.refused(
            "insertion of an invalid box",
            |result| *result == Err(Error::InvalidBounds { object: None, why }),
            |subject| subject.insert(&invalid),
        )?;
        self.refused(
            "insertion of many with an invalid box",
            |result| *result == Err(Error::InvalidAt { index: bad, why }),
            |subject| {
                let mut out = vec![Handle::DANGLING];
                let inserted = subject.insert_many(&new, &mut out);
                assert!(out.is_empty(), "handles after a failed insertion");
                inserted
            },
        )?;
        self.situations.add("failed insertions of many", 1);
        let live: Vec<Handle> = self.oracle.objects().map(|object| object.handle).collect();
        if !live.is_empty() {
            let object = random.pick(&live);
            let error = Error::InvalidBounds { object: Some(object), why };
            let names = |result: &Result<(), Error>| *result == Err(error);
            self.refused("invalid box of an object", names, |subject| {
                subject.set_bounds(object, &invalid.volume)
            })?;
        }
        let is_gone = |handle: &&Handle| self.oracle.by_handle(**handle).is_none();
        let gone: Vec<Handle> = self.gone.iter().filter(is_gone).copied().collect();
        if gone.is_empty() {
            return Ok(());
        }
        let stale = random.pick(&gone);
        let is_stale = |result: &Result<(), Error>| *result == Err(Error::Stale { object: stale });
        let (volume, filter) = (new[(bad + 1) % 5].volume, new[bad].filter);
        let list: Vec<Handle> = live.iter().take(3).chain([&stale]).copied().collect();
        self.refused("box of a stale handle", is_stale, |one| one.set_bounds(stale, &volume))?;
        self.refused("filter of a stale handle", is_stale, |one| one.set_filter(stale, filter))?;
        self.refused("motion of a stale handle", is_stale, |one| {
            one.set_motion(stale, Motion::Static)
        })?;
        self.refused("swept of a stale handle", is_stale, |one| one.set_swept(stale, true))?;
        self.refused("removal of many with a stale handle", is_stale, |one| {
            one.remove_many(&list)
        })?;
        self.refused(
            "overlaps of a stale handle",
            |result| *result == Err(Error::Stale { object: stale }),
            |one| one.overlapping(stale),
        )?;
        self.situations.add("failed removals of many", 1);
        self.each("removal of a stale handle", &None, |subject| subject.remove(stale))
    }

    /// Requests more memory than any machine has.
    pub(super) fn exhaust(&mut self, op: &Op) -> Result<(), Wrong> {
        let additional = usize::MAX >> op.random(0).below(12);
        self.refused(
            "reservation of too much memory",
            |result| *result == Err(Error::OutOfMemory),
            |subject| subject.try_reserve(additional),
        )
    }

    /// Panics in the closure of an update. Objects visited before the panic must have their new
    /// bounds, all others their old ones. Afterwards all objects get their new bounds.
    pub(super) fn panic_in_update(&mut self, op: &Op) -> Result<(), Wrong> {
        let random = &mut op.random(u32::MAX - 1);
        let method = random.pick(&[Method::Update, Method::UpdateDynamic, Method::ParUpdate]);
        let moved = self.movements(op, 70, Movement::Drift, method == Method::UpdateDynamic);
        let Some(last) = moved.get(random.below(moved.len().max(1) as u64) as usize) else {
            return Ok(());
        };
        let mut changes = changes_by_slot(&moved);
        changes.panic_at = Some(last.handle.index());
        for which in 0..2 {
            let side = &mut self.sides[which];
            let updated = side.run(|subject| subject.update(method, &changes));
            let panicked = updated.result.is_none();
            self.compare(which, "update with a panic", &[panicked], &[true])?;
            let new = |handle: Handle| {
                let was_visited = updated.visited.binary_search(&handle).is_ok();
                changes.of(handle).volume.filter(|_| was_visited)
            };
            let expected: Vec<State> = self
                .oracle
                .states()
                .map(|state| {
                    let new = new(state.handle).and_then(|new| self.oracle.place(&new).ok());
                    State { volume: new.map_or(state.volume, |new| new.0), ..state }
                })
                .collect();
            let mut states = Vec::new();
            self.sides[which].subject.states(&mut states);
            self.compare(which, "state after a panic", &states, &expected)?;
        }
        self.move_each(&moved)
    }

    pub(super) fn panic_in_query(&mut self, op: &Op) -> Result<(), Wrong> {
        let question = self.question(&mut op.random(0));
        for side in &mut self.sides {
            side.run(|subject| subject.panic_in_query(&question.shape));
        }
        self.totals.operations += 1;
        Ok(())
    }
}
