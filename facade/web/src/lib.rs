//! Overlapping boxes in the browser: [`World`] and [`find_pairs`] for JavaScript, and the
//! [`Simulation`] of the page.
//!
//! The simulation is ordinary Rust ([`discs`]), so a program on any machine can repeat the ticks of
//! a browser and compare the hashes of the states.

pub mod discs;
mod picture;
mod simulation;
mod world;

pub use picture::{Palette, Picture};
pub use simulation::Simulation;
pub use world::{Hits, Neighbors, World, find_pairs};
