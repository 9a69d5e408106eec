import DataTransfer
import DataTransferAsyncHTTPClient

extension Engine {
    /// The engine of this package. The tests of the root package run the others.
    static let all = [
        Engine(
            name: "async-http-client", keepsHeaderLines: true, leavesEncodedBodies: true, isOurs: true,
            lacks: [
                .proxies, .requiredVersions, .uploadsOverHTTP2, .trailers, .informationalResponses, .expectations,
                .connectionFacts,
                .idleChecks, .endingOfHTTP2, .largeHeads, .webSockets,
            ]
        ) {
            AsyncHTTPClientSessionManager(configuration: $0)
        }
    ]
}
