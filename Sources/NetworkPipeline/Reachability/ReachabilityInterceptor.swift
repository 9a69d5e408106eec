import Endpoints
import Foundation
import NetworkCore

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
