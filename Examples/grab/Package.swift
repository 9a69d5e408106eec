// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A command-line tool over DataTransfer, as a program of another repository would be: only the `path:` differs.
let package = Package(
    name: "grab",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "grab",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkPipeline", package: "swift-data-transfer"),
                .product(name: "ResumableUploads", package: "swift-data-transfer"),
                // For `--har`: its recording session manager writes HAR 1.2.
                .product(name: "NetworkRecordings", package: "swift-data-transfer"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GrabTests",
            dependencies: [
                "grab", .product(name: "NetworkRecordings", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
