// swift-tools-version: 6.0
import PackageDescription

let endpoints = Target.Dependency.product(name: "Endpoints", package: "swift-data-transfer")
let networkRecordings = Target.Dependency.product(name: "NetworkRecordings", package: "swift-data-transfer")
let networkCore = Target.Dependency.product(name: "NetworkCore", package: "swift-data-transfer")
let networkPipeline = Target.Dependency.product(name: "NetworkPipeline", package: "swift-data-transfer")
let networkAuthorization = Target.Dependency.product(name: "NetworkAuthorization", package: "swift-data-transfer")

// Bytes that nobody thought of, for the parsers of what a server sends: libFuzzer, which comes with Swift on Linux.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "swift-data-transfer", path: "..")],
    targets: [
        .executableTarget(name: "fuzz-head", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-redirect", dependencies: [networkCore, endpoints]),
        .executableTarget(
            name: "fuzz-redaction", dependencies: [.product(name: "NetworkLogging", package: "swift-data-transfer")]),
        .executableTarget(name: "fuzz-response", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-http2", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-http3", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-qpack", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-proxy", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-dns", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-tls", dependencies: [networkCore, endpoints]),
        .executableTarget(name: "fuzz-codings", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-cookies", dependencies: [networkCore]),
        .executableTarget(name: "fuzz-challenges", dependencies: [networkPipeline]),
        .executableTarget(name: "fuzz-signatures", dependencies: [networkCore, networkAuthorization, endpoints]),
        // One stream, whole and in pieces.
        .target(name: "Splitting", dependencies: [endpoints]),
        .executableTarget(name: "fuzz-events", dependencies: ["Splitting", endpoints]),
        .executableTarget(name: "fuzz-ndjson", dependencies: ["Splitting", endpoints]),
        .executableTarget(name: "fuzz-elements", dependencies: ["Splitting", endpoints]),
        .executableTarget(
            name: "fuzz-stored", dependencies: [.product(name: "NetworkCache", package: "swift-data-transfer")]),
        .executableTarget(
            name: "fuzz-record", dependencies: [.product(name: "NetworkCache", package: "swift-data-transfer")]),
        // A link to the models of the tests.
        .target(name: "JSONDocuments"),
        .executableTarget(name: "fuzz-json-decode", dependencies: ["JSONDocuments", endpoints]),
        .executableTarget(name: "fuzz-json-encode", dependencies: ["JSONDocuments", endpoints]),
        .executableTarget(name: "fuzz-multipart", dependencies: [endpoints]),
        .executableTarget(name: "fuzz-har", dependencies: [networkRecordings]),
        .executableTarget(
            name: "fuzz-websocket", dependencies: [.product(name: "NetworkWebSocket", package: "swift-data-transfer")]),
    ],
    swiftLanguageModes: [.v6]
)
