// swift-tools-version: 6.0
import PackageDescription

/// The library in Rust. On Linux the linker must be told where it is. On Apple's platforms it is an XCFramework, which
/// `xcframework.sh` builds next to this file. For a release, `release.py` writes the address of its zip here.
#if os(Linux)
    let library = Target.systemLibrary(name: "TextveilFFI")
#else
    let released: (url: String, checksum: String)? = nil
    let library: Target =
        if let released {
            .binaryTarget(name: "TextveilFFI", url: released.url, checksum: released.checksum)
        } else {
            .binaryTarget(name: "TextveilFFI", path: "TextveilFFI.xcframework")
        }
#endif

/// The tests need seeds, which a released library does not take. They exist only if the environment names the folder of the
/// golden vectors.
let tests: [Target] =
    Context.environment["TEXTVEIL_TESTS"] == nil
    ? [] : [.testTarget(name: "TextveilTests", dependencies: ["Textveil", "PrivateTextField"])]

let package = Package(
    name: "Textveil",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [.library(name: "Textveil", targets: ["Textveil"])],
    targets: [
        library,
        .target(name: "Textveil", dependencies: ["TextveilFFI"], resources: [.copy("PrivacyInfo.xcprivacy")]),
        .target(name: "PrivateTextField", dependencies: ["Textveil"], path: "Samples/PrivateTextField"),
    ] + tests
)
