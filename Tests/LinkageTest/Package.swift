// swift-tools-version: 6.0
import PackageDescription

// A client package: one executable per product that links only that product, one that also links swift-log, and one that uses all
// products beside modules that declare the same names as other packages.
// Built and inspected by .ci/check-linkage.
let products = [
    "Endpoints", "EndpointAPIs", "NetworkLogging", "NetworkCore", "NetworkPipeline", "NetworkAuthorization",
    "NetworkObservation", "NetworkCache", "DataTransfer", "ResumableUploads", "BackgroundTransfers", "DataTransferCombine",
    "NetworkTesting",
    "NetworkRecordings", "NetworkURLSession", "NetworkWebSocket",
]

let package = Package(
    name: "LinkageTest",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    ],
    targets: products.map { product in
        .executableTarget(
            name: "Uses\(product)", dependencies: [.product(name: product, package: "swift-data-transfer")])
    } + [
        .executableTarget(
            name: "BesideSwiftLog",
            dependencies: [
                .product(name: "NetworkLogging", package: "swift-data-transfer"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "OtherPackages"),
        .executableTarget(
            name: "BesideOtherPackages",
            dependencies: products.map { .product(name: $0, package: "swift-data-transfer") } + ["OtherPackages"]),
    ],
    swiftLanguageModes: [.v6]
)
