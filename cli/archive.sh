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

. xtask/package/paths.sh
export RUSTFLAGS="${without_paths[*]}" CARGO_PROFILE_RELEASE_STRIP=symbols
rustup target add "$target"
cargo build --locked --release --target="$target" --package=textveil-cli --package=textveil-collector

rm -rf target/programs/*-"$target"{,.tar.gz}
mkdir -p "$folder"/{completions,data,man,notices}
cp "target/$target/release/"{textveil,textveil-collector} LICENSE-APACHE LICENSE-MIT cli/README.md "$folder"
cp core/data/NOTICE.md "$folder/notices/english-table.md"
cp tables/data/NOTICE.md "$folder/notices/text-encoder.md"
cp NOTICE-THIRD-PARTY.md "$folder/notices/third-party.md"
python3 cli/licences.py "$target" > "$folder/notices/crates.txt"
for program in textveil textveil-collector; do
    "$folder/$program" completions bash > "$folder/completions/$program.bash"
    "$folder/$program" completions fish > "$folder/completions/$program.fish"
    "$folder/$program" completions powershell > "$folder/completions/$program.ps1"
    "$folder/$program" completions zsh > "$folder/completions/_$program"
    "$folder/$program" manual "$folder/man"
done

refuse_paths "$folder"
# They need no library of the machine that they come to.
for program in textveil textveil-collector; do
    headers=$(readelf --program-headers "$folder/$program")
    if grep INTERP <<< "$headers"; then echo "$program is not static" >&2; exit 1; fi
done
# The same bytes give the same archive, whoever packs them and when.
tar --create --directory="${folder%/*}" --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" "${folder##*/}" | gzip --no-name --best > "$folder.tar.gz"
echo "$folder.tar.gz"
