//! `textveil-collector serve`, as a program that runs.

mod collector;
#[cfg(all(feature = "estimate", feature = "postgres"))]
mod postgres;
mod program;
#[cfg(feature = "estimate")]
mod shares;
#[cfg(unix)]
mod site;
