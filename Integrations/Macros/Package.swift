// swift-tools-version: 6.0
import CompilerPluginSupport
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Clients whose calls are declared with attributes, written by macros.
let package = Package(
    name: "DataTransferMacros",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "DataTransferMacros", targets: ["DataTransferMacros"])],
    dependencies: [
        .package(name: "swift-data-transfer", path: "../.."),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.1"..<"604.0.0"),
    ],
    targets: [
        .macro(
            name: "DataTransferMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            swiftSettings: settings),
        .target(
            name: "DataTransferMacros",
            dependencies: [
                "DataTransferMacrosPlugin",
                .product(name: "DataTransfer", package: "swift-data-transfer"),
            ],
            swiftSettings: settings),
        // It contains the sources of the plugin by a link: tests that depend on a macro, and all others with them, are compiled
        // for the host,
        // with a second copy of swift-data-transfer.
        .testTarget(
            name: "ExpansionTests",
            dependencies: [
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
            ],
            exclude: ["Macros/Plugin.swift"],
            swiftSettings: settings),
        .testTarget(
            name: "DataTransferMacrosTests",
            dependencies: [
                "DataTransferMacros",
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IsolationTests",
            dependencies: [
                "DataTransferMacros",
                .product(name: "DataTransfer", package: "swift-data-transfer"),
                .product(name: "NetworkTesting", package: "swift-data-transfer"),
            ],
            swiftSettings: settings + [.unsafeFlags(["-default-isolation", "MainActor"])]),
    ],
    swiftLanguageModes: [.v6]
)
