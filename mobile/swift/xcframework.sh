#!/usr/bin/env bash
# The XCFramework of a release, on macOS with Xcode and rustup:  xcframework.sh OUT
# OUT is made anew, and must not exist yet. It is the assembled package (the bindings, this folder's sources without the tests, which need seeds), TextveilFFI.xcframework and
# its zip. With the address that the zip will have, release.py lets Package.swift name the zip and its checksum, and the package needs no
# folder beside it. Not run where the other tests are: those need no Mac.
#
# Each slice is a static framework: an app embeds and signs nothing, and the module map lies inside the framework. (A static library
# with headers puts module.modulemap where that of any other such package goes too, and Xcode refuses both.)
set -euo pipefail
out=${1:?usage: xcframework.sh OUT}
case $out in /*) ;; *) out=$PWD/$out ;; esac
if [ -e "$out" ]; then echo "$out exists: name a folder that is not there yet" >&2; exit 2; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export IPHONEOS_DEPLOYMENT_TARGET=15.0 MACOSX_DEPLOYMENT_TARGET=12.0
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -1)
name=TextveilFFI library=libtextveil_mobile.a target=$root/target

device=(aarch64-apple-ios)
simulator=(aarch64-apple-ios-sim x86_64-apple-ios)
mac=(aarch64-apple-darwin x86_64-apple-darwin)
rustup target add "${device[@]}" "${simulator[@]}" "${mac[@]}"
cd "$root"
. xtask/package/paths.sh
export RUSTFLAGS="${RUSTFLAGS:-} ${without_paths[*]}"
for triple in "${device[@]}" "${simulator[@]}" "${mac[@]}"; do
  cargo rustc --locked --package textveil-mobile --lib --profile mobile --crate-type staticlib --target "$triple"
done

# The bindings are read out of a library before it is stripped.
mkdir -p "$out"
cp -R "$here"/{Package.swift,README.md,Sources,Samples} "$out"
cp "$root"/{LICENSE-*,NOTICE-THIRD-PARTY.md} "$root/core/data/NOTICE.md" "$out"
cargo run --locked --package textveil-bindgen --bin uniffi-bindgen -- \
  generate --no-format --language swift --out-dir "$out/bindings" "$target/aarch64-apple-ios/mobile/$library"
mv "$out/bindings/Textveil.swift" "$out/Sources/Textveil"
rm -r "$out/Sources/TextveilFFI"

# framework DIRECTORY PLATFORM SYSTEM TRIPLE...
framework() {
  local bundle=$out/$1/$name.framework platform=$2 system=$3 inside resources slices=() triple
  shift 3
  inside=$bundle resources=$bundle
  # A framework of macOS has versions.
  if [ "$platform" = MacOSX ]; then inside=$bundle/Versions/A resources=$inside/Resources; fi
  mkdir -p "$inside"/{Headers,Modules} "$resources"
  for triple in "$@"; do slices+=("$target/$triple/mobile/$library"); done
  lipo -create "${slices[@]}" -output "$inside/$name"
  strip -S -x "$inside/$name"
  cp "$out/bindings/$name.h" "$inside/Headers"
  cp "$here/Sources/Textveil/PrivacyInfo.xcprivacy" "$resources"
  cat > "$inside/Modules/module.modulemap" <<MAP
framework module $name {
    umbrella header "$name.h"
    export *
}
MAP
  cat > "$resources/Info.plist" <<PLIST
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>textveil.$name</string>
<key>CFBundleName</key><string>$name</string>
<key>CFBundleExecutable</key><string>$name</string>
<key>CFBundlePackageType</key><string>FMWK</string>
<key>CFBundleShortVersionString</key><string>$version</string>
<key>CFBundleVersion</key><string>$version</string>
<key>CFBundleSupportedPlatforms</key><array><string>$platform</string></array>
<key>$system</key><string>$([ "$platform" = MacOSX ] && echo $MACOSX_DEPLOYMENT_TARGET || echo $IPHONEOS_DEPLOYMENT_TARGET)</string>
</dict></plist>
PLIST
  if [ "$platform" = MacOSX ]; then
    ln -s A "$bundle/Versions/Current"
    for part in $name Headers Modules Resources; do ln -s "Versions/Current/$part" "$bundle/$part"; done
  fi
}
framework device iPhoneOS MinimumOSVersion "${device[@]}"
framework simulator iPhoneSimulator MinimumOSVersion "${simulator[@]}"
framework mac MacOSX LSMinimumSystemVersion "${mac[@]}"

xcodebuild -create-xcframework -output "$out/$name.xcframework" \
  -framework "$out/device/$name.framework" -framework "$out/simulator/$name.framework" -framework "$out/mac/$name.framework"
rm -r "$out"/{device,simulator,mac,bindings}
refuse_paths "$out"
(cd "$out" && ditto -c -k --sequesterRsrc --keepParent $name.xcframework $name.xcframework.zip)
