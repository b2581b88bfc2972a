//! The expected results of queries: every object is tested alone.

use hexphase::Handle;

use super::{Object, Oracle};
use crate::shape::{Box64, Found, Question, Shape};
use crate::subject::accepts;

impl Oracle {
    pub(crate) fn to_list(&self) -> Vec<Object> {
        self.objects().copied().collect()
    }

    pub(super) fn boxes(&self) -> Vec<Box64> {
        self.objects().map(|object| object.bounds).collect()
    }

    /// Returns all objects that touch a shape, each with its fraction or squared distance, in the
    /// order of query results.
    fn touched(&self, shape: &Shape) -> Vec<(Object, [f64; 2])> {
        let objects: Vec<&Object> = self.objects().collect();
        let mut found = self.space.touches(&self.sides, shape, &self.boxes());
        // The sort is stable: objects at equal fractions or distances remain in ascending order.
        found.sort_by(|a, b| {
            let [a, b] = [a.order, b.order];
            a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1]))
        });
        found.iter().map(|touch| (*objects[touch.index], touch.at)).collect()
    }

    pub(crate) fn answer(&self, question: &Question) -> Found {
        let mut found = self.touched(&question.shape);
        found.retain(|(object, _)| {
            question.except != Some(object.handle)
                && object.filter.layers & question.mask != 0
                && accepts(question.parity, object.user)
        });
        let found: Found = found.iter().map(|(object, at)| (object.handle, *at)).collect();
        let end = question.take.min(found.len());
        let ties = found[end..].iter().take_while(|found_| {
            question.with_ties && end > 0 && found[end - 1].1[0] == found_.1[0]
        });
        let end = end + ties.count();
        found[..end].to_vec()
    }

    /// Returns each object with all other objects within a distance of it, as handles.
    pub(crate) fn neighbors(&self, distance: f64) -> Vec<(Handle, Vec<Handle>)> {
        let (objects, boxes) = (self.to_list(), self.boxes());
        let lists = objects.iter().map(|own| {
            let near = self.space.within(&self.sides, &own.bounds, distance, &boxes);
            let others = near.into_iter().map(|other| objects[other].handle);
            (own.handle, others.filter(|&other| other != own.handle).collect())
        });
        lists.collect()
    }

    /// Returns the `count` objects nearest to an object, without this object itself.
    pub(crate) fn nearest_to(&self, object: &Object, count: usize) -> Vec<Handle> {
        let target = Shape::Target { bounds: object.bounds, within: None, within_squared: None };
        let others = self.touched(&target).into_iter().map(|(other, _)| other.handle);
        others.filter(|&other| other != object.handle).take(count).collect()
    }

    pub(crate) fn distance_squared(&self, bounds: Box64, object: &Object) -> Option<f64> {
        let target = Shape::Target { bounds, within: None, within_squared: None };
        let found = self.space.touches(&self.sides, &target, &[object.bounds]);
        found.first().map(|touch| touch.at[0])
    }
}
