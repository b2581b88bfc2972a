//! Queries: regions, paths, nearest objects.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Aabb, Entry, Lists, Motion, Path, Region, Scalar, Target};

use super::Core;
use crate::registry::Registry;
use crate::structure::{HitLists, Proxy};
use crate::{Error, Handle};

/// Receives found objects with their bounds, and their fraction along the path or squared distance,
/// until it returns `Break`.
pub(crate) type SearchFn<'a, S, const D: usize, R> =
    dyn FnMut(Handle, Aabb<S, D>, R) -> ControlFlow<()> + 'a;

/// Receives the results of each query of a batch.
pub(crate) type EmitFn<'a, R> = dyn FnMut(&[(Handle, R)]) + 'a;

/// The kind and geometry of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryKind<S: Scalar, const D: usize> {
    /// Objects that overlap a region.
    Region(Region<S, D>),
    /// Objects that a path touches.
    Path(Path<S, D>),
    /// Objects nearest to a target.
    Target(Target<S, D>),
}

/// The part of a query that does not depend on user data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search<S: Scalar, const D: usize> {
    pub(crate) kind: QueryKind<S, D>,
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
    /// An object to exclude.
    pub(crate) except: Option<Handle>,
    /// Maximum number of results of each query.
    pub(crate) most: usize,
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Runs a batch of queries. Calls `emit` with the results of each query, in the order of the
    /// queries. `accept` is called from several threads at once.
    pub(super) fn search_many(
        &self,
        registry: &Registry,
        &BatchSearch { kinds, mask, except, most }: &BatchSearch<'_, S, D>,
        accept: &(dyn Fn(Handle) -> bool + Sync),
        emit: &mut EmitFn<'_, S::Real>,
    ) {
        let is_wanted = |slot: u32, proxy: Proxy| {
            let object = proxy.handle(slot);
            registry.filters.get(proxy.filter).layers & mask != 0
                && Some(object) != except
                && accept(object)
        };
        let (mut hits, mut found) = (HitLists::<S::Real>::default(), Vec::new());
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
                    let handles = list.iter().map(|&slot| registry.slots.handle(slot));
                    let wanted = handles.filter(|&object| {
                        let filter = registry.slots.get(object).map_or(0, |data| data.filter);
                        is_wanted(object.index(), Proxy { filter, generation: object.generation() })
                    });
                    found.clear();
                    found.extend(wanted.take(most).map(|object| (object, S::Real::default())));
                    emit(&found);
                }
                return;
            }
            QueryKinds::Paths(paths) => {
                structure.cast_many(paths, most, &is_wanted, &mut hits);
            }
            QueryKinds::Targets(targets) => {
                structure.nearest_many(targets, most, &is_wanted, &mut hits);
            }
        }
        for list in hits.iter() {
            found.clear();
            found.extend(list.iter().map(|&(slot, at)| (registry.slots.handle(slot), at)));
            emit(&found);
        }
    }

    /// Calls the visitor for each object that a search finds, until it returns `Break`. Objects on
    /// a path are visited in order of fraction, objects near a target in order of distance.
    pub(super) fn search(
        &self,
        registry: &Registry,
        &Search { kind, mask, except }: &Search<S, D>,
        visit: &mut SearchFn<'_, S, D, S::Real>,
    ) {
        let mut visit = |entry: Entry<'_, S, D, Proxy>, at| {
            let object = entry.data.handle(entry.key);
            let is_wanted = registry.filters.get(entry.data.filter).layers & mask != 0;
            if is_wanted && Some(object) != except {
                visit(object, entry.bounds, at)
            } else {
                ControlFlow::Continue(())
            }
        };
        let structure = self.current.structure_for(1);
        match kind {
            QueryKind::Region(region) => {
                let at = S::Real::default();
                structure.query(region, &mut |entry| visit(entry, at));
            }
            QueryKind::Path(path) => structure.cast(path, &mut visit),
            QueryKind::Target(target) => structure.nearest(target, &mut visit),
        }
    }

    /// Writes the objects that currently form a pair with `object` into `out`, ascending, replacing
    /// its contents. `touches` returns whether the volume in a slot touches that of `object`.
    pub(super) fn partners(
        &self,
        registry: &Registry,
        object: Handle,
        touches: &dyn Fn(u32) -> bool,
        out: &mut Vec<Handle>,
    ) -> Result<(), Error> {
        out.clear();
        let own = object.index();
        let content = registry.slots.get(object).ok_or(Error::Stale { object })?;
        let structure = self.current.structure_for(1);
        let Some(entry) = structure.entry(own) else { return Ok(()) };
        let region = Region::from(entry.bounds);
        structure.query(region, &mut |other: Entry<'_, S, D, Proxy>| {
            let slot = other.key;
            let are_static = content.motion == Motion::Static
                && registry.slots.motion(slot) == Some(Motion::Static);
            let agree = registry.filters.accept(content.filter, other.data.filter);
            if slot != own && agree && !are_static && touches(slot) {
                out.push(other.data.handle(slot));
            }
            ControlFlow::Continue(())
        });
        out.sort_unstable();
        Ok(())
    }
}
