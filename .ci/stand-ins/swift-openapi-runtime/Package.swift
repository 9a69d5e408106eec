// swift-tools-version: 6.1
import PackageDescription

// What Integrations/OpenAPI uses of swift-openapi-runtime, for machines that cannot fetch it.
let package = Package(
    name: "swift-openapi-runtime",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [.library(name: "OpenAPIRuntime", targets: ["OpenAPIRuntime"])],
    dependencies: [.package(url: "https://github.com/apple/swift-http-types", from: "1.0.0")],
    targets: [
        .target(name: "OpenAPIRuntime", dependencies: [.product(name: "HTTPTypes", package: "swift-http-types")])
    ]
)
