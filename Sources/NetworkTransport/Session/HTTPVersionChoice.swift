import Endpoints

/// Which versions of HTTP a session manager uses: one that is required, or several in an order of preference.
///
///     SessionConfiguration {
///         $0.httpVersionByHost["api.example.com"] = .http2
///     }
///
/// A version that is required is never replaced by another one. If it cannot be used, the request fails with
/// ``TransportError/Code/httpVersionUnavailable``, and the server has not processed it.
public struct HTTPVersionChoice: RawRepresentable, Sendable, Hashable {
    /// The name of the choice, such as `http2`.
    public var rawValue: String

    /// Creates a choice from its name. Only the choices that are defined here are supported.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// HTTP/2 with servers that offer it over TLS, otherwise HTTP/1.1. The default.
    public static let automatic = Self(rawValue: "automatic")
    /// HTTP/1.1 only: no other version is offered in the TLS handshake (RFC 7301).
    public static let http1 = Self(rawValue: "http1")
    /// HTTP/2 only. With `https`, the server must agree to it in the TLS handshake (RFC 9113 §3.2); with `http`, it is used without asking
    /// (RFC 9113 §3.3, "prior knowledge"), which an HTTP proxy does not permit.
    public static let http2 = Self(rawValue: "http2")

    /// HTTP/3 only, over QUIC (RFC 9114), with `https`. `SocketSessionManager` speaks it where the system has OpenSSL 3.5 or later. Otherwise, without
    /// TLS, and through a proxy or a Unix domain socket, requests fail with `httpVersionUnavailable` before anything is sent.
    public static let http3 = Self(rawValue: "http3")

    /// HTTP/3 with servers that respond to it within 250 ms, otherwise as ``automatic``. A server that has not responded is asked again after five
    /// minutes. The same as ``automatic`` where ``http3`` would fail.
    public static let http3Preferred = Self(rawValue: "http3Preferred")
    /// As ``automatic``, and HTTP/3 with servers that have offered it: in `Alt-Svc` of a response (RFC 7838), or in an HTTPS record (RFC 9460) of a
    /// name server over HTTPS (`route.nameServer`).
    ///
    /// Only offers for the same host count, at any port, and those in responses only from a server whose certificate was verified. They are kept for
    /// the time that they name, at most 30 days, with the session manager. Requests return to TCP as with ``http3Preferred``. The same as ``automatic``
    /// where ``http3`` would fail.
    public static let http3Advertised = Self(rawValue: "http3Advertised")

    static let known: [HTTPVersionChoice] = [.automatic, .http1, .http2, .http3, .http3Preferred, .http3Advertised]

    /// Whether one version is required, instead of several being permitted.
    package var isRequirement: Bool { [.http1, .http2, .http3].contains(self) }
}

extension HTTPVersionChoice: CustomStringConvertible {
    /// The name of the choice.
    public var description: String { rawValue }
}

extension SessionConfiguration {
    /// The choices of versions for all hosts, by the names of their properties.
    package var httpVersions: [(subject: String, choice: HTTPVersionChoice)] {
        [("httpVersion", httpVersion)]
            + httpVersionByHost.sorted { $0.key < $1.key }.map { ("httpVersionByHost[\"\($0.key)\"]", $0.value) }
    }
}

/// The choices of versions of a session manager, by host.
package struct HTTPVersionTable: Sendable {
    private let standard: HTTPVersionRule
    private var byHost = HostTable<HTTPVersionRule>()

    /// Creates a table.
    ///
    /// - Throws: ``TransportError/Code/invalidConfiguration`` for an unknown choice or an invalid host.
    package init(_ configuration: SessionConfiguration) throws(TransportError) {
        for (subject, choice) in configuration.httpVersions where !HTTPVersionChoice.known.contains(choice) {
            let known = HTTPVersionChoice.known.map(\.rawValue).joined(separator: ", ")
            throw TransportError(.invalidConfiguration, "\(subject) is \"\(choice)\"; it must be one of \(known)")
        }
        standard = HTTPVersionRule(configuration.httpVersion)
        for (name, choice) in configuration.httpVersionByHost {
            do throws(HostTable<HTTPVersionRule>.InvalidName) {
                try byHost.insert(HTTPVersionRule(choice), for: name)
            } catch {
                throw TransportError(.invalidConfiguration, "httpVersionByHost[\"\(name)\"]: \(error.message)")
            }
        }
    }

    /// Returns the rule for the host of a request.
    ///
    /// - Throws: ``TransportError/Code/unsupported`` if there are choices for hosts and the request's host is written in a form that cannot be
    ///   compared.
    package func rule(for request: NetworkRequest) throws(TransportError) -> HTTPVersionRule {
        if byHost.isEmpty { return standard }
        guard let host = HostName.canonical(HostName.withoutPort(URLText(request.urlText).hostAndPort)) else {
            throw TransportError(
                .unsupported, "the host is written in a form that cannot be matched to a key of httpVersionByHost",
                request: request)
        }
        return byHost.value(for: host) ?? standard
    }
}

/// The versions of HTTP that requests to a host may be sent over.
package enum HTTPVersionRule: Sendable {
    case automatic, http1, http2, http3, http3Preferred, http3Advertised

    /// Whether no other version may be used.
    package var isRequirement: Bool { self == .http1 || self == .http2 || self == .http3 }

    init(_ choice: HTTPVersionChoice) {
        switch choice {
        case .http1: self = .http1
        case .http2: self = .http2
        case .http3: self = .http3
        case .http3Preferred: self = .http3Preferred
        case .http3Advertised: self = .http3Advertised
        default: self = .automatic
        }
    }
}
