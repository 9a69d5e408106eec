import DataTransfer
import DataTransferAsyncHTTPClient

extension Engine {
    /// The engine of this package. The tests of the root package run the others.
    static let all = [
        Engine(name: "async-http-client", keepsHeaderLines: true, leavesEncodedBodies: true, isOurs: true) {
            AsyncHTTPClientSessionManager(configuration: $0)
        }
    ]
}
