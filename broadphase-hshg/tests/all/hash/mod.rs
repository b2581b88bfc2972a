//! Tests of the spatial hash beyond the laws. Compiled only with all features, since one run is
//! enough.

mod article;
mod bins;
mod cost;
mod maps;
