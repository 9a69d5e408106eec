// swift-tools-version: 6.0
import PackageDescription

// Compares the engine with other clients, and so needs them. Linux only.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-data-transfer", path: ".."),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        // One of async-http-client's packages: names the certificates that it trusts.
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    ],
    targets: [
        // The same load in plain C over libcurl's HTTP.
        .target(name: "CLoop", linkerSettings: [.linkedLibrary(":libcurl.so.4")]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CLoop",
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkCache", package: "swift-data-transfer"),
                .product(name: "NetworkPipeline", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
