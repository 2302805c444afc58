//! What commands share: files, progress, sampling, reports, a mechanism as options, metrics of text.
//!
//! Nothing here names a command or the table room. Inside the room, paths are relative.

pub(crate) mod exit;
pub(crate) mod files;
pub(crate) mod mechanism;
pub(crate) mod metrics;
pub(crate) mod progress;
pub(crate) mod report;
pub(crate) mod sampling;
