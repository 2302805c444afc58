// swift-tools-version: 6.0
import PackageDescription

/// The library in Rust. On Linux it is the one that the linker is told of; on Apple's platforms an XCFramework, which
/// `xcframework.sh` builds beside this file and, for a release, names here by where its zip will lie.
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

/// The tests take seeds, which the library of a release does not: they are there for who says where the golden vectors are.
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
