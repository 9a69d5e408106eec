// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A client library for one API, to be copied. In another repository, only the `path:` differs.
let package = Package(
    name: "client-kit",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "TrackerClient", targets: ["TrackerClient"])],
    dependencies: [.package(name: "swift-data-transfer", path: "../..")],
    targets: [
        .target(
            name: "TrackerClient",
            dependencies: [
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkPipeline", package: "swift-data-transfer"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TrackerClientTests",
            dependencies: [
                "TrackerClient", .product(name: "NetworkTesting", package: "swift-data-transfer"),
                .product(name: "NetworkRecordings", package: "swift-data-transfer"),
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
