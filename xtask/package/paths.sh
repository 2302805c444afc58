# For the scripts that build without `cargo xtask`, read in the root of the checkout: no folder of this machine goes into what is
# published. The standard library's sources have the compiler's own name for them.
cargo fetch --locked
downloads=${CARGO_HOME:-$HOME/.cargo}
without_paths=("--remap-path-prefix=$PWD/=")
for sources in "$downloads"/registry/src/*; do without_paths+=("--remap-path-prefix=$sources/="); done
without_paths+=("--remap-path-prefix=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')")

# refuse_paths FILE...    Ends the script if one of them, or a file in one of them, names a folder that a build reads here. (Not any
# folder of a home: on a Mac of GitHub, that is where Rust's own libraries were built, too.)
refuse_paths() {
  if grep -rlF -e "$PWD/" -e "$downloads/" -e "${RUSTUP_HOME:-$HOME/.rustup}/" -- "$@"; then
    echo "these name a folder of this machine" >&2
    exit 1
  fi
}
