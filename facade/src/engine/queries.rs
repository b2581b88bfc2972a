//! Queries: regions, paths, nearest objects.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use broadphase_core::{Entry, Motion, Path, Region, Scalar, Target};

use super::Core;
use crate::registry::Registry;
use crate::structure::Proxy;
use crate::{Error, Handle};

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

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Calls the visitor for each object that a search finds, until it returns `Break`. Objects on
    /// a path are visited in order of fraction, objects near a target in order of distance.
    pub(super) fn search(
        &self,
        registry: &Registry,
        &Search { kind, mask, except }: &Search<S, D>,
        visit: &mut dyn FnMut(Handle, S::Real) -> ControlFlow<()>,
    ) {
        let mut visit = |slot: u32, proxy: Proxy, at| {
            let object = proxy.handle(slot);
            let is_wanted = registry.filters.get(proxy.filter).layers & mask != 0;
            if is_wanted && Some(object) != except {
                visit(object, at)
            } else {
                ControlFlow::Continue(())
            }
        };
        match kind {
            QueryKind::Region(region) => {
                let at = S::Real::default();
                self.structure.query(region, &mut |entry: Entry<'_, S, D, Proxy>| {
                    visit(entry.key, *entry.data, at)
                });
            }
            QueryKind::Path(path) => self.structure.cast(path, &mut visit),
            QueryKind::Target(target) => self.structure.nearest(target, &mut visit),
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
        let Some(entry) = self.structure.entry(own) else { return Ok(()) };
        let region = Region::from(entry.bounds);
        self.structure.query(region, &mut |other: Entry<'_, S, D, Proxy>| {
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
