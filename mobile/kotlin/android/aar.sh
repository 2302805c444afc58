#!/usr/bin/env bash
# The AAR of a release:  aar.sh OUT
# OUT becomes a Maven repository with textveil-android. Needs Android's NDK 28 or later (ANDROID_NDK_HOME), rustup, Maven, a Java
# development kit and Python with pyelftools. The tests pack and check an AAR in the same way, but link its libraries without the NDK.
set -euo pipefail
out=$(realpath -m "${1:?usage: aar.sh OUT}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
tools=$(echo "${ANDROID_NDK_HOME:?the folder of the NDK}"/toolchains/llvm/prebuilt/*/bin)
api=24
cd "$root"
cargo xtask mobile --only kotlin

. xtask/package/paths.sh
libraries=()
# library TRIPLE COMPILER
library() {
  rustup target add "$1"
  local flags
  flags=$(printf '"%s",' "${without_paths[@]}" "-Clink-arg=-Wl,--strip-all")
  cargo rustc --locked --package textveil-mobile --lib --profile mobile --crate-type cdylib --target "$1" \
    --config "target.$1.linker = '$tools/$2$api-clang'" --config "target.$1.rustflags = [${flags%,}]"
  libraries+=("$root/target/$1/mobile/libtextveil_mobile.so")
}
library aarch64-linux-android aarch64-linux-android
library armv7-linux-androideabi armv7a-linux-androideabi
library x86_64-linux-android x86_64-linux-android
refuse_paths "${libraries[@]}"
python3 "$here/aar.py" target/kotlin/repository "$out" "${libraries[@]}"
python3 "$here/aar_check.py" "$out"
