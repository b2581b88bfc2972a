//! Updates of all objects: new bounds, some of them invalid, new user data, and queued commands.

use hexphase::{Error, Filter, Handle, Motion};

use super::changes::{Moved, USER_STEP};
use super::{Simulation, Wrong};
use crate::op::Op;
use crate::oracle::Object;
use crate::shape::{New, Question};
use crate::subject::{Change, Changes, Command, Method, Updated};

impl Simulation<'_> {
    /// Updates all objects. Invalid bounds are errors, which affect no other object.
    pub(super) fn update(&mut self, op: &Op, method: Method, moved: &[Moved]) -> Result<(), Wrong> {
        let visited = self.oracle.objects().copied();
        let visited: Vec<Object> = visited
            .filter(|one| method != Method::UpdateDynamic || one.motion == Motion::Dynamic)
            .collect();
        let mut changes = changes_by_slot(moved);
        let slots = visited.last().map_or(0, |object| object.handle.index() as usize + 1);
        changes.by_slot.resize(slots.max(changes.by_slot.len()), Change::default());
        let is_wrong = op.random(u32::MAX).chance(20);
        for object in &visited {
            let random = &mut op.random(!object.id);
            let change = &mut changes.by_slot[object.handle.index() as usize];
            if is_wrong && random.chance(4) {
                change.volume = Some(self.maker.invalid_volume(random));
            }
            if random.chance(30) && method != Method::ParUpdate {
                change.user = Some(object.user.wrapping_add(USER_STEP));
            }
            if method == Method::UpdateWith {
                change.command = command(object, &visited[0], self.config.objects, change, op);
                let is_free = |id: u32| self.oracle.get(id).is_none() && self.takes_part(id);
                if let Some(Command::Insert(new)) = change.command
                    && !is_free(new.user)
                {
                    change.command = None;
                }
            }
        }
        let result = self.expect_update(&visited, &changes);
        self.situations.add_if(result.is_err(), "updates with invalid bounds");
        let visited = visited.iter().map(|object| object.handle).collect();
        let expected = Updated { result: Some(result), visited };
        self.each("update", &expected, |subject| subject.update(method, &changes))
    }

    /// Applies the changes of an update to the expected state; then the commands, in order. If
    /// several fail, the object with the lowest handle decides about the error.
    fn expect_update(&mut self, visited: &[Object], changes: &Changes) -> Result<(), Error> {
        let (mut errors, mut queue) = (Vec::new(), Vec::new());
        let mut marked = Vec::new();
        for object in visited {
            if let Some(Command::Mark(by)) = changes.of(object.handle).command {
                let found = self.oracle.answer(&Question::of_box(object.bounds));
                let users = found.iter().filter_map(|found| self.oracle.by_handle(found.0));
                let users = users.map(|one| (one.handle, one.user.wrapping_add(by)));
                marked.push((object.handle, users.collect::<Vec<_>>()));
            }
        }
        for object in visited {
            let Change { volume, user, command } = changes.of(object.handle);
            queue.extend(command.map(|command| (object, command)));
            let live = self.oracle.live(object.handle).expect("a visited object");
            live.user = user.unwrap_or(live.user);
            let moved = volume.map(|volume| self.oracle.set_bounds(object.handle, &volume));
            errors.extend(moved.and_then(Result::err).map(|why| (object.handle, why)));
            self.totals.operations += u64::from(volume.is_some() || user.is_some());
        }
        self.situations.add_if(!queue.is_empty(), "updates with commands");
        for (object, command) in queue {
            let source = object.handle;
            self.totals.operations += 1;
            match command {
                Command::Remove => self.remove_expected(object),
                Command::Insert(new) => {
                    let handle = self.oracle.next_handles(1)[0];
                    self.add_expected(new.user, handle, &new);
                }
                Command::Mark(_) => {
                    let own = marked.iter().filter(|marked| marked.0 == source);
                    for &(other, user) in own.flat_map(|marked| &marked.1) {
                        let live = self.oracle.live(other).map(|live| live.user = user);
                        errors.extend(live.err().map(|why| (source, why)));
                    }
                }
                Command::SetBounds(other, volume) => {
                    let moved = self.oracle.set_bounds(other, &volume);
                    errors.extend(moved.err().map(|why| (source, why)));
                }
            }
        }
        // `min_by_key` returns the first of several errors of one object.
        let first = errors.into_iter().min_by_key(|(object, _): &(Handle, Error)| *object);
        first.map_or(Ok(()), |(_, why)| Err(why))
    }
}

/// Returns the command that the call for an object queues: remove or duplicate the object, mark the
/// objects in its box, move the first object or, later than the others, the object itself.
fn command(
    object: &Object,
    first: &Object,
    objects: u32,
    change: &mut Change,
    op: &Op,
) -> Option<Command> {
    match op.random(object.id ^ 1 << 30).below(16) {
        0 => Some(Command::Remove),
        1 => {
            let user = (object.id + objects / 2) % objects;
            let (volume, motion) = (object.volume, Motion::Static);
            Some(Command::Insert(New { volume, user, motion, filter: Filter::layers(2) }))
        }
        2 => Some(Command::Mark(USER_STEP.wrapping_mul(object.id + 1))),
        3 => change.volume.map(|volume| Command::SetBounds(first.handle, volume)),
        4..=9 => change.volume.take().map(|volume| Command::SetBounds(object.handle, volume)),
        _ => None,
    }
}

/// Returns new bounds by slot.
pub(super) fn changes_by_slot(moved: &[Moved]) -> Changes {
    let mut changes = Changes::default();
    let slots = moved.iter().map(|moved| moved.handle.index() as usize + 1).max();
    changes.by_slot.resize(slots.unwrap_or(0), Change::default());
    for moved in moved {
        changes.by_slot[moved.handle.index() as usize].volume = Some(moved.volume);
    }
    changes
}
