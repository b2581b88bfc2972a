//! The filters that accept each other, in one world or of two worlds.

use broadphase_core::Filter;

use crate::filters::{Agreement, Filters, MATRIX_MAX_FILTERS};

/// The filters and layers that a search for pairs accepts.
///
/// A pair is accepted if its filters accept each other, its first object is in a layer of
/// `layers[0]`, and its second object in a layer of `layers[1]`. In one world, the two objects may
/// be exchanged.
pub(crate) struct FilterPairs<'a> {
    ours: &'a Filters,
    /// Filters of the other world; `None` for pairs in one world.
    theirs: Option<&'a Filters>,
    layers: [u64; 2],
    /// Bit `b` of row `a` is set if our filter `a` and their filter `b` are accepted. `None` if
    /// either world has more than [`MATRIX_MAX_FILTERS`] filters.
    matrix: Option<[u64; MATRIX_MAX_FILTERS]>,
    agreement: Agreement,
}

impl<'a> FilterPairs<'a> {
    pub(crate) fn new(ours: &'a Filters, theirs: Option<&'a Filters>, layers: [u64; 2]) -> Self {
        let mut pairs = Self { ours, theirs, layers, matrix: None, agreement: Agreement::Some };
        let others = theirs.unwrap_or(ours);
        if ours.numbers().max(others.numbers()) > MATRIX_MAX_FILTERS {
            return pairs;
        }
        let (mut matrix, mut all, mut any) = ([0; MATRIX_MAX_FILTERS], true, false);
        for (a, row) in (0..ours.numbers() as u32).zip(&mut matrix) {
            for b in 0..others.numbers() as u32 {
                let accepted = pairs.test(&ours.get(a), &others.get(b));
                *row |= u64::from(accepted) << b;
                if ours.is_used(a) && others.is_used(b) {
                    all &= accepted;
                    any |= accepted;
                }
            }
        }
        pairs.agreement = match (all, any) {
            (true, _) => Agreement::All,
            (_, false) => Agreement::None,
            _ => Agreement::Some,
        };
        Self { matrix: Some(matrix), ..pairs }
    }

    /// Returns whether all pairs of filters in use are accepted, some may be, or none is.
    pub(crate) const fn agreement(&self) -> Agreement {
        self.agreement
    }

    /// Returns whether our filter `a` and their filter `b`, given by number, are accepted.
    #[inline]
    pub(crate) fn accept(&self, a: u32, b: u32) -> bool {
        match &self.matrix {
            Some(matrix) => matrix[a as usize] >> b & 1 != 0,
            None => self.test(&self.ours.get(a), &self.theirs.unwrap_or(self.ours).get(b)),
        }
    }

    fn test(&self, a: &Filter, b: &Filter) -> bool {
        let [first, second] = self.layers;
        let in_layers = |a: &Filter, b: &Filter| a.layers & first != 0 && b.layers & second != 0;
        let unlimited = self.layers == [!0; 2];
        let exchanged = self.theirs.is_none() && in_layers(b, a);
        a.accepts(b) && (unlimited || in_layers(a, b) || exchanged)
    }
}
