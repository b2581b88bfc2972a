//! Invalid calls, failing allocations, and panics in closures. After each operation the states of
//! all objects are compared, which shows that nothing else has changed.

use hexphase::{Error, Handle, Motion};

use super::{Simulation, Wrong};
use crate::op::{Movement, Op};
use crate::shape::{New, Question, Request, State};
use crate::subject::{Changes, Method, Setting, Subject};

impl Simulation<'_> {
    /// Runs a call that must fail with an error on both worlds.
    fn refused<T>(
        &mut self,
        subject_of: &str,
        error: Error,
        act: impl Fn(&mut dyn Subject) -> Result<T, Error> + Sync,
    ) -> Result<(), Wrong> {
        self.totals.operations += 1;
        self.each(subject_of, &Some(error), |subject| act(subject).err())
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
        let error = Error::InvalidBounds { object: None, why };
        self.refused("insertion of an invalid box", error, |subject| subject.insert(&invalid))?;
        let error = Error::InvalidAt { index: bad, why };
        self.refused("insertion of many with an invalid box", error, |subject| {
            let mut out = vec![Handle::DANGLING];
            let inserted = subject.insert_many(&new, &mut out);
            assert!(out.is_empty(), "handles after a failed insertion");
            inserted
        })?;
        self.situations.add("failed insertions of many", 1);
        let live: Vec<Handle> = self.oracle.objects().map(|object| object.handle).collect();
        if !live.is_empty() {
            let object = random.pick(&live);
            let error = Error::InvalidBounds { object: Some(object), why };
            let setting = Setting::Bounds(invalid.volume);
            self.refused("invalid box of an object", error, |one| one.set(object, &setting))?;
        }
        let is_gone = |handle: &&Handle| self.oracle.by_handle(**handle).is_none();
        let gone: Vec<Handle> = self.gone.iter().filter(is_gone).copied().collect();
        if gone.is_empty() {
            return Ok(());
        }
        let stale = random.pick(&gone);
        let error = Error::Stale { object: stale };
        let list: Vec<Handle> = live.iter().take(3).chain([&stale]).copied().collect();
        let settings = [
            Setting::Bounds(new[(bad + 1) % 5].volume),
            Setting::Filter(new[bad].filter),
            Setting::Motion(Motion::Static),
            Setting::Swept(true),
        ];
        for setting in settings {
            let subject_of = format!("{setting:?} for a stale handle");
            self.refused(&subject_of, error, |one| one.set(stale, &setting))?;
        }
        self.refused("removal of many with a stale handle", error, |one| one.remove_many(&list))?;
        self.refused("overlaps of a stale handle", error, |one| one.overlapping(stale))?;
        self.situations.add("failed removals of many", 1);
        self.each("removal of a stale handle", &None, |subject| subject.remove(stale))
    }

    /// Requests more memory than addresses exist.
    pub(super) fn exhaust(&mut self, op: &Op) -> Result<(), Wrong> {
        let shifts = if usize::BITS < 64 { 2 } else { 12 };
        let additional = usize::MAX >> op.random(0).below(shifts);
        self.refused("reservation of too much memory", Error::OutOfMemory, |subject| {
            subject.try_reserve(additional)
        })
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
        let mut changes = Changes::of_bounds(&moved);
        changes.panic_at = Some(last.0);
        let updates = self.both(|subject| subject.update(method, &changes));
        for (which, updated) in updates.into_iter().enumerate() {
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
            let states = self.sides[which].subject.states();
            self.compare(which, "state after a panic", &states, &expected)?;
        }
        self.move_each(&moved)
    }

    pub(super) fn panic_in_query(&mut self, op: &Op) -> Result<(), Wrong> {
        let question = self.question(&mut op.random(0));
        let (mask, take, request) = (!0, usize::MAX, Request::Panic);
        let question = Question { mask, except: None, take, request, ..question };
        self.both(|subject| subject.query(&question));
        self.totals.operations += 1;
        Ok(())
    }
}
