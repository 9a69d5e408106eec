// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A server that aggregates two others. In a program of yours, both packages of swift-data-transfer have addresses instead of paths.
let package = Package(
    name: "gateway",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(name: "swift-data-transfer-server-kit", path: "../../Integrations/ServerKit"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "gateway",
            dependencies: [
                .product(name: "DataTransferServerKit", package: "swift-data-transfer-server-kit"),
                .product(name: "NetworkCache", package: "swift-data-transfer"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GatewayTests",
            dependencies: ["gateway", .product(name: "DataTransfer", package: "swift-data-transfer")], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
