import DataTransfer
import Foundation
import Testing

/// A session manager that all suites run over.
struct Engine: Sendable, CustomTestStringConvertible {
    var name: String
    /// Whether timings tell a new connection from a reused one and count bytes, and a timeout tells what it waited for.
    var measures = false
    /// Whether response header lines come one by one, with the names as sent.
    var keepsHeaderLines = false
    /// Whether a request with its own `Accept-Encoding` gets the body as it was sent.
    var leavesEncodedBodies = false
    /// Whether trust and proxies can be configured, and HTTP/2 is the same on every system.
    var isOurs = false
    var make: @Sendable (SessionConfiguration) -> any NetworkSessionManager

    /// `DATA_TRANSFER_ENGINES=ours` leaves URLSession out: where libcurl is another than the system's, its tests would be of Foundation.
    static let all =
        ofThisPlatform
        + (ProcessInfo.processInfo.environment["DATA_TRANSFER_ENGINES"] == "ours"
            ? [] : [Engine(name: "URLSession") { URLSessionManager(configuration: $0) }])

    /// `DATA_TRANSFER_HTTP2=none` says that the libcurl that is loaded cannot (`Docs/Engine.md`).
    static let speaksHTTP2 = ProcessInfo.processInfo.environment["DATA_TRANSFER_HTTP2"] != "none"

    /// Where the rest is up to the system.
    static let ours = all.filter(\.isOurs)

    #if os(Linux)
        private static let ofThisPlatform = [
            Engine(name: "libcurl", measures: true, keepsHeaderLines: true, leavesEncodedBodies: true, isOurs: true) {
                CurlSessionManager(configuration: $0)
            }
        ]
    #else
        private static let ofThisPlatform: [Engine] = []
    #endif

    var testDescription: String { name }

    /// A new session with its own connections.
    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> any NetworkSessionManager {
        make(SessionConfiguration(change))
    }

    /// One that trusts the servers' authority.
    func trusting(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> any NetworkSessionManager {
        session {
            $0.trust = Servers.trust
            change(&$0)
        }
    }

    /// The whole stack over a new session.
    func service(
        _ baseURL: String = Servers.httpbin, headers: HTTPHeaders = [:],
        errorResolver: any DataTransferErrorResolver = .unresolved
    ) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration(baseURL, headers: headers), sessionManager: session(),
            errorResolver: errorResolver)
    }
}
