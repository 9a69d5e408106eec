import Endpoints
import Foundation
import NetworkCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Fails a request at once where nothing could carry it: without a network, instead of after the timeout of a name lookup.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.reachability] + RequestPipeline().interceptors
/// ```
///
/// That a network is there does not mean that a host answers: only the request itself tells.
public struct ReachabilityInterceptor: NetworkInterceptor {
    private let isReachable: @Sendable (NetworkRequest) async -> Bool

    /// - Parameter isReachable: Asked for each request, on the caller's task. By default, whether an interface other than loopback is up
    ///   and has an address of more than its own link; this machine's own names are always reachable.
    public init(isReachable: @escaping @Sendable (NetworkRequest) async -> Bool = { Self.hasNetwork(for: $0.url) }) {
        self.isReachable = isReachable
    }

    /// Lets the request pass where it could be carried.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cannotConnect`` where it could not; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard await isReachable(request) else {
            throw TransportError(.cannotConnect, "there is no network", phase: .queued, request: request)
        }
        return try await next(request)
    }

    /// Whether this machine has a network, or needs none for a URL. Asks the system, which takes some microseconds.
    public static func hasNetwork(for url: URL) -> Bool {
        hasNetwork(for: url, addresses: NetworkAddress.all)
    }

    /// - Parameter addresses: `nil` where the system does not tell: then the request may try.
    static func hasNetwork(for url: URL, addresses: [NetworkAddress]?) -> Bool {
        guard let addresses, !isThisMachine(url.host ?? "") else { return true }
        return addresses.contains { $0.isUp && !$0.isLoopback && !$0.isLinkLocal }
    }

    /// RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3.
    private static func isThisMachine(_ host: String) -> Bool {
        let host = host.lowercased()
        return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
    }
}

extension NetworkInterceptor where Self == ReachabilityInterceptor {
    /// Fails a request at once where there is no network.
    public static var reachability: ReachabilityInterceptor { ReachabilityInterceptor() }
}

/// An address that this machine has, as far as reachability asks.
struct NetworkAddress: Hashable, Sendable {
    /// Whether its interface is switched on and has a carrier.
    var isUp: Bool
    /// Whether it leads nowhere but to this machine.
    var isLoopback: Bool
    /// Whether it was made up for want of a network (169.254/16 of RFC 3927, fe80::/10 of RFC 4291 §2.5.6).
    var isLinkLocal: Bool

    /// All of this machine's; `nil` where the system does not tell.
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

    // The same numbers on all systems, although not of one type in Swift.
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
