//! What the spatial hash has beyond the laws; once is enough, with all features.

pub(crate) mod any;
mod article;
mod cost;
mod maps;
