// swift-tools-version: 6.0
import PackageDescription

// async-http-client has 22 packages, which take as long to build as all else: BENCH_AHC=none leaves it out.
let hasAsyncHTTPClient = Context.environment["BENCH_AHC"] != "none"
// SwiftNIO, for its WebSocket client: BENCH_NIO=none leaves it out.
let hasNIO = Context.environment["BENCH_NIO"] != "none"

// Compares the engine with other clients, and so needs them. Linux only.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "swift-data-transfer", path: "..")]
        + (hasAsyncHTTPClient
            ? [
                .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
                // One of async-http-client's packages: names the certificates that it trusts.
                .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
            ] : [])
        + (hasNIO ? [.package(url: "https://github.com/apple/swift-nio", exact: "2.101.2")] : []),
    targets: [
        // The same load in plain C over libcurl's HTTP.
        .target(name: "CLoop", linkerSettings: [.linkedLibrary(":libcurl.so.4")]),
        // A server of WebSockets that takes as little of the processors as possible.
        .target(name: "CEcho", cSettings: [.unsafeFlags(["-O2"])]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CLoop", "CEcho",
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkCache", package: "swift-data-transfer"),
                .product(name: "NetworkObservation", package: "swift-data-transfer"),
                .product(name: "NetworkPipeline", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
                .product(name: "NetworkURLSession", package: "swift-data-transfer"),
                .product(name: "NetworkWebSocket", package: "swift-data-transfer"),
            ]
                + (hasAsyncHTTPClient
                    ? [
                        .product(name: "AsyncHTTPClient", package: "async-http-client"),
                        .product(name: "NIOSSL", package: "swift-nio-ssl"),
                    ] : [])
                + (hasNIO
                    ? ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map { .product(name: $0, package: "swift-nio") } : []),
            // The parsers and the entries of the cache are measured without what is around them: declarations with `package` access.
            // Unlike `@testable`, this does not change how the measured modules are compiled.
            swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-Xfrontend", "-disable-access-control"])]
        ),
        // Links to the models of the tests, and to their comparison with Foundation.
        .target(name: "JSONDocuments"),
        .target(
            name: "JSONDifferential",
            dependencies: ["JSONDocuments", .product(name: "Endpoints", package: "swift-data-transfer")]),
        // A separate program, as it counts allocations.
        .target(name: "CAllocations"),
        .executableTarget(
            name: "bench-json",
            dependencies: [
                "CAllocations", "JSONDocuments", "JSONDifferential", .product(name: "Endpoints", package: "swift-data-transfer"),
            ],
            swiftSettings: [.enableUpcomingFeature("ExistentialAny"), .unsafeFlags(["-Xfrontend", "-disable-access-control"])]),
    ],
    swiftLanguageModes: [.v6]
)
