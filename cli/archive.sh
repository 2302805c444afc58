#!/usr/bin/env bash
# Builds the programs for Linux, linked statically, and packs them with completions, man pages and licences:
# an archive and its folder in target/programs.
#
# archive.sh [TARGET]    TARGET: x86_64-unknown-linux-musl, unless another is named. It needs musl-gcc (Debian: musl-tools).
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-x86_64-unknown-linux-musl}
version=$(sed -n '/^version = "/{s/^version = "\(.*\)"$/\1/p;q}' Cargo.toml)
folder=target/programs/textveil-$version-$target

# Messages name source files. Their folders on this machine are nobody's business.
flags="--remap-path-prefix=$PWD/="
for sources in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=" --remap-path-prefix=$sources/="; done
export RUSTFLAGS=$flags CARGO_PROFILE_RELEASE_STRIP=symbols
rustup target add "$target"
cargo build --locked --release --target="$target" --package=textveil-cli --package=textveil-collector
