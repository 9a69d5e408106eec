// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
func dataTransfer(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-data-transfer") }

// State that a fleet of processes shares over Valkey or Redis: cached responses, a rate limit, open circuits and tokens.
let package = Package(
    name: "swift-data-transfer-valkey",
    platforms: [.macOS(.v15)],
    products: [.library(name: "DataTransferValkey", targets: ["DataTransferValkey"])],
    dependencies: [.package(name: "swift-data-transfer", path: "../..")],
    targets: [
        .systemLibrary(
            name: "CHiredis", pkgConfig: "hiredis", providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(
            name: "DataTransferValkey",
            dependencies: [
                "CHiredis", dataTransfer("NetworkCore"), dataTransfer("NetworkCache"), dataTransfer("NetworkPipeline"),
                dataTransfer("NetworkAuthorization"), dataTransfer("Endpoints"), dataTransfer("NetworkLogging"),
            ],
            swiftSettings: settings),
        // A server of a test, and the models that tests and programs share.
        .target(name: "ValkeyTesting", dependencies: ["DataTransferValkey"], swiftSettings: settings),
        // One process of a fleet, which the tests start and kill.
        .executableTarget(name: "valkey-worker", dependencies: ["DataTransferValkey", "ValkeyTesting"], swiftSettings: settings),
        .executableTarget(name: "valkey-bench", dependencies: ["DataTransferValkey", "ValkeyTesting"], swiftSettings: settings),
        .testTarget(
            name: "DataTransferValkeyTests",
            dependencies: [
                "DataTransferValkey", "ValkeyTesting", "valkey-worker", dataTransfer("NetworkTesting"),
                dataTransfer("DataTransfer"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
