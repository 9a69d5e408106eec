// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
func dataTransfer(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-data-transfer") }

// Logs, metrics, traces and the lifecycle of servers, over the packages that servers in Swift share.
let package = Package(
    name: "swift-data-transfer-server-kit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "DataTransferServerKit", targets: ["DataTransferServerKit"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    ],
    targets: [
        .target(
            name: "DataTransferServerKit",
            dependencies: [
                dataTransfer("DataTransfer"), dataTransfer("NetworkPipeline"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        // A tracer and a backend of metrics that keep everything in memory, for the tests and the benchmark.
        .target(
            name: "ServerKitTesting",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "server-kit-bench", dependencies: ["DataTransferServerKit", "ServerKitTesting"], swiftSettings: settings),
        .testTarget(
            name: "DataTransferServerKitTests",
            dependencies: [
                "DataTransferServerKit", "ServerKitTesting", dataTransfer("NetworkCache"), dataTransfer("NetworkTesting"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            resources: [.copy("trace_server.py")], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
