//! What the spatial hash has beyond the laws; once is enough, with all features.

#![cfg(all(feature = "wide", feature = "pulp"))]

extern crate alloc;

mod article;
mod cost;
mod maps;
