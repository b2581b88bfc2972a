//! Operations on many objects at once, deferred updates, and batches of queries.

use hexphase::{
    Aabb, Error, Filter, Handle, Motion, NeighborLists, Neighbors, Plain, Region, SpatialIndex,
};
use laws::distances;
use laws::numbers::Numbers;

use crate::laws::model::{Model, Object};
use crate::laws::op::{New, Pick, Walk};
use crate::laws::play::{Game, World, searched};
use crate::laws::query::{RandomQuery, check_batch};
use crate::laws::volume::Volume;

/// A command that `update_with` queues.
#[derive(Clone, Copy, Debug)]
enum Command<B> {
    Insert(B),
    Remove(Handle),
    SetBounds(Handle, B),
    SetUser(Handle, u32),
}

/// Returns the commands that the call for an object queues in an update: remove or duplicate the
/// object, set the user data of the objects in its box, move the first object, or none.
fn commands<S: Numbers, const D: usize, B: Volume<S, D>>(
    walk: &Walk<S, D, B>,
    object: Handle,
    bounds: B,
    first: Handle,
    inside: impl FnOnce(Aabb<S, D>) -> Vec<Handle>,
) -> Vec<Command<B>> {
    let number = walk.number(object);
    match number % 16 {
        0 => vec![Command::Remove(object)],
        1 => vec![Command::Insert(bounds)],
        2 => {
            let marked = inside(bounds.aabb());
            marked.into_iter().map(|other| Command::SetUser(other, number)).collect()
        }
        3 => vec![Command::SetBounds(first, walk.bounds(object, bounds))],
        _ => Vec::new(),
    }
}

impl<S: Numbers + Plain, const D: usize, B: Volume<S, D>> Game<S, D, B> {
    /// Inserts all objects, or none if one is invalid; an error must not change the state hash.
    pub(super) fn insert_many(&mut self, objects: &[New<B>]) {
        let mut after = self.model.clone();
        let handles = objects.iter().enumerate().map(|(index, new)| {
            let at = after.place(&new.bounds).map_err(|why| Error::InvalidAt { index, why })?;
            Ok(put(&mut after, new, at))
        });
        let expected: Result<Vec<Handle>, Error> = handles.collect();
        self.tally.count_if(expected.is_err(), "failed insertions of many");
        if let Ok(handles) = &expected {
            self.tally.add("inserted at once", handles.len());
            self.model = after;
        }
        let tuple = |new: &New<B>| (new.bounds, new.user, new.motion, new.filter);
        let list: Vec<(B, u32, Motion, Filter)> = objects.iter().map(tuple).collect();
        self.each(expected, |world| {
            let (mut out, before) = (vec![Handle::from_bits(7)], world.state_hash());
            let inserted = world.insert_many(&list, &mut out);
            if inserted.is_err() {
                assert!(out.is_empty() && world.state_hash() == before, "nothing is inserted");
            }
            inserted.map(|()| out)
        });
    }

    /// Removes all objects, or none if one was removed before.
    pub(super) fn remove_many(&mut self, picks: &[Pick]) {
        let objects: Vec<Handle> = picks.iter().filter_map(|pick| pick.of(&self.model)).collect();
        let stale = objects.iter().find(|object| !self.model.objects.contains_key(object));
        let expected = stale.map_or(Ok(()), |&object| Err(Error::Stale { object }));
        self.tally.count_if(expected.is_err(), "failed removals of many");
        if expected.is_ok() {
            self.tally.add("removed at once", objects.len());
            objects.iter().for_each(|&object| _ = self.model.remove(object));
        }
        self.each(expected, |world| world.remove_many(&objects));
    }

    /// Updates all objects, then executes the commands that the calls for the objects have queued.
    pub(super) fn update_with(&mut self, walk: &Walk<S, D, B>) {
        let Some(&first) = self.model.objects.keys().next() else { return };
        let before = self.model.clone();
        let (mut errors, mut queue) = (Vec::new(), Vec::new());
        for (&object, &Object { bounds, user, .. }) in &before.objects {
            let inside = |bounds: Aabb<S, D>| {
                let found = before.inside_each(&[bounds.into()], !0);
                found.into_iter().map(|(_, object)| object).collect()
            };
            let own = commands(walk, object, bounds, first, inside);
            queue.extend(own.into_iter().map(|command| (object, command)));
            let changed = self.model.change(object, |now| now.user = walk.user(object, user));
            changed.expect("live object");
            let moved = self.model.set_bounds_many(&[(object, walk.bounds(object, bounds))]);
            errors.extend(moved.err().map(|why| (object, why)));
        }
        self.tally.count_if(!queue.is_empty(), "updates with commands");
        for (source, command) in queue {
            let result = match command {
                Command::Insert(bounds) => {
                    let (user, motion, filter) = (5, Motion::Static, Filter::layers(2));
                    let at = self.model.place(&bounds).expect("bounds of an object");
                    put(&mut self.model, &New { bounds, user, motion, filter }, at);
                    Ok(())
                }
                Command::Remove(object) => {
                    self.model.remove(object);
                    Ok(())
                }
                Command::SetBounds(object, bounds) => {
                    self.model.set_bounds_many(&[(object, bounds)])
                }
                Command::SetUser(object, user) => {
                    self.model.change(object, |object| object.user = user)
                }
            };
            errors.extend(result.err().map(|why| (source, why)));
        }
        // `min_by_key` returns the first of several errors of one object.
        let lowest = errors.iter().min_by_key(|(object, _)| *object);
        self.each(lowest.map_or(Ok(()), |&(_, why)| Err(why)), |world| {
            world.update_with(|before, object, user, bounds, changes| {
                let inside = |bounds| before.query(Region::from(bounds)).to_vec();
                for command in commands(walk, object, *bounds, first, inside) {
                    match command {
                        Command::Insert(bounds) => {
                            changes.insert_with(bounds, 5, Motion::Static, Filter::layers(2));
                        }
                        Command::Remove(object) => changes.remove(object),
                        Command::SetBounds(object, bounds) => changes.set_bounds(object, bounds),
                        Command::SetUser(object, user) => changes.set_user(object, user),
                    }
                }
                *user = walk.user(object, *user);
                *bounds = walk.bounds(object, *bounds);
            })
        });
    }

    /// Runs queries in batches.
    pub(super) fn batch(&mut self, queries: &[RandomQuery<S, D>]) {
        let queries: Vec<_> = queries.iter().map(|query| query.of(&self.model)).collect();
        let worlds: Vec<(&World<S, D, B>, &str)> =
            self.players.iter().map(|player| (&player.world, player.name.as_str())).collect();
        check_batch(&queries, &self.model, &worlds);
    }

    /// Finds the neighbors of all objects.
    pub(super) fn neighbors(&mut self, distance: S, count: usize) {
        let [within, nearest] = expected_neighbors(&self.model, distance, count);
        let mut found = NeighborLists::default();
        for player in searched(&self.players) {
            let check = |expected: &[(Handle, Vec<Handle>)], found: &NeighborLists| {
                let lists = found.iter().map(|(object, list)| (object, list.collect::<Vec<_>>()));
                assert!(lists.eq(expected.iter().cloned()), "neighbors in {}", player.name);
                for (object, list) in expected {
                    assert!(found.of(*object).expect("live object").eq(list.iter().copied()));
                }
            };
            player.world.neighbors(distance, &mut found);
            check(&within, &found);
            player.world.nearest_to_each(count, &mut found);
            check(&nearest, &found);
        }
    }
}

/// Inserts an object into a model, in the lowest free slot.
fn put<S: Numbers, const D: usize, B: Volume<S, D>>(
    model: &mut Model<S, D, B>,
    new: &New<B>,
    at: Aabb<S, D>,
) -> Handle {
    let (slot, generation) = model.next();
    let handle = Handle::from_bits(u64::from(slot) << 32 | u64::from(generation));
    let &New { bounds, user, motion, filter } = new;
    let bounds = bounds.stored(at);
    model.insert(handle, Object { bounds, at, user, filter, motion, was: None, path: None });
    handle
}

/// Returns for each object the other objects within a distance, and the nearest `count`.
fn expected_neighbors<S: Numbers, const D: usize, B: Volume<S, D>>(
    model: &Model<S, D, B>,
    distance: S,
    count: usize,
) -> [Vec<(Handle, Vec<Handle>)>; 2] {
    let handles: Vec<Handle> = model.objects.keys().copied().collect();
    let handle = |slot: u32| {
        let place = handles.binary_search_by_key(&slot, |handle| handle.index());
        handles[place.expect("slot in use")]
    };
    if let Some(torus) = model.wrapped() {
        let (mut within, mut nearest) = (Neighbors::default(), Neighbors::default());
        torus.neighbors(distance, &mut within);
        torus.nearest_to_each(count, &mut nearest);
        return [within, nearest].map(|found| {
            let lists = found.iter();
            let list = |list: &[u32]| list.iter().map(|&slot| handle(slot)).collect();
            lists.map(|(slot, slots)| (handle(slot), list(slots))).collect()
        });
    }
    let boxes: Vec<(Handle, Aabb<S, D>)> =
        model.objects.iter().map(|(&handle, object)| (handle, object.at)).collect();
    let others = |own: Handle| boxes.iter().filter(move |(other, _)| *other != own);
    let within = |&(own, at): &(Handle, Aabb<S, D>)| {
        let region = Region::around(at, distance).normalized();
        let near = others(own).filter(|(_, other)| region.is_some_and(|r| r.overlaps(other)));
        (own, near.map(|&(handle, _)| handle).collect())
    };
    let nearest = |&(own, at): &(Handle, Aabb<S, D>)| {
        let mut first = Vec::new();
        for &(handle, other) in others(own) {
            let at = (distances::order(&at, &other), handle);
            let place = first.partition_point(|known| known < &at);
            if place < count {
                first.insert(place, at);
                first.truncate(count);
            }
        }
        (own, first.into_iter().map(|(_, handle)| handle).collect())
    };
    [boxes.iter().map(within).collect(), boxes.iter().map(nearest).collect()]
}
