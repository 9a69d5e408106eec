import AsyncHTTPClient
import Endpoints
import Foundation
import NIOCore
import NIOPosix
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// A client that is shut down when the last exchange that uses it has ended and its session manager was released.
final class ClientBox: Sendable {
    let client: HTTPClient

    init(_ client: HTTPClient) {
        self.client = client
    }

    deinit {
        client.shutdown { _ in }
    }
}

/// The parts of a session manager whose configuration is valid.
struct ClientParts: Sendable {
    let rules: CallRules
    let group: MultiThreadedEventLoopGroup
    let admission: Admission
    private let client: ClientBox
    /// A client that uses HTTP/1.1 only.
    private let uploads: ClientBox
    /// Whether servers are verified over TLS.
    let isVerified: Bool

    /// - Throws: ``TransportError/Code/invalidConfiguration``, ``TransportError/Code/unsupported``, or
    ///   ``TransportError/Code/trustUnavailable``.
    init(_ configuration: SessionConfiguration, _ group: MultiThreadedEventLoopGroup) throws(TransportError) {
        self.group = group
        rules = try CallRules(configuration)
        try Refusals.admit(configuration)
        let trust = try TrustRequirements(configuration.trust)
        var client = HTTPClient.Configuration(
            tlsConfiguration: try TLSSettings.configuration(trust), redirectConfiguration: .disallow,
            timeout: .init(connect: TimeAmount(configuration.connectTimeout)), decompression: .disabled)
        client.connectionPool = .init(
            idleTimeout: TimeAmount(configuration.idleConnectionLifetime),
            concurrentHTTP1ConnectionsPerHostSoftLimit: configuration.maximumConnectionsPerHost)
        // A failure to connect is reported at once, as by the other session managers; a retry policy decides what follows.
        client.connectionPool.retryConnectionEstablishment = false
        client.maximumUsesPerConnection = configuration.maximumUsesPerConnection
        client.tracing.tracer = nil
        client.httpVersion = .http1Only
        uploads = ClientBox(HTTPClient(eventLoopGroup: group, configuration: client))
        if configuration.httpVersion == .http1 {
            self.client = uploads
        } else {
            client.httpVersion = .automatic
            self.client = ClientBox(HTTPClient(eventLoopGroup: group, configuration: client))
        }
        admission = Admission(configuration)
        if case .anyone = trust.roots { isVerified = false } else { isVerified = true }
    }
}

/// The client that sends a request, and the name under which its connections are counted.
struct ClientRoute: Sendable {
    var box: ClientBox
    var origin: String
    var mayBeHTTP2: Bool
}

extension ClientParts {
    /// Returns where a request is sent.
    ///
    /// Over TLS, a request with a body is sent over HTTP/1.1: async-http-client 1.37.0 stops the process if a server responds over HTTP/2 before it has received the
    /// whole body, and then resets the stream (RFC 9113 §8.1).
    ///
    /// - Parameter needsHTTP1: Whether the server has refused the request over HTTP/2.
    func route(of request: NetworkRequest, needsHTTP1: Bool) -> ClientRoute {
        let origin = request.origin
        let isUpload = request.body.map { $0.data?.isEmpty != true } ?? false
        let isSecure = origin.hasPrefix("https:")
        guard isSecure, client !== uploads else { return ClientRoute(box: client, origin: origin, mayBeHTTP2: false) }
        guard isUpload || needsHTTP1 else { return ClientRoute(box: client, origin: origin, mayBeHTTP2: true) }
        return ClientRoute(box: uploads, origin: origin + " with HTTP/1.1", mayBeHTTP2: false)
    }

    /// Shuts the clients down. It has no effect if they were shut down before.
    func shutDown() async {
        for box in [client, uploads] { try? await box.client.shutdown() }
    }
}

/// What async-http-client cannot do or enforce: each is an error that names the option, before anything is sent.
enum Refusals {
    static func admit(_ configuration: SessionConfiguration) throws(TransportError) {
        let defaults = SessionConfiguration()
        func refuse(_ option: String, _ reason: String, _ code: TransportError.Code = .invalidConfiguration) -> TransportError {
            TransportError(code, "\(option): \(reason); SocketSessionManager has this option")
        }
        guard configuration.trustByHost.isEmpty else {
            throw refuse("trustByHost", "this session manager has one trust policy", .trustUnavailable)
        }
        guard [.automatic, .http1, .http3Preferred, .http3Advertised].contains(configuration.httpVersion) else {
            throw refuse("httpVersion", "\(configuration.httpVersion) cannot be required", .httpVersionUnavailable)
        }
        guard configuration.httpVersionByHost.isEmpty else {
            throw refuse("httpVersionByHost", "all hosts have one httpVersion", .httpVersionUnavailable)
        }
        guard configuration.proxy == .none || configuration.proxy == .environment && !Self.environmentNamesProxy else {
            throw refuse("proxy", "proxies are not supported, neither explicit ones nor those of the environment")
        }
        guard configuration.route == defaults.route else {
            throw refuse("route", "addresses, family, nameServer, localAddress and keepAliveProbes are up to the system")
        }
        guard configuration.unixSocketPath == nil else { throw refuse("unixSocketPath", "Unix domain sockets are not supported") }
        guard configuration.eventLoops == defaults.eventLoops else {
            throw refuse("eventLoops", "the event loops are those of the group")
        }
        guard configuration.completions == defaults.completions else {
            throw refuse("completions", "they are called in the background")
        }
        guard configuration.maximumIdleConnections == defaults.maximumIdleConnections else {
            throw refuse("maximumIdleConnections", "idle connections are limited per host and by idleConnectionLifetime")
        }
    }

    static func admit(_ request: NetworkRequest) throws(TransportError) {
        func refuse(_ what: String) -> TransportError {
            TransportError(.unsupported, "\(what); SocketSessionManager supports it", request: request)
        }
        if request.body?.hasTrailers == true { throw refuse("trailers of a request: async-http-client sends none") }
        if request.headers.contains("Upgrade") { throw refuse("Upgrade: async-http-client does not switch protocols") }
        if request.headers.contains("Expect") { throw refuse("Expect: async-http-client does not wait before it sends a body") }
        for field in request.headers.fields where !field.bytes.elementsEqual(field.value.utf8) {
            throw refuse("\(field.name): async-http-client sends values in UTF-8 only")
        }
    }

    /// Whether a variable of the environment names a proxy.
    private static var environmentNamesProxy: Bool {
        let environment = ProcessInfo.processInfo.environment
        return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
            environment[$0]?.isEmpty == false
        }
    }
}
