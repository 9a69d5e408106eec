import Endpoints
import Foundation
import NetworkLogging

/// How the connections of a session manager reach their servers: name lookup, IP family, local address, keep-alive probes.
///
/// ```swift
/// SessionConfiguration {
///     $0.route.addresses["api.example.com"] = ["10.0.0.7", "10.0.0.8"]
///     $0.route.localAddress = .interface("eth0")
/// }
/// ```
///
/// It applies to every connection to a server or to a proxy, and not to a Unix domain socket. `SocketSessionManager` enforces all of it;
/// `URLSessionManager` enforces none, and fails each request with ``TransportError/Code/invalidConfiguration`` unless all values are the
/// defaults.
public struct RouteOptions: Sendable, Hashable {
    /// The IP addresses of hosts, used instead of a lookup. Default: empty.
    ///
    /// A key is the name of a host, `api.example.com`, or name and port, `api.example.com:8443`, compared without case; the key with a port
    /// takes precedence. Addresses are IPv4 or IPv6, without port and zone: 1 to 16 for each of at most 1,000 keys. Those of one family are tried in
    /// order; if the other family is present too, the two alternate, beginning with that of the first address. The next address is tried, beside the
    /// others, when an attempt has failed or after 250 ms (RFC 8305). `Host`, the name in the TLS handshake
    /// and the name that the certificate is checked for stay those of the URL. With a proxy, the entry for the host of the proxy applies, and
    /// those of servers only where their names are looked up here.
    public var addresses: [String: [String]] = [:]
    /// Which addresses are used. Default: ``Family/any``.
    public var family = Family.any
    /// Where names are looked up that ``addresses`` does not contain. Default: ``NameServer/system``.
    public var nameServer = NameServer.system
    /// How long the addresses of a name are used that were looked up, at most. Default: 5 seconds.
    ///
    /// A name server over HTTPS may say a shorter time. With 0, each new connection looks up its name. The addresses are forgotten earlier if none of
    /// them can be connected to; then the name is looked up once more before the request fails.
    public var nameLifetime: Duration = .seconds(5)
    /// The address that connections are made from. Default: `nil`, which lets the system choose.
    public var localAddress: LocalAddress?
    /// Probes that detect a connection whose peer has disappeared. Default: `nil`, which sends none.
    public var keepAliveProbes: KeepAliveProbes?

    /// Creates options with the defaults, and changes them.
    ///
    /// - Parameter change: Called once, before the initializer returns. Default: changes nothing.
    public init(_ change: (inout RouteOptions) -> Void = { _ in }) {
        change(&self)
    }

    /// The addresses that are used.
    public struct Family: Sendable, Hashable {
        package enum Choice: Sendable, Hashable {
            case any
            case ipv4
            case ipv6
        }

        package let choice: Choice

        /// IPv4 and IPv6.
        public static let any = Self(choice: .any)
        /// IPv4 only. A request to an IPv6 address fails with ``TransportError/Code/invalidRequest`` before anything is sent, and so does one
        /// through a proxy with such an address, with ``TransportError/Code/invalidConfiguration``.
        public static let ipv4 = Self(choice: .ipv4)
        /// IPv6 only. A request to an IPv4 address, or through a proxy with one, fails with the same errors as with ``ipv4``.
        public static let ipv6 = Self(choice: .ipv6)
    }

    /// A service that looks up names.
    public struct NameServer: Sendable, Hashable {
        package enum Choice: Sendable, Hashable {
            case system
            case https(URL, addresses: [String], trust: TrustPolicy)
        }

        package let choice: Choice

        /// The system's resolver, with its files and name servers.
        public static let system = Self(choice: .system)

        /// A server that is asked over HTTPS (DoH, RFC 8484), with POST: `.https(url)` for `https://dns.example/dns-query`.
        ///
        /// Both kinds of addresses are asked for at the same time, over HTTP/2 if the server speaks it, on connections that serve no other requests.
        /// Addresses are kept as long as the server says, up to ``RouteOptions/nameLifetime``. If it fails, so do the requests, with
        /// ``TransportError/Code/nameLookupFailed``: the system is not asked. `localhost` is never looked up. The name server is connected to
        /// directly, not through a proxy.
        ///
        /// - Parameters:
        ///   - url: Its scheme must be `https`. It has a host, and neither user information nor fragment, at most 2,048 bytes in all.
        ///   - addresses: The IP addresses of the name server, 1 to 16. Default: none; then the system looks up its name.
        ///   - trust: The trust policy for the name server. Default: the system's authorities.
        public static func https(_ url: URL, addresses: [String] = [], trust: TrustPolicy = TrustPolicy()) -> Self {
            Self(choice: .https(url, addresses: addresses, trust: trust))
        }

        /// The URL; `nil` for the system's resolver.
        package var url: URL? {
            if case .https(let url, _, _) = choice { url } else { nil }
        }
    }

    /// The local end of connections.
    public struct LocalAddress: Sendable, Hashable {
        package enum Choice: Sendable, Hashable {
            case address(String)
            case interface(String)
        }

        package let choice: Choice

        /// An IPv4 or IPv6 address of this machine, without port and zone. Servers are then reached over its family only.
        ///
        /// If the machine does not have it, requests that need a new connection fail with ``TransportError/Code/cannotConnect``.
        public static func address(_ text: String) -> Self { Self(choice: .address(text)) }

        /// A network interface, such as `eth0`; its name has 1 to 15 bytes.
        ///
        /// Connections use its first address of the server's family, and leave through it if the system permits that (`SO_BINDTODEVICE`; before Linux
        /// 5.7, to the superuser only). If it does not exist, or has no address of the family, requests that need a new connection fail
        /// with ``TransportError/Code/cannotConnect``.
        public static func interface(_ name: String) -> Self { Self(choice: .interface(name)) }
    }

    /// When TCP probes whether the peer of an idle connection is still there (RFC 9293 §3.8.4). A connection that is found dead is closed by
    /// the system; a request on it fails with ``TransportError/Code/connectionLost``.
    public struct KeepAliveProbes: Sendable, Hashable {
        /// The time without any packet after which probes begin, from 1 to 32,767 seconds, rounded up to whole seconds. Default: 60 seconds.
        public var idle: Duration
        /// The time between two probes, with the same limits. Default: 15 seconds.
        public var interval: Duration
        /// The number of probes without a response after which the connection is dead, from 1 to 127. Default: 4.
        public var maximumProbes: Int

        /// Creates options, with defaults for those not passed.
        public init(idle: Duration = .seconds(60), interval: Duration = .seconds(15), maximumProbes: Int = 4) {
            self.idle = idle
            self.interval = interval
            self.maximumProbes = maximumProbes
        }

        /// A time in whole seconds, as the system takes it.
        package static func seconds(_ time: Duration) -> Int32 {
            Int32(clamping: time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0))
        }
    }
}

extension RouteOptions.Family {
    /// Whether an address belongs to the family.
    package func contains(_ address: IPAddress) -> Bool {
        switch choice {
        case .any: true
        case .ipv4: !address.isIPv6
        case .ipv6: address.isIPv6
        }
    }

    /// The name for messages.
    package var name: String {
        switch choice {
        case .any: "any"
        case .ipv4: "IPv4"
        case .ipv6: "IPv6"
        }
    }
}

extension RouteOptions {
    /// Checks all values.
    ///
    /// - Throws: A ``TransportError`` that names the invalid value.
    func validate() throws(TransportError) {
        _ = try AddressOverrides(self)
        if let url = nameServer.url {
            let text = URLText(url.absoluteString)
            guard text.scheme == "https", !text.hostAndPort.isEmpty, text.authority == text.hostAndPort, url.fragment == nil,
                url.absoluteString.utf8.count <= 2048, (try? text.requireHTTP(.url)) != nil
            else {
                throw Self.invalid("nameServer is not an https URL of at most 2048 bytes without user information and fragment")
            }
        }
        if case .https(_, let addresses, _) = nameServer.choice {
            guard addresses.count <= 16, addresses.allSatisfy({ IPAddress(strictly: $0) != nil }) else {
                throw Self.invalid("nameServer: its addresses are not at most 16 IP addresses without port and zone")
            }
        }
        guard nameLifetime >= .zero, nameLifetime <= .seconds(86_400) else {
            throw Self.invalid("nameLifetime is \(nameLifetime); it must lie in 0 s...86400 s")
        }
        if let probes = keepAliveProbes {
            for (name, time) in [("idle", probes.idle), ("interval", probes.interval)]
            where time < .seconds(1) || time > .seconds(32_767) {
                throw Self.invalid("keepAliveProbes.\(name) is \(time); it must lie in 1 s...32767 s")
            }
            guard (1...127).contains(probes.maximumProbes) else {
                throw Self.invalid("keepAliveProbes.maximumProbes is \(probes.maximumProbes); it must lie in 1...127")
            }
        }
        switch localAddress?.choice {
        case .address(let text):
            guard let address = IPAddress(strictly: text) else {
                throw Self.invalid("localAddress is not an IP address without port and zone")
            }
            guard family.contains(address) else {
                throw Self.invalid("localAddress is not an address of the family \(family.name)")
            }
        case .interface(let name):
            guard (1...15).contains(name.utf8.count), name.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
            else { throw Self.invalid("localAddress is not the name of an interface, which has 1...15 bytes") }
        case nil: break
        }
    }

    package static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidConfiguration, "route.\(message)")
    }
}

extension IPAddress {
    /// Parses an address without brackets and zone; `nil` for any other text.
    init?(strictly text: String) {
        guard !text.utf8.contains(where: { "[]%".utf8.contains($0) }) else { return nil }
        self.init(text)
    }
}

extension RouteOptions.NameServer: RedactedStringConvertible {
    /// The URL without user information and query, or `system`.
    public var description: String { url.map { URLText($0).originAndPath } ?? "system" }
}
