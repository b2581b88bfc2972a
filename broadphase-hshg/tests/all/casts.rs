//! Paths whose fractions are beyond all numbers find what the definition of a touch says.

use broadphase_hshg::Hshg;

laws::casts!(hshg, Hshg::<_, _, _>::new());
