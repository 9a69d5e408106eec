import DataTransfer
import Foundation
import Testing
import TransferTestSupport

/// A kind of session manager with which the suites run.
struct Engine: Sendable, CustomTestStringConvertible {
    var name: String
    /// Whether timings distinguish new from reused connections and count bytes, and the error of a timeout has a phase.
    var measures = false
    /// Whether response header lines are returned separately, with their names unchanged.
    var keepsHeaderLines = false
    /// Whether the response body stays encoded if the request sets `Accept-Encoding`.
    var leavesEncodedBodies = false
    /// Whether the engine is part of this package: trust and proxies can be configured, and HTTP/2 is the same on every system.
    var isOurs = false
    /// What an engine with `isOurs` does not have. The tests of that are skipped with it.
    var lacks: Set<Ability> = []
    var make: @Sendable (SessionConfiguration) -> any NetworkSessionManager

    /// What an engine of another package may lack.
    enum Ability: Sendable {
        /// Proxies.
        case proxies
        /// A required version of HTTP, and versions for single hosts.
        case requiredVersions
        /// HTTP/2 for requests with a body.
        case uploadsOverHTTP2
        /// Trailers, of requests and responses.
        case trailers
        /// Reports of informational responses, and a limit for them.
        case informationalResponses
        /// Waiting for 100 (Continue).
        case expectations
        /// Whether a connection was reused, and the times of connecting.
        case connectionFacts
        /// A check of an idle connection, before it is used again, for bytes that were received meanwhile.
        case idleChecks
        /// HTTP/2 connections that the server ends while many requests use them.
        case endingOfHTTP2
        /// Heads of more than 64 KiB.
        case largeHeads
        /// Connections that are upgraded to WebSocket.
        case webSockets
    }

    /// The version over which suites run that are about what is the same over all versions: servers that otherwise speak HTTP/1.1 without TLS are behind
    /// a proxy that speaks HTTP/2 without TLS, or HTTP/3.
    static let requiredVersion = ProcessInfo.processInfo.environment["DATA_TRANSFER_OVER"].map { HTTPVersionChoice(rawValue: $0) }

    /// The engines that are part of this package.
    static let ours = all.filter(\.isOurs)

    /// Returns those of ``ours`` that have all of these abilities.
    static func ours(with abilities: Ability...) -> [Engine] {
        ours.filter { $0.lacks.isDisjoint(with: abilities) }
    }

    var testDescription: String { name }

    /// Creates a session manager with separate connections.
    func session(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> any NetworkSessionManager {
        make(
            SessionConfiguration {
                if let version = Self.requiredVersion { $0.httpVersion = version }
                if Self.requiredVersion == .http3 { $0.trust = Servers.trust }
                // The servers wait for a processor as long as a test that the sanitizer makes ten times as slow.
                if isSanitized { $0.idleTimeout = .seconds(300) }
                change(&$0)
            })
    }

    /// Creates a session manager that trusts the servers' certificate authority.
    func trusting(_ change: (inout SessionConfiguration) -> Void = { _ in }) -> any NetworkSessionManager {
        session {
            $0.trust = Servers.trust
            change(&$0)
        }
    }

    /// Creates a data transfer service with a new session manager.
    func service(
        _ baseURL: String = Servers.httpbin, headers: HeaderFields = [:],
        errorResolver: (any DataTransferErrorResolver)? = nil
    ) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration(baseURL, headers: headers), sessionManager: session(),
            errorResolver: errorResolver)
    }
}
