//! Tests of the spatial hash beyond the laws. They are compiled only with all features, since one
//! run is enough.

mod article;
mod bins;
mod cost;
