import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that fails a request at once if the machine has no network, instead of after the timeout of a name lookup.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] =
///     [.reachability] + RequestPipeline().interceptors
/// ```
///
/// A network connection does not imply that a host can be reached; only sending the request shows that.
public struct ReachabilityInterceptor: NetworkInterceptor {
    private let isReachable: @Sendable (NetworkRequest) async -> Bool

    /// Creates an interceptor that calls a closure to check reachability.
    ///
    /// - Parameter isReachable: Called for each request, on the caller's task; `false` makes the request fail. By default,
    ///   it makes a system call that takes some microseconds, and returns whether a network interface other than loopback is up and has an address that is not link-local. Names
    ///   and addresses of this machine are always reachable.
    public init(isReachable: (@Sendable (NetworkRequest) async -> Bool)? = nil) {
        self.isReachable = isReachable ?? { Self.hasNetwork(for: $0.url, addresses: NetworkAddress.all) }
    }

    /// Sends the request if its host may be reachable.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cannotConnect`` if it is not; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard await isReachable(request) else {
            throw TransportError(.cannotConnect, "there is no network", phase: .queued, request: request)
        }
        return try await next(request)
    }

    /// Returns whether this machine has a network, or needs none for a URL.
    ///
    /// - Parameter addresses: `nil` if the system does not report them; then the host may be reachable.
    static func hasNetwork(for url: URL, addresses: [NetworkAddress]?) -> Bool {
        guard let addresses, !isThisMachine(url.host ?? "") else { return true }
        return addresses.contains { $0.isUp && !$0.isLoopback && !$0.isLinkLocal }
    }

    /// Whether a host name or address is that of this machine (RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3).
    private static func isThisMachine(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
    }
}

extension NetworkInterceptor where Self == ReachabilityInterceptor {
    /// Fails requests at once if the machine has no network.
    public static var reachability: ReachabilityInterceptor { ReachabilityInterceptor() }
}

/// An address of a network interface of this machine.
struct NetworkAddress: Hashable, Sendable {
    /// Whether the interface is enabled and has a carrier.
    var isUp: Bool
    /// Whether the interface is a loopback interface.
    var isLoopback: Bool
    /// Whether the address is link-local (169.254/16 of RFC 3927, fe80::/10 of RFC 4291 §2.5.6).
    var isLinkLocal: Bool

    /// All addresses of this machine; `nil` if the system does not report them.
    static var all: [NetworkAddress]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var addresses: [NetworkAddress] = []
        var next = first
        while let interface = next {
            if let address = NetworkAddress(interface.pointee) { addresses.append(address) }
            next = interface.pointee.ifa_next
        }
        return addresses
    }

    // The flags have the same values on all systems, but not the same type in Swift.
    private static let up = 0x1
    private static let loopback = 0x8
    private static let running = 0x40

    init(isUp: Bool, isLoopback: Bool, isLinkLocal: Bool) {
        self.isUp = isUp
        self.isLoopback = isLoopback
        self.isLinkLocal = isLinkLocal
    }

    private init?(_ interface: ifaddrs) {
        guard let address = interface.ifa_addr else { return nil }
        let flags = Int(interface.ifa_flags)
        isUp = flags & Self.up != 0 && flags & Self.running != 0
        isLoopback = flags & Self.loopback != 0
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            isLinkLocal = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                UInt32(bigEndian: address.pointee.sin_addr.s_addr) >> 16 == 169 << 8 | 254
            }
        case AF_INET6:
            isLinkLocal = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { $0[0] == 0xFE && $0[1] & 0xC0 == 0x80 }
            }
        default: return nil
        }
    }
}

extension ReachabilityInterceptor: RedactedStringConvertible {}
