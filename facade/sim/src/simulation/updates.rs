//! Updates of all objects: new bounds, some of them invalid, and new user data.

use hexphase::{Error, Motion};

use super::changes::{Moved, USER_STEP};
use super::{Simulation, Wrong};
use crate::op::Op;
use crate::oracle::Object;
use crate::subject::{Change, Changes, Method, Updated};

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
        }
        let result = self.expect_update(&visited, &changes);
        self.situations.add_if(result.is_err(), "updates with invalid bounds");
        let visited = visited.iter().map(|object| object.handle).collect();
        let expected = Updated { result: Some(result), visited };
        self.each("update", &expected, |subject| subject.update(method, &changes))
    }

    /// Applies the changes of an update to the expected state. Of several errors, that of the
    /// object with the lowest handle is returned.
    fn expect_update(&mut self, visited: &[Object], changes: &Changes) -> Result<(), Error> {
        let mut first = Ok(());
        for object in visited {
            let Change { volume, user } = changes.of(object.handle);
            let live = self.oracle.live(object.handle).expect("a visited object");
            live.user = user.unwrap_or(live.user);
            if let Some(volume) = volume {
                first = first.and(self.oracle.set_bounds(object.handle, &volume));
            }
            self.totals.operations += u64::from(volume.is_some() || user.is_some());
        }
        first
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
