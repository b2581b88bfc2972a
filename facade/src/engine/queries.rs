//! Queries: regions, paths, nearest objects.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Aabb, Lists, Motion, Path, Region, Scalar, Search, SpatialIndexExt, Target};

use super::Core;
use crate::registry::Registry;
use crate::snapshot::Plain;
use crate::{Error, Handle};

/// Receives objects, with their fraction along the path or squared distance, until it returns
/// `Break`.
pub(crate) type SearchFn<'a, S, const D: usize, R> =
    dyn FnMut(Handle, Aabb<S, D>, R) -> ControlFlow<()> + 'a;

/// Receives the results of each query of a batch.
pub(crate) type EmitFn<'a, R> = dyn FnMut(&[(Handle, R)]) + 'a;

/// The part of a query that does not depend on user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilteredSearch<S: Scalar, const D: usize> {
    pub(crate) kind: Search<S, D>,
    /// Layers; an object must be in at least one of them.
    pub(crate) mask: u64,
    /// An object to exclude.
    pub(crate) except: Option<Handle>,
}

/// The kind and geometry of a batch of queries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryKinds<'a, S: Scalar, const D: usize> {
    Regions(&'a [Region<S, D>]),
    Paths(&'a [Path<S, D>]),
    Targets(&'a [Target<S, D>]),
}

/// The part of a batch of queries that does not depend on user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchSearch<'a, S: Scalar, const D: usize> {
    pub(crate) kinds: QueryKinds<'a, S, D>,
    /// Layers; an object must be in at least one of them.
    pub(crate) mask: u64,
    /// Maximum number of results of each query.
    pub(crate) most: usize,
}

/// Finds objects with the current bounds and filters.
pub(crate) trait Queries<S: Scalar, const D: usize> {
    /// Calls the visitor for each object that a search finds, ascending by fraction or distance if
    /// it has one, until the visitor returns `Break`.
    fn query(
        &self,
        registry: &Registry,
        search: &FilteredSearch<S, D>,
        visit: &mut SearchFn<'_, S, D, S::Real>,
    );
    /// Runs a batch of queries, and calls `emit` with the results of each, in order. `accept` is
    /// called from several threads.
    fn query_many(
        &self,
        registry: &Registry,
        search: &BatchSearch<'_, S, D>,
        accept: &(dyn Fn(Handle) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    );
    /// Writes the objects that currently form a pair with `object` into `out`, ascending. `touches`
    /// returns whether the volume in a slot touches that of `object`.
    fn overlapping(
        &self,
        registry: &Registry,
        object: Handle,
        touches: &dyn Fn(u32) -> bool,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error>;
}

impl<S: Scalar + Plain, const D: usize> Queries<S, D> for Core<S, D> {
    fn query_many(
        &self,
        registry: &Registry,
        &BatchSearch { kinds, mask, most }: &BatchSearch<'_, S, D>,
        accept: &(dyn Fn(Handle) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    ) {
        let slots = &registry.slots;
        let is_wanted = |slot: u32| {
            let layers = registry.filters.get(slots.filter_number(slot)).layers;
            layers & mask != 0 && accept(slots.handle(slot))
        };
        let (mut hits, mut found) = (Lists::default(), Vec::new());
        let structure = self.current.structure_for(match kinds {
            QueryKinds::Regions(all) => all.len(),
            QueryKinds::Paths(all) => all.len(),
            QueryKinds::Targets(all) => all.len(),
        });
        match kinds {
            QueryKinds::Regions(regions) => {
                let mut lists = Lists::default();
                structure.query_many(regions, &mut lists);
                for list in lists.iter() {
                    let wanted = list.iter().filter(|&&slot| is_wanted(slot)).take(most);
                    found.clear();
                    found.extend(wanted.map(|&slot| (slots.handle(slot), S::Real::default())));
                    emit(&found);
                }
                return;
            }
            QueryKinds::Paths(paths) => {
                structure.cast_many(paths, most, |entry| is_wanted(entry.key), &mut hits);
            }
            QueryKinds::Targets(targets) => {
                structure.nearest_many(targets, most, |entry| is_wanted(entry.key), &mut hits);
            }
        }
        for list in hits.iter() {
            found.clear();
            found.extend(list.iter().map(|&(slot, at)| (slots.handle(slot), at)));
            emit(&found);
        }
    }

    fn query(
        &self,
        registry: &Registry,
        FilteredSearch { kind, mask, except }: &FilteredSearch<S, D>,
        visit: &mut SearchFn<'_, S, D, S::Real>,
    ) {
        let Registry { slots, filters, .. } = registry;
        let _ = self.current.structure_for(1).visit(kind, &mut |entry, at| {
            let object = slots.handle(entry.key);
            let is_wanted = filters.get(slots.filter_number(entry.key)).layers & mask != 0;
            if is_wanted && Some(object) != *except {
                visit(object, entry.bounds, at)
            } else {
                ControlFlow::Continue(())
            }
        });
    }

    fn overlapping(
        &self,
        registry: &Registry,
        object: Handle,
        touches: &dyn Fn(u32) -> bool,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        out.clear();
        let own = object.index();
        let Registry { slots, filters, .. } = registry;
        let content = slots.get(object).ok_or(Error::Stale { object })?;
        let structure = self.current.structure_for(1);
        let Some(stored) = structure.get(own) else { return Ok(()) };
        let search = Search::Region(Region::from(stored.bounds));
        let _ = structure.visit(&search, &mut |other, _| {
            let slot = other.key;
            let are_static =
                content.motion == Motion::Static && slots.motion(slot) == Some(Motion::Static);
            let agree = filters.accept(content.filter, slots.filter_number(slot));
            if slot != own && agree && !are_static && touches(slot) {
                out.push(slots.handle(slot));
            }
            ControlFlow::Continue(())
        });
        out.sort_unstable();
        Ok(())
    }
}
