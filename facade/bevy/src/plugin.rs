//! The plugin, its systems and messages.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::change_detection::DetectChanges as _;
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_transform::TransformSystems;
use bevy_transform::components::GlobalTransform;
use bevy_transform::systems::{
    mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms,
};
use hexphase::{Aabb, Options};

use crate::{Bounds, BroadPhase, Layers, Mobility};

/// Two entities have begun to overlap.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Began<const D: usize> {
    /// The entities, in the order in which they were inserted into the broad phase.
    pub entities: [Entity; 2],
}

/// Two entities no longer overlap, or one of them has lost its bounds or was despawned.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended<const D: usize> {
    /// The entities, in the order in which they were inserted into the broad phase.
    pub entities: [Entity; 2],
}

/// The systems of the plugin, in this order.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HexphaseSystems {
    /// Copies bounds, layers and mobilities that have changed, in batches.
    Synchronize,
    /// Finds the pairs and writes the messages.
    Step,
}

/// Keeps a [`BroadPhase`] of all entities with [`Bounds`] in `D` dimensions, 2 or 3.
///
/// In [`PostUpdate`], the systems run after the propagation of transforms. In another schedule, the
/// plugin propagates transforms there before.
#[derive(Clone, Copy, Debug)]
pub struct HexphasePlugin<const D: usize> {
    schedule: Interned<dyn ScheduleLabel>,
    options: Options<f32, D>,
}

impl<const D: usize> HexphasePlugin<D> {
    /// Runs the systems in this schedule.
    #[must_use]
    pub fn in_schedule(self, schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), ..self }
    }

    /// Sets the options of the world, such as its structure, or sides after which it wraps.
    #[must_use]
    pub const fn options(self, options: Options<f32, D>) -> Self {
        Self { options, ..self }
    }
}

impl<const D: usize> Default for HexphasePlugin<D> {
    fn default() -> Self {
        Self { schedule: PostUpdate.intern(), options: Options::new() }
    }
}

impl<const D: usize> Plugin for HexphasePlugin<D> {
    fn build(&self, app: &mut App) {
        app.insert_resource(BroadPhase::new(self.options))
            .add_message::<Began<D>>()
            .add_message::<Ended<D>>()
            .add_observer(|removed: On<Remove<Bounds<D>>>, mut world: ResMut<BroadPhase<D>>| {
                world.removed.push(removed.entity);
            })
            .configure_sets(
                self.schedule,
                (HexphaseSystems::Synchronize, HexphaseSystems::Step)
                    .chain()
                    .after(TransformSystems::Propagate),
            )
            .add_systems(
                self.schedule,
                (
                    synchronize::<D>.in_set(HexphaseSystems::Synchronize),
                    step::<D>.in_set(HexphaseSystems::Step),
                ),
            );
        if self.schedule != PostUpdate.intern() {
            app.add_systems(
                self.schedule,
                (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms)
                    .chain()
                    .in_set(TransformSystems::Propagate),
            );
        }
    }
}

/// An entity with bounds, and all that the broad phase knows about it.
type Parts<'a, const D: usize> =
    (Entity, Ref<'a, Bounds<D>>, Ref<'a, GlobalTransform>, Ref<'a, Layers>, Ref<'a, Mobility>);

/// Removes, inserts and changes objects; new ones in the order of the indices of their entities. If an entity has invalid bounds, the
/// error ([`InvalidBounds`](crate::InvalidBounds)) names it; then
/// the others are not changed either, and are changed after the bounds have been corrected.
fn synchronize<const D: usize>(
    mut world: ResMut<BroadPhase<D>>,
    entities: Query<Parts<'_, D>>,
    mut pending: Local<bool>,
    mut moved: Local<Vec<(Entity, Aabb<f32, D>)>>,
    mut by_object: Local<Vec<Option<Aabb<f32, D>>>>,
) -> Result {
    world.remove();
    let (mut new, mut others) = (Vec::new(), Vec::new());
    moved.clear();
    for (entity, bounds, transform, layers, mobility) in &entities {
        let is_new = bounds.is_added() || *pending && world.handle(entity).is_none();
        if is_new {
            new.push((entity, bounds.transformed(&transform), *layers, *mobility));
            continue;
        }
        if *pending || bounds.is_changed() || transform.is_changed() {
            moved.push((entity, bounds.transformed(&transform)));
        }
        if *pending || layers.is_changed() || mobility.is_changed() {
            others.push((entity, *layers, *mobility));
        }
    }
    // Until everything is copied, the next call must not trust the marks of changes.
    *pending = true;
    world.set_bounds(&moved, &mut by_object)?;
    new.sort_unstable_by_key(|(entity, ..)| entity.index_u32());
    world.insert(&new)?;
    for (entity, layers, mobility) in others {
        world.set(entity, layers, mobility);
    }
    *pending = false;
    Ok(())
}

fn step<const D: usize>(
    mut world: ResMut<BroadPhase<D>>,
    mut began: MessageWriter<Began<D>>,
    mut ended: MessageWriter<Ended<D>>,
) {
    world.step();
    began.write_batch(world.began().map(|entities| Began { entities }));
    ended.write_batch(world.ended().map(|entities| Ended { entities }));
}
