// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "swift-data-transfer",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Endpoints", targets: ["Endpoints"]),
        .library(name: "NetworkLogging", targets: ["NetworkLogging"]),
        .library(name: "NetworkCore", targets: ["NetworkCore"]),
        .library(name: "NetworkPipeline", targets: ["NetworkPipeline"]),
        .library(name: "NetworkCache", targets: ["NetworkCache"]),
        .library(name: "DataTransfer", targets: ["DataTransfer"]),
        .library(name: "DataTransferCombine", targets: ["DataTransferCombine"]),
        .library(name: "NetworkTesting", targets: ["NetworkTesting"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
    ],
    targets: [
        // What to ask for: pure descriptions, no I/O.
        .target(name: "Endpoints", dependencies: ["NetworkLogging"], swiftSettings: settings),
        // What is secret, and what is told without it. The folder is `Logging`; a target of that name would collide with swift-log's in
        // every server.
        .target(name: "NetworkLogging", path: "Sources/Logging", swiftSettings: settings),
        // How bytes travel. On Linux the engine is the libcurl that Foundation already loads.
        .target(
            name: "NetworkCore",
            dependencies: [
                "Endpoints", "NetworkLogging",
                .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCodings", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings
        ),
        .target(name: "NetworkPipeline", dependencies: ["NetworkCore"], swiftSettings: settings),
        .target(name: "NetworkCache", dependencies: ["NetworkCore"], swiftSettings: settings),
        .target(
            name: "DataTransfer", dependencies: ["Endpoints", "NetworkLogging", "NetworkCore"], swiftSettings: settings),
        .target(name: "DataTransferCombine", dependencies: ["DataTransfer"], swiftSettings: settings),
        .target(
            name: "NetworkTesting", dependencies: ["DataTransfer", "NetworkCore", "Endpoints", "NetworkLogging"],
            swiftSettings: settings
        ),
        // Our own declarations of libcurl's stable ABI: no development package is needed to build.
        .target(
            name: "CCurl",
            linkerSettings: [.linkedLibrary(":libcurl.so.4", .when(platforms: [.linux]))]
        ),
        // Our own declarations of zlib, brotli and zstd, which are looked up at run time.
        .target(name: "CCodings", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .executableTarget(
            name: "quickstart", dependencies: ["DataTransfer", "NetworkPipeline", "NetworkTesting"], swiftSettings: settings),
        .testTarget(name: "EndpointsTests", dependencies: ["Endpoints"], swiftSettings: settings),
        .testTarget(name: "LoggingTests", dependencies: ["NetworkLogging"], swiftSettings: settings),
        .testTarget(
            name: "NetworkCoreTests",
            dependencies: [
                "NetworkCore", "NetworkTesting", .target(name: "CCurl", condition: .when(platforms: [.linux])),
                .target(name: "CCodings", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings
        ),
        .testTarget(name: "DataTransferTests", dependencies: ["DataTransfer", "NetworkTesting"], swiftSettings: settings),
        .testTarget(name: "DocumentationTests", swiftSettings: settings),
        .testTarget(
            name: "NetworkTestingTests", dependencies: ["NetworkTesting"], exclude: ["HAR/Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "NetworkPipelineTests", dependencies: ["NetworkPipeline", "DataTransfer", "NetworkTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkCacheTests", dependencies: ["NetworkCache", "NetworkPipeline", "NetworkTesting"],
            swiftSettings: settings),
        // What no module can promise alone: whose credentials are sent, shared and shown.
        .testTarget(
            name: "IsolationTests", dependencies: ["DataTransfer", "NetworkCache", "NetworkPipeline", "NetworkTesting"],
            swiftSettings: settings),
        .testTarget(
            name: "ParityTests", dependencies: ["DataTransfer", "NetworkCache", "NetworkPipeline", "NetworkTesting"],
            resources: [.copy("Fixtures")], swiftSettings: settings
        ),
        // Skipped unless Scripts/with-servers runs it.
        .testTarget(
            name: "RealServerTests", dependencies: ["DataTransfer", "NetworkPipeline", "NetworkCache"], path: "Tests/RealServers",
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
