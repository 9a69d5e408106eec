// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
func dataTransfer(_ product: String) -> Target.Dependency { .product(name: product, package: "swift-data-transfer") }

// A session manager over async-http-client, for programs that use SwiftNIO.
let package = Package(
    name: "swift-data-transfer-async-http-client",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "DataTransferAsyncHTTPClient", targets: ["DataTransferAsyncHTTPClient"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
    ],
    targets: [
        .target(
            name: "DataTransferAsyncHTTPClient",
            dependencies: [
                dataTransfer("NetworkCore"), dataTransfer("NetworkTransport"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DataTransferAsyncHTTPClientTests",
            dependencies: ["DataTransferAsyncHTTPClient", dataTransfer("DataTransfer"), dataTransfer("NetworkTesting")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Beside the root package only: its tests with real servers run with this session manager too. They are links to the root. They see what is `package` there,
// because they are compiled under the name that SwiftPM derives from its folder.
let root = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent().deletingLastPathComponent()
if FileManager.default.fileExists(atPath: root.appendingPathComponent("Tests/RealServers").path) {
    let name = root.lastPathComponent.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    let shared = settings + [.unsafeFlags(["-package-name", String(name)])]
    package.targets += [
        .target(name: "CTestSettings", path: "Tests/CTestSettings"),
        .target(
            name: "TestSupport", dependencies: ["CTestSettings", dataTransfer("Endpoints")], path: "Tests/TestSupport",
            packageAccess: false, swiftSettings: shared),
        .target(
            name: "TransferTestSupport",
            dependencies: [
                "TestSupport", dataTransfer("DataTransfer"), dataTransfer("NetworkTesting"), dataTransfer("NetworkURLSession"),
            ],
            path: "Tests/TransferTestSupport", packageAccess: false, swiftSettings: shared),
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "DataTransferAsyncHTTPClient", "TransferTestSupport", dataTransfer("DataTransfer"),
                dataTransfer("NetworkAuthorization"), dataTransfer("NetworkCache"), dataTransfer("NetworkObservation"),
                dataTransfer("NetworkPipeline"), dataTransfer("NetworkWebSocket"), dataTransfer("ResumableUploads"),
            ],
            exclude: ["Suites/Engines.swift"], packageAccess: false, swiftSettings: shared),
    ]
}
