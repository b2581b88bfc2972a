//! What the spatial hash has beyond the laws; once is enough, with all features.

mod article;
mod bins;
mod cost;
mod maps;
