//! Worlds of boxes for JavaScript.

use hexphase::{
    Aabb, Algorithm, Bounds, BroadPhase, Handle, LineKind, Motion, Object, Options, PairSearch,
    Path, UserData,
};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// Boxes in the plane, and their overlapping pairs.
///
/// A box is four numbers: `minX, minY, maxX, maxY`. Boxes that touch overlap. `insert` numbers the
/// objects; the number of a removed object is used again. All lists of objects are `Uint32Array`s.
/// Pairs are two numbers each, the lower first, and sorted: equal calls give equal results on every
/// machine and with every structure.
///
/// An error is thrown as an `Error`, and the world is unchanged.
#[wasm_bindgen]
#[derive(Debug)]
pub struct World {
    world: BroadPhase<f32>,
    /// The object of each number; a removed one is no longer in the world.
    handles: Vec<Handle>,
}

/// The objects that a path touches, in the order in which it touches them.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Hits {
    /// The objects.
    pub ids: Vec<u32>,
    /// The fraction of the path to each object, from 0 to 1.
    pub fractions: Vec<f32>,
}

/// The nearest objects, in ascending order of their distances.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Neighbors {
    /// The objects.
    pub ids: Vec<u32>,
    /// The distance of each object.
    pub distances: Vec<f32>,
}

#[wasm_bindgen]
impl World {
    /// Creates an empty world.
    ///
    /// The structure is `"auto"`, `"hshg"` (a hierarchical grid) or `"brute"`; it changes the time,
    /// and no result. If `width` or `height` is given and not 0, the world wraps on that axis.
    #[wasm_bindgen(constructor)]
    pub fn new(
        structure: Option<String>,
        width: Option<f32>,
        height: Option<f32>,
    ) -> Result<Self, JsError> {
        let algorithm = parse_structure(structure.as_deref().unwrap_or("auto"))?;
        let sides = [width, height].map(Option::unwrap_or_default);
        let options = Options::new().algorithm(algorithm).try_wrap(sides)?;
        Ok(Self { world: BroadPhase::with_options(options), handles: Vec::new() })
    }

    /// The number of objects.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn length(&self) -> usize {
        self.world.len()
    }

    /// Inserts boxes, four numbers each. Returns the numbers of the new objects.
    pub fn insert(&mut self, bounds: &[f32]) -> Result<Vec<u32>, JsError> {
        let objects: Vec<Object<Aabb, ()>> =
            boxes(bounds)?.map(|bounds| Object::new(bounds, ())).collect();
        let mut inserted = Vec::new();
        self.world.insert_many(&objects, &mut inserted)?;
        place(&mut self.handles, inserted.iter().copied());
        Ok(numbers(inserted))
    }

    /// Removes objects. Their pairs end at the next step.
    pub fn remove(&mut self, ids: &[u32]) -> Result<(), JsError> {
        let handles = self.find(ids)?;
        Ok(self.world.remove_many(&handles)?)
    }

    /// Changes the boxes of all objects: four numbers for object 0, four for object 1, and so on.
    /// Those of removed objects are ignored.
    #[wasm_bindgen(js_name = setBounds)]
    pub fn set_bounds(&mut self, bounds: &[f32]) -> Result<(), JsError> {
        if bounds.len() != self.handles.len() * 4 {
            let (found, count) = (bounds.len(), self.handles.len());
            return Err(error(format!("{found} numbers for {count} objects, not {}", 4 * count)));
        }
        let (boxes, _) = bounds.as_chunks();
        Ok(self.world.update(|handle, (), bounds| {
            *bounds = to_box(boxes[handle.index() as usize]);
        })?)
    }

    /// Changes the boxes of these objects.
    #[wasm_bindgen(js_name = setBoundsOf)]
    pub fn set_bounds_of(&mut self, ids: &[u32], bounds: &[f32]) -> Result<(), JsError> {
        let handles = self.find(ids)?;
        let boxes: Vec<Aabb> = boxes(bounds)?.collect();
        if boxes.len() != ids.len() {
            return Err(error(format!("{} boxes for {} objects", boxes.len(), ids.len())));
        }
        for (number, bounds) in boxes.iter().enumerate() {
            bounds.checked().map_err(|why| error(format!("box {number}: {why}")))?;
        }
        for (&handle, bounds) in handles.iter().zip(boxes) {
            self.world.set_bounds(handle, bounds)?;
        }
        Ok(())
    }

    /// Makes objects static, or dynamic again. Two static objects form no pair, and steps take less
    /// time if many objects are static.
    #[wasm_bindgen(js_name = setStatic)]
    pub fn set_static(&mut self, ids: &[u32], is_static: bool) -> Result<(), JsError> {
        let motion = if is_static { Motion::Static } else { Motion::Dynamic };
        for handle in self.find(ids)? {
            self.world.set_motion(handle, motion)?;
        }
        Ok(())
    }

    /// Finds the overlapping pairs, and the changes since the step before.
    pub fn step(&mut self) {
        self.world.step();
    }

    /// Returns the overlapping pairs of the last step.
    #[must_use]
    pub fn pairs(&self) -> Vec<u32> {
        self.world.pairs().flat_map(|pair| pair.handles.map(Handle::index)).collect()
    }

    /// Returns the pairs of the last step that did not overlap at the step before.
    #[must_use]
    pub fn began(&self) -> Vec<u32> {
        self.world.began().flat_map(|pair| pair.handles.map(Handle::index)).collect()
    }

    /// Returns the pairs that overlapped at the step before, and no longer do.
    #[must_use]
    pub fn ended(&self) -> Vec<u32> {
        self.world.ended().flat_map(|pair| pair.handles.map(Handle::index)).collect()
    }

    /// Returns the objects that overlap a box.
    pub fn query(
        &self,
        min_x: f32,
        min_y: f32,
        max_x: f32,
        max_y: f32,
    ) -> Result<Vec<u32>, JsError> {
        let area = Aabb::new([min_x, min_y], [max_x, max_y]).checked().map_err(error)?;
        Ok(numbers(self.world.query(area).to_vec()))
    }

    /// Returns the `count` objects nearest to a point.
    pub fn nearest(&self, x: f32, y: f32, count: usize) -> Result<Neighbors, JsError> {
        let point = Aabb::point([x, y]).checked().map_err(error)?;
        let found = self.world.nearest(point.min).take(count).to_vec();
        Ok(Neighbors {
            ids: found.iter().map(|one| one.object.index()).collect(),
            distances: found.iter().map(|one| one.distance).collect(),
        })
    }

    /// Returns all objects that the segment between two points touches.
    pub fn cast(&self, x0: f32, y0: f32, x1: f32, y1: f32) -> Result<Hits, JsError> {
        for end in [[x0, y0], [x1, y1]] {
            Aabb::point(end).checked().map_err(error)?;
        }
        let found = self.world.cast(Path::segment([x0, y0], [x1, y1])).to_vec();
        Ok(Hits {
            ids: found.iter().map(|hit| hit.object.index()).collect(),
            fractions: found.iter().map(|hit| hit.fraction).collect(),
        })
    }

    /// Returns a hash of the state, 16 hexadecimal digits. Equal states have equal hashes on every
    /// machine.
    #[wasm_bindgen(js_name = stateHash)]
    #[must_use]
    pub fn state_hash(&self) -> String {
        format!("{:016x}", self.world.state_hash())
    }

    /// Returns the state as bytes.
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.world.snapshot_into(&mut bytes);
        bytes
    }

    /// Replaces the state by that of a snapshot. Damaged bytes are an error.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), JsError> {
        self.world.restore(snapshot)?;
        self.handles.clear();
        place(&mut self.handles, self.world.handles());
        Ok(())
    }

    /// Returns the borders of the cells of the structure that have objects, as lines of four
    /// numbers: `x0, y0, x1, y1`.
    #[must_use]
    pub fn cells(&self) -> Vec<f32> {
        cell_lines(&self.world)
    }
}

impl World {
    fn find(&self, ids: &[u32]) -> Result<Vec<Handle>, JsError> {
        let find = |&id: &u32| {
            let handle = self.handles.get(id as usize).copied().unwrap_or_default();
            if self.world.contains(handle) { Ok(handle) } else { Err(id) }
        };
        let found: Result<_, u32> = ids.iter().map(find).collect();
        found.map_err(|id| error(format!("object {id} does not exist")))
    }
}

/// Returns the pairs of overlapping boxes of a list, as the numbers of the boxes.
#[wasm_bindgen(js_name = findPairs)]
pub fn find_pairs(bounds: &[f32]) -> Result<Vec<u32>, JsError> {
    let boxes: Vec<Aabb> = boxes(bounds)?.collect();
    let mut pairs = Vec::new();
    hexphase::find_pairs(&boxes, &PairSearch::OVERLAPS, &mut pairs)?;
    Ok(pairs.into_iter().flatten().collect())
}

pub(crate) fn error(why: impl ToString) -> JsError {
    JsError::new(&why.to_string())
}

pub(crate) fn parse_structure(name: &str) -> Result<Algorithm, JsError> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
        error(format!("unknown structure {name}; the structures are {}", names.join(", ")))
    })
}

/// Stores each object at its number.
fn place(handles: &mut Vec<Handle>, objects: impl Iterator<Item = Handle>) {
    for handle in objects {
        let number = handle.index() as usize;
        if number >= handles.len() {
            handles.resize(number + 1, Handle::DANGLING);
        }
        handles[number] = handle;
    }
}

/// Returns the borders of the cells that have objects, four numbers each.
pub(crate) fn cell_lines<U: UserData, B: Bounds<f32, 2>>(
    world: &BroadPhase<f32, 2, U, B>,
) -> Vec<f32> {
    let mut lines = Vec::new();
    world.debug_lines(|line| {
        if let LineKind::Cell { .. } = line.kind {
            lines.extend(line.ends.as_flattened());
        }
    });
    lines
}

pub(crate) fn numbers(handles: impl IntoIterator<Item = Handle>) -> Vec<u32> {
    handles.into_iter().map(Handle::index).collect()
}

fn boxes(numbers: &[f32]) -> Result<impl ExactSizeIterator<Item = Aabb>, JsError> {
    match numbers.as_chunks() {
        (boxes, []) => Ok(boxes.iter().copied().map(to_box)),
        _ => Err(error(format!("boxes have 4 numbers each, {} are given", numbers.len()))),
    }
}

fn to_box([min_x, min_y, max_x, max_y]: [f32; 4]) -> Aabb {
    Aabb::new([min_x, min_y], [max_x, max_y])
}
