//! The input of a scene: its files, and the options for reading them.

use core::fmt;

use broadphase_core::scenes::SceneName;

use super::{InputArgs, Source};

/// All files of a scene, with the options that describe them.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The files in the order of the command line; at least one.
    pub(super) sources: Vec<Source>,
    /// The options.
    pub(super) options: InputArgs,
    /// The length of each axis that wraps, on which boxes with `min > max` are accepted; 0 for
    /// other axes.
    pub(super) sides: [f64; 3],
}

impl Input {
    /// Returns the input for axes that wrap, given their lengths, 0 for other axes.
    pub(crate) fn with_wrap(self, sides: [f64; 3]) -> Self {
        Self { sides, ..self }
    }

    /// Returns the files.
    pub(crate) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Returns the name of the generated scene, if the scene is generated.
    pub(crate) fn generated(&self) -> Option<SceneName> {
        match self.sources[..] {
            [Source::Generated(name)] => Some(name),
            _ => None,
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sources[..] {
            [first, _, ..] => write!(f, "{first} and {} more", self.sources.len() - 1),
            [first] => first.fmt(f),
            [] => f.write_str("no file"),
        }
    }
}
