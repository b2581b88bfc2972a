//! The Python module `hexphase._hexphase`: searches and worlds for `NumPy` arrays.
//!
//! The package `hexphase`, written in Python in the folder `python`, converts all inputs into
//! contiguous arrays of `float32`, `float64` or `int32`, and documents the functions.
//!
//! 1. Copy the array into boxes, and validate them ([`boxes`]).
//! 2. Search on a pool of threads without the interpreter lock, while the calling thread waits and
//!    handles signals ([`run`]).
//! 3. Move the list that was found into an array, without a copy.

mod boxes;
mod lists;
mod neighbors;
mod run;
mod stream;
mod world;

use pyo3::prelude::*;

#[pymodule]
mod _hexphase {
    #[pymodule_export]
    use crate::lists::{join, nearest, pairs};
    #[pymodule_export]
    use crate::neighbors::{Verlet, neighbor_list};
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::world::World;
}
