//! The grid's batches as lists of boxes without vacant places.

use broadphase_core::{Aabb, Scalar};
use broadphase_hshg::Batch;

use super::{Change, Movers, Proxy};

/// The largest number of places in a batch.
const LARGEST: usize = 128;

/// Hands the objects of a batch to `change`.
pub(super) fn change<S: Scalar, const D: usize>(
    batch: Batch<'_, S, D, Proxy>,
    change: &mut Change<'_, S, D>,
) {
    let mut list = List {
        batch,
        len: 0,
        done: 0,
        places: [0; LARGEST],
        proxies: [Proxy::default(); LARGEST],
        bounds: [Aabb { min: [S::ZERO; D], max: [S::ZERO; D] }; LARGEST],
    };
    let mut keys = [0; LARGEST];
    list.fill(&mut keys);
    let List { len, done, proxies, bounds, .. } = &mut list;
    if *len > 0 {
        let mut movers = Tracked {
            movers: Movers {
                keys: &keys[..*len],
                proxies: &mut proxies[..*len],
                bounds: &mut bounds[..*len],
                done: 0,
            },
            done,
        };
        change(&mut movers.movers);
    }
}

/// Objects copied out of a batch; copied back when it is dropped.
struct List<'a, S: Scalar, const D: usize> {
    batch: Batch<'a, S, D, Proxy>,
    len: usize,
    /// The number of objects whose new bounds count.
    done: usize,
    /// The place in the batch of each object.
    places: [u8; LARGEST],
    proxies: [Proxy; LARGEST],
    bounds: [Aabb<S, D>; LARGEST],
}

/// Passes on how many objects were changed, also if the caller panics.
struct Tracked<'a, S, const D: usize> {
    movers: Movers<'a, S, D>,
    done: &'a mut usize,
}

impl<S, const D: usize> Drop for Tracked<'_, S, D> {
    fn drop(&mut self) {
        *self.done = self.movers.done;
    }
}

impl<S: Scalar, const D: usize> List<'_, S, D> {
    /// Copies the objects out of the batch. Branch-free: vacant places are spread at random.
    fn fill(&mut self, keys: &mut [u32; LARGEST]) {
        let count = self.batch.keys.len().min(LARGEST);
        let mut len = 0;
        for place in 0..count {
            // Never more than the places before this one.
            let at = len % LARGEST;
            keys[at] = self.batch.keys[place];
            self.proxies[at] = self.batch.data[place];
            self.places[at] = place as u8;
            for axis in 0..D {
                self.bounds[at].min[axis] = self.batch.min[axis][place];
                self.bounds[at].max[axis] = self.batch.max[axis][place];
            }
            len += usize::from(!self.batch.is_vacant(place));
        }
        self.len = len;
    }
}

impl<S: Scalar, const D: usize> Drop for List<'_, S, D> {
    fn drop(&mut self) {
        for at in 0..self.done.min(self.len) {
            let place = usize::from(self.places[at]);
            self.batch.data[place] = self.proxies[at];
            for axis in 0..D {
                self.batch.min[axis][place] = self.bounds[at].min[axis];
                self.batch.max[axis][place] = self.bounds[at].max[axis];
            }
        }
    }
}
