// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let linux = TargetDependencyCondition.when(platforms: [.linux])
let apple = TargetDependencyCondition.when(platforms: [.macOS, .iOS, .macCatalyst, .tvOS, .watchOS, .visionOS])

// Apple's App Store requires a list of the system interfaces that concern privacy. On Linux, a resource would be one more file to install with
// each program.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if os(Linux)
    let (privacyResources, withoutPrivacyManifest): ([Resource], [String]) = ([], [privacyManifest])
#else
    let (privacyResources, withoutPrivacyManifest): ([Resource], [String]) = ([.copy(privacyManifest)], [])
#endif

let package = Package(
    name: "swift-data-transfer",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Endpoints", targets: ["Endpoints"]),
        .library(name: "EndpointAPIs", targets: ["EndpointAPIs"]),
        .library(name: "NetworkLogging", targets: ["NetworkLogging"]),
        .library(name: "NetworkTransport", targets: ["NetworkTransport"]),
        .library(name: "NetworkCore", targets: ["NetworkCore"]),
        .library(name: "NetworkURLSession", targets: ["NetworkURLSession"]),
        .library(name: "NetworkPipeline", targets: ["NetworkPipeline"]),
        .library(name: "NetworkAuthorization", targets: ["NetworkAuthorization"]),
        .library(name: "NetworkObservation", targets: ["NetworkObservation"]),
        .library(name: "NetworkCache", targets: ["NetworkCache"]),
        .library(name: "NetworkWebSocket", targets: ["NetworkWebSocket"]),
        .library(name: "DataTransfer", targets: ["DataTransfer"]),
        .library(name: "ResumableUploads", targets: ["ResumableUploads"]),
        .library(name: "BackgroundTransfers", targets: ["BackgroundTransfers"]),
        .library(name: "DataTransferCombine", targets: ["DataTransferCombine"]),
        .library(name: "NetworkTesting", targets: ["NetworkTesting"]),
        .library(name: "NetworkRecordings", targets: ["NetworkRecordings"]),
        .executable(name: "quickstart", targets: ["quickstart"]),
    ],
    targets: [
        // MARK: Products, from the bottom up

        // Loggers, and the redaction of secrets. The folder is `Logging`; a target of that name would collide with swift-log's.
        .target(
            name: "NetworkLogging", dependencies: ["NetworkJSON", "NetworkSupport"], path: "Sources/Logging",
            swiftSettings: settings),
        // Descriptions of requests, and decoders of responses. No I/O.
        .target(name: "Endpoints", dependencies: ["NetworkJSON", "NetworkLogging", "NetworkSupport"], swiftSettings: settings),
        // Services, which send requests with the platform's session manager.
        .target(
            name: "NetworkCore",
            dependencies: [
                "Endpoints", "NetworkLogging", "NetworkSupport", "NetworkTransport",
                .target(name: "NetworkEngine", condition: linux), .target(name: "NetworkURLSession", condition: apple),
            ],
            swiftSettings: settings),
        // The session manager over Foundation's `URLSession`: the default on Apple platforms. On Linux, `URLSession` is in FoundationNetworking, which
        // adds 45 MB to a program that links it statically, so nothing else depends on it there.
        .target(
            name: "NetworkURLSession", dependencies: ["NetworkTransport", "Endpoints", "NetworkSupport"], swiftSettings: settings),
        // Endpoints that are composed of parts, and values in envelopes.
        .target(
            name: "EndpointAPIs", dependencies: ["Endpoints", "NetworkJSON", "NetworkLogging", "NetworkSupport", "NetworkCore"],
            swiftSettings: settings),
        // Interceptors: retries, credentials, deadlines, limits, instruments.
        .target(
            name: "NetworkPipeline", dependencies: ["NetworkCore", "NetworkSupport"], swiftSettings: settings),
        // Tokens of OAuth 2 that are stored and renewed, and signatures of requests.
        .target(
            name: "NetworkAuthorization", dependencies: ["NetworkPipeline", "NetworkCore", "NetworkSupport"],
            swiftSettings: settings),
        // Events of calls, a chart of them, trace contexts, and the count of calls in flight.
        .target(
            name: "NetworkObservation",
            dependencies: ["NetworkPipeline", "NetworkCore", "Endpoints", "NetworkLogging", "NetworkSupport"],
            swiftSettings: settings),
        // An interceptor that caches responses (RFC 9111), and a cache of decoded values.
        .target(name: "NetworkCache", dependencies: ["NetworkCore", "NetworkSupport"], swiftSettings: settings),
        // WebSocket (RFC 6455), over connections of the engine.
        .target(
            name: "NetworkWebSocket", dependencies: ["NetworkCore", "Endpoints", "NetworkLogging", "NetworkSupport"],
            swiftSettings: settings),
        // Decoded values from endpoints; downloads, uploads, streams, pages.
        .target(
            name: "DataTransfer", dependencies: ["Endpoints", "NetworkLogging", "NetworkCore", "NetworkSupport"],
            swiftSettings: settings),
        // Uploads that continue after interruptions (tus).
        .target(
            name: "ResumableUploads",
            dependencies: ["DataTransfer", "Endpoints", "NetworkLogging", "NetworkCore", "NetworkSupport"],
            swiftSettings: settings),
        // Downloads and uploads that continue while an app is suspended, on Apple platforms.
        .target(
            name: "BackgroundTransfers",
            dependencies: [
                "DataTransfer", "Endpoints", "NetworkLogging", "NetworkCore", "NetworkTransport", "NetworkSupport",
                .target(name: "NetworkURLSession", condition: apple),
            ],
            swiftSettings: settings),
        // Publishers, where Combine is available.
        .target(name: "DataTransferCombine", dependencies: ["DataTransfer"], swiftSettings: settings),
        // Test doubles, and a loopback server with faults, for the tests of users.
        .target(
            name: "NetworkTesting",
            dependencies: [
                "DataTransfer", "NetworkWebSocket", "NetworkCore", "Endpoints", "NetworkJSON", "NetworkLogging", "NetworkSupport",
            ],
            swiftSettings: settings),
        // Exchanges and WebSockets that are recorded once, and replayed in tests.
        .target(
            name: "NetworkRecordings",
            dependencies: [
                "NetworkTesting", "DataTransfer", "NetworkWebSocket", "NetworkCore", "NetworkTransport", "Endpoints",
                "NetworkJSON",
                "NetworkLogging", "NetworkSupport",
            ],
            swiftSettings: settings),
        // A tour through the products: `swift run quickstart`.
        .executableTarget(
            name: "quickstart", dependencies: ["DataTransfer", "NetworkObservation", "NetworkPipeline", "NetworkTesting"],
            swiftSettings: settings),

        // MARK: Shared by products

        // What all session managers share: responses, bodies, errors, configuration, trust, cookies, redirects, admission. Exported by `NetworkCore`.
        .target(
            name: "NetworkTransport",
            dependencies: ["Endpoints", "NetworkLogging", "NetworkSupport", .target(name: "CCodings", condition: linux)],
            swiftSettings: settings),
        // The session manager of Linux: an event loop, name lookup, connections, proxies, TLS, HTTP/1.1 and HTTP/2. Exported by `NetworkCore`.
        .target(
            name: "NetworkEngine",
            dependencies: [
                "NetworkTransport", "Endpoints", "NetworkLogging", "NetworkSupport", .target(name: "COpenSSL", condition: linux),
            ],
            swiftSettings: settings),
        // JSON: one scanner, a decoder and an encoder for `Codable`, streams of values. The types for users are exported by `Endpoints`.
        .target(name: "NetworkJSON", dependencies: ["NetworkSupport"], path: "Sources/JSON", swiftSettings: settings),
        // What all others need: the platform's C library, files, locks, threads, clocks, hashing, bytes and texts of messages.
        .target(
            name: "NetworkSupport", exclude: withoutPrivacyManifest, resources: privacyResources, swiftSettings: settings),
        // TLS over the system's OpenSSL, whose functions are declared here, and looked up at run time.
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        // Declarations of zlib, brotli and zstd, which are looked up at run time.
        .target(name: "CCodings", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),

        // MARK: Tests

        // Random values, files and endpoints that all test targets share. Needs no engine, so neither do tests of code without I/O.
        .target(
            name: "TestSupport", dependencies: ["Endpoints", "CTestSettings"], path: "Tests/TestSupport",
            swiftSettings: settings),
        // Servers, clocks, gates and session managers for tests that send requests. Exports TestSupport.
        .target(
            name: "TransferTestSupport", dependencies: ["DataTransfer", "NetworkTesting", "NetworkURLSession", "TestSupport"],
            path: "Tests/TransferTestSupport", swiftSettings: settings),
        // Limits how many tests run at the same time, shortens what they print, and reports file descriptors that are closed twice.
        .target(name: "CTestSettings", path: "Tests/CTestSettings"),
        // Models and documents, in the shape of the field's benchmarks for JSON; used by the tests and by the nested packages.
        .target(name: "JSONDocuments", path: "Tests/JSONDocuments", swiftSettings: settings),
        // A comparison with Foundation's coders over random documents and values; used by the tests and by `Benchmarks`.
        .target(
            name: "JSONDifferential", dependencies: ["NetworkJSON", "JSONDocuments"], path: "Tests/JSONDifferential",
            swiftSettings: settings),
        .testTarget(
            name: "JSONTests", dependencies: ["NetworkJSON", "JSONDocuments", "JSONDifferential"], swiftSettings: settings),
        .testTarget(name: "LoggingTests", dependencies: ["NetworkLogging", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "EndpointsTests", dependencies: ["Endpoints", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "NetworkCoreTests",
            dependencies: [
                "NetworkCore", "NetworkTransport", .target(name: "NetworkEngine", condition: linux), "NetworkURLSession",
                "NetworkTesting", "TransferTestSupport",
                .target(name: "COpenSSL", condition: linux),
                .target(name: "CCodings", condition: linux),
            ],
            exclude: ["HTTP3/Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "EndpointAPIsTests",
            dependencies: [
                "EndpointAPIs", "NetworkTransport", .target(name: "NetworkEngine", condition: linux), "NetworkURLSession",
                "DataTransfer", "NetworkTesting", "TransferTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkPipelineTests",
            dependencies: [
                "EndpointAPIs", "NetworkPipeline", "NetworkAuthorization", "NetworkObservation", "NetworkCache", "DataTransfer",
                "ResumableUploads", "NetworkRecordings", "NetworkTesting", "TransferTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkAuthorizationTests",
            dependencies: ["NetworkAuthorization", "NetworkTransport", "DataTransfer", "NetworkTesting", "TransferTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkObservationTests",
            dependencies: ["NetworkObservation", "DataTransfer", "NetworkSupport", "NetworkTesting", "TransferTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkCacheTests",
            dependencies: [
                "EndpointAPIs", "NetworkCache", "NetworkSupport", "NetworkObservation", "NetworkPipeline", "NetworkRecordings",
                "NetworkTesting", "TransferTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkWebSocketTests",
            dependencies: ["NetworkWebSocket", "NetworkPipeline", "NetworkRecordings", "NetworkTesting", "TransferTestSupport"],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "DataTransferTests",
            dependencies: [
                "DataTransfer", "EndpointAPIs", "NetworkSupport", "NetworkRecordings", "NetworkTesting", "NetworkURLSession",
                "ResumableUploads",
                "TransferTestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ResumableUploadsTests",
            dependencies: ["ResumableUploads", "DataTransfer", "NetworkSupport", "NetworkTesting", "TransferTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "BackgroundTransfersTests",
            dependencies: ["BackgroundTransfers", "DataTransfer", "NetworkSupport", "NetworkTransport", "TransferTestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "NetworkTestingTests", dependencies: ["NetworkTesting", "TransferTestSupport"], swiftSettings: settings),
        .testTarget(
            name: "NetworkRecordingsTests",
            dependencies: ["NetworkRecordings", "NetworkSupport", "NetworkTesting", "TransferTestSupport"],
            exclude: ["Fixtures"], swiftSettings: settings),
        // Which credentials are sent, shared and shown, over all modules.
        .testTarget(
            name: "IsolationTests",
            dependencies: [
                "DataTransfer", "NetworkCache", "NetworkObservation", "NetworkPipeline", "NetworkRecordings", "NetworkTesting",
                "TransferTestSupport",
            ],
            swiftSettings: settings),
        // What five existing systems do, and extreme arguments of every public declaration.
        .testTarget(
            name: "ParityTests",
            dependencies: [
                "DataTransfer", "EndpointAPIs", "NetworkAuthorization", "NetworkCache", "NetworkObservation", "NetworkPipeline",
                "NetworkRecordings", "NetworkTesting", "NetworkURLSession", "NetworkWebSocket", "ResumableUploads",
                "BackgroundTransfers", "NetworkTransport", "TransferTestSupport",
            ],
            resources: [.copy("Fixtures")], swiftSettings: settings),
        // Links, samples and file names of the documentation.
        .testTarget(name: "DocumentationTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

// Other people's servers, which `Scripts/with-servers` starts. They are not there for most builds, which need not compile these tests.
if Context.environment["DATA_TRANSFER_SERVERS"] != nil {
    package.targets.append(
        .testTarget(
            name: "RealServerTests",
            dependencies: [
                "DataTransfer", "NetworkAuthorization", "NetworkObservation", "NetworkPipeline", "NetworkCache",
                "NetworkURLSession", "NetworkWebSocket", "ResumableUploads", "TransferTestSupport",
            ],
            path: "Tests/RealServers", swiftSettings: settings))
}

// `Scripts/test` compiles the tests of some targets alone, and what they need.
if let names = Context.environment["DATA_TRANSFER_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
