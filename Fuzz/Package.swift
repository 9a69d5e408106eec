// swift-tools-version: 6.0
import PackageDescription

// Bytes that nobody thought of, for the parsers of what a server sends: libFuzzer, which comes with Swift on Linux.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-data-transfer", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz-head", dependencies: [.product(name: "NetworkCore", package: "swift-data-transfer")]),
        .executableTarget(
            name: "fuzz-multipart", dependencies: [.product(name: "Endpoints", package: "swift-data-transfer")]),
        .executableTarget(
            name: "fuzz-redirect",
            dependencies: [
                .product(name: "NetworkCore", package: "swift-data-transfer"),
                .product(name: "Endpoints", package: "swift-data-transfer"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
