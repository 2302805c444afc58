//! Words are drawn here: from a text to a release.

pub(crate) mod bulk;
pub(crate) mod channel;
pub(crate) mod drawing;
pub(crate) mod kernel;
pub(crate) mod nearest_mass;
#[cfg(feature = "std")]
pub(crate) mod pace;
pub(crate) mod privatizer;
pub(crate) mod stretch;
pub(crate) mod weights;
