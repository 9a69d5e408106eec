// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Requests and responses of swift-http-types, and what a transport for generated OpenAPI clients needs.
let package = Package(
    name: "DataTransferHTTPTypes",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "DataTransferHTTPTypes", targets: ["DataTransferHTTPTypes"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "DataTransferHTTPTypes",
            dependencies: [
                .product(name: "NetworkCore", package: "swift-data-transfer"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DataTransferHTTPTypesTests",
            dependencies: [
                "DataTransferHTTPTypes", .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
