//! The resource: a world of hexphase whose objects are entities.

use core::fmt;

use bevy_ecs::entity::{Entity, EntityMapper, MapEntities};
use bevy_ecs::resource::Resource;
use hexphase::{Aabb, Handle, Object, Options, Path};

use crate::{Layers, Mobility};

/// The world of all entities with [`Bounds`](crate::Bounds). It answers queries, about the bounds
/// that were copied last.
///
/// Pairs and results have the order of the objects: it depends on the order in which entities got
/// bounds, and is equal on every machine.
#[derive(Resource, Clone, Debug)]
pub struct BroadPhase<const D: usize> {
    /// The user data of an object are the bits of its entity.
    world: hexphase::BroadPhase<f32, D, u64>,
    /// The object of each entity in the world, at the index of the entity.
    objects: Vec<Option<(Entity, Handle)>>,
    /// Entities that have lost their bounds since the last step.
    pub(crate) removed: Vec<Entity>,
}

/// The bounds of an entity have an infinite end or one that is not a number, or are inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidBounds {
    /// The entity. Its bounds in the broad phase are unchanged.
    pub entity: Entity,
    /// Which end is invalid.
    pub why: hexphase::InvalidBounds,
}

impl fmt::Display for InvalidBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bounds of entity {} are invalid: {}", self.entity, self.why)
    }
}

impl core::error::Error for InvalidBounds {}

impl<const D: usize> BroadPhase<D> {
    /// Creates an empty world.
    #[must_use]
    pub fn new(options: Options<f32, D>) -> Self {
        Self {
            world: hexphase::BroadPhase::with_options(options),
            objects: Vec::new(),
            removed: Vec::new(),
        }
    }

    /// Returns the world, for everything that is not here. [`entity`](Self::entity) converts its
    /// handles.
    #[must_use]
    pub fn world(&self) -> &hexphase::BroadPhase<f32, D, u64> {
        &self.world
    }

    /// Returns the entity of an object; `None` if it is not in the world.
    #[must_use]
    pub fn entity(&self, object: Handle) -> Option<Entity> {
        self.world.get(object).map(|object| Entity::from_bits(object.user))
    }

    /// Returns the object of an entity; `None` if it has no bounds.
    #[must_use]
    pub fn handle(&self, entity: Entity) -> Option<Handle> {
        find(&self.objects, entity)
    }

    /// Returns the overlapping pairs of the last step.
    pub fn pairs(&self) -> impl Iterator<Item = [Entity; 2]> + '_ {
        self.world.pairs().map(|pair| pair.users.map(Entity::from_bits))
    }

    /// Returns the pairs that began to overlap at the last step.
    pub fn began(&self) -> impl Iterator<Item = [Entity; 2]> + '_ {
        self.world.began().map(|pair| pair.users.map(Entity::from_bits))
    }

    /// Returns the pairs that ended at the last step; an entity may have been despawned.
    pub fn ended(&self) -> impl Iterator<Item = [Entity; 2]> + '_ {
        self.world.ended().map(|pair| pair.users.map(Entity::from_bits))
    }

    /// Returns the entities whose bounds overlap a box.
    #[must_use]
    pub fn query(&self, min: impl Into<[f32; D]>, max: impl Into<[f32; D]>) -> Vec<Entity> {
        let mut found = Vec::new();
        let area = Aabb::new(min.into(), max.into());
        self.world.query(area).visit(|_, &user, _| found.push(Entity::from_bits(user)));
        found
    }

    /// Returns the `count` entities nearest to a point, with their distances, in ascending order.
    #[must_use]
    pub fn nearest(&self, point: impl Into<[f32; D]>, count: usize) -> Vec<(Entity, f32)> {
        let mut found = Vec::new();
        self.world.nearest(point.into()).take(count).visit(|near, &user, _| {
            found.push((Entity::from_bits(user), near.distance));
        });
        found
    }

    /// Returns the entities whose bounds a path touches, with the fraction of the path before each,
    /// in the order in which the path touches them.
    #[must_use]
    pub fn cast(&self, path: Path<f32, D>) -> Vec<(Entity, f32)> {
        let mut found = Vec::new();
        self.world.cast(path).visit(|hit, &user, _| {
            found.push((Entity::from_bits(user), hit.fraction));
        });
        found
    }

    /// Inserts entities. On error, none is inserted.
    pub(crate) fn insert(
        &mut self,
        new: &[(Entity, Aabb<f32, D>, Layers, Mobility)],
    ) -> Result<(), InvalidBounds> {
        for &(entity, bounds, ..) in new {
            bounds.checked().map_err(|why| InvalidBounds { entity, why })?;
        }
        let objects: Vec<_> = new
            .iter()
            .map(|&(entity, bounds, layers, mobility)| {
                Object::new(bounds, entity.to_bits()).filter(layers.0).motion(mobility.motion)
            })
            .collect();
        let mut handles = Vec::new();
        self.world.insert_many(&objects, &mut handles).expect("the bounds are valid");
        for (&(entity, .., mobility), &handle) in new.iter().zip(&handles) {
            place(&mut self.objects, entity, handle);
            if mobility.swept {
                self.world.set_swept(handle, true).expect("inserted above");
            }
        }
        Ok(())
    }

    /// Removes the entities that have lost their bounds.
    pub(crate) fn remove(&mut self) {
        let mut handles = Vec::new();
        for entity in self.removed.drain(..) {
            // An entity may have lost its bounds several times.
            let slot = self.objects.get_mut(entity.index_u32() as usize);
            if let Some((_, handle)) = slot.and_then(|slot| slot.take_if(|(of, _)| *of == entity)) {
                handles.push(handle);
            }
        }
        self.world.remove_many(&handles).expect("the objects exist");
    }

    /// Changes the bounds of entities. On error, none is changed. `by_object` is memory to reuse.
    pub(crate) fn set_bounds(
        &mut self,
        changed: &[(Entity, Aabb<f32, D>)],
        by_object: &mut Vec<Option<Aabb<f32, D>>>,
    ) -> Result<(), InvalidBounds> {
        for &(entity, bounds) in changed {
            bounds.checked().map_err(|why| InvalidBounds { entity, why })?;
        }
        let objects = changed
            .iter()
            .filter_map(|&(entity, bounds)| find(&self.objects, entity).map(|one| (one, bounds)));
        if changed.len() * 4 < self.world.len() {
            for (handle, bounds) in objects {
                self.world.set_bounds(handle, bounds).expect("the bounds are valid");
            }
            return Ok(());
        }
        // One walk over all objects is faster than many calls.
        by_object.clear();
        for (handle, bounds) in objects {
            let index = handle.index() as usize;
            if index >= by_object.len() {
                by_object.resize(index + 1, None);
            }
            by_object[index] = Some(bounds);
        }
        let updated = self.world.update(|handle, _, bounds| {
            if let Some(Some(new)) = by_object.get(handle.index() as usize) {
                *bounds = *new;
            }
        });
        updated.expect("the bounds are valid");
        Ok(())
    }

    /// Changes how an entity forms pairs and moves.
    pub(crate) fn set(&mut self, entity: Entity, layers: Layers, mobility: Mobility) {
        if let Some(handle) = self.handle(entity) {
            let world = &mut self.world;
            let changed = world
                .set_filter(handle, layers.0)
                .and_then(|()| world.set_motion(handle, mobility.motion))
                .and_then(|()| world.set_swept(handle, mobility.swept));
            changed.expect("the object exists");
        }
    }

    pub(crate) fn step(&mut self) {
        self.world.step();
    }
}

impl<const D: usize> Default for BroadPhase<D> {
    fn default() -> Self {
        Self::new(Options::new())
    }
}

/// After a rollback that spawned entities again, they have other ids.
impl<const D: usize> MapEntities for BroadPhase<D> {
    fn map_entities<M: EntityMapper>(&mut self, mapper: &mut M) {
        self.objects.clear();
        for (handle, user) in self.world.users_mut() {
            let entity = mapper.get_mapped(Entity::from_bits(*user));
            *user = entity.to_bits();
            place(&mut self.objects, entity, handle);
        }
        for entity in &mut self.removed {
            *entity = mapper.get_mapped(*entity);
        }
    }
}

/// Returns the object of an entity.
fn find(objects: &[Option<(Entity, Handle)>], entity: Entity) -> Option<Handle> {
    let (of, handle) = (*objects.get(entity.index_u32() as usize)?)?;
    (of == entity).then_some(handle)
}

/// Sets the object of an entity.
fn place(objects: &mut Vec<Option<(Entity, Handle)>>, entity: Entity, handle: Handle) {
    let index = entity.index_u32() as usize;
    if index >= objects.len() {
        objects.resize(index + 1, None);
    }
    objects[index] = Some((entity, handle));
}
