//! Maintenance on demand.

use broadphase_core::{Scalar, instances};

use crate::grid::data::MoveData;
use crate::grid::{Core, Hshg};

instances! {
    /// [`Core::refresh`], compiled once.
    fn refresh<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.refresh(data);
    }

    /// [`Core::maintain_all`], compiled once.
    fn maintain_all<S, D>(core: &mut Core<S, D>, data: &mut dyn MoveData) {
        core.maintain_all(data);
    }
}

impl<S: Scalar, const D: usize, T: Copy> Hshg<S, D, T> {
    /// Brings all rows up to date, so that pairs can be found.
    pub(in crate::grid) fn refresh(&mut self) {
        refresh(&mut self.core, &mut self.data);
    }

    /// Runs all maintenance now.
    pub(in crate::grid) fn maintain_all(&mut self) {
        maintain_all(&mut self.core, &mut self.data);
    }
}

impl<S: Scalar, const D: usize> Core<S, D> {
    /// Runs all maintenance now.
    pub(in crate::grid) fn maintain_all(&mut self, data: &mut dyn MoveData) {
        if self.len_changed_much() {
            self.rebuild(data);
        } else {
            self.refresh(data);
        }
        self.free_old_buffers(true, data);
        if self.unused > self.store.len() / 16 || self.holes > self.store.len() / 8 {
            self.rebuild_storage(data);
        }
    }
}
