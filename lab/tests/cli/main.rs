//! `textveil-lab` as a person runs it.

mod compare;
mod data;
mod reproduce;

use std::process::Output;

use textveil_tests::{File, Folder, text};

fn textveil(arguments: &[&str], input: &[u8]) -> Output {
    textveil_tests::run(env!("CARGO_BIN_EXE_textveil-lab"), arguments, input)
}
