// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A transport and a middleware for clients that swift-openapi-generator writes.
let package = Package(
    name: "DataTransferOpenAPI",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "DataTransferOpenAPI", targets: ["DataTransferOpenAPI"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.0"),
    ],
    targets: [
        // The conversions of Integrations/HTTPTypes, in a module with another name, so that a program can use both packages.
        .target(
            name: "DataTransferOpenAPIMessages",
            dependencies: [
                .product(name: "NetworkCore", package: "swift-data-transfer"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "DataTransferOpenAPI",
            dependencies: [
                "DataTransferOpenAPIMessages",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NetworkCore", package: "swift-data-transfer"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "DataTransferOpenAPITests",
            dependencies: [
                "DataTransferOpenAPI",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NetworkCache", package: "swift-data-transfer"),
                .product(name: "NetworkPipeline", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
