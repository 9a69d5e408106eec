// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let dataTransfer = Target.Dependency.product(name: "DataTransfer", package: "swift-data-transfer")

// Publishers over OpenCombine.
let package = Package(
    name: "DataTransferOpenCombine",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "DataTransferOpenCombine", targets: ["DataTransferOpenCombine"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    ],
    targets: [
        // The publishers of DataTransferCombine, from the same files (its folder is a link), over OpenCombine.
        .target(
            name: "DataTransferOpenCombine",
            dependencies: [dataTransfer, .product(name: "OpenCombine", package: "OpenCombine")],
            swiftSettings: settings + [.define("OPENCOMBINE")]
        ),
        .testTarget(
            name: "DataTransferOpenCombineTests",
            dependencies: ["DataTransferOpenCombine", .product(name: "NetworkTesting", package: "swift-data-transfer")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
