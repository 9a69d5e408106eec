import Foundation

extension NetworkResponse {
    /// The address and port that a connection was made to.
    public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
        /// The IP address, IPv6 without brackets and zone.
        public var address: String
        /// The port of the server, or of the proxy, that the connection was made to.
        public var port: Int

        /// Creates an address from its parts, which are not checked.
        public init(address: String, port: Int) {
            self.address = address
            self.port = port
        }

        /// The address and port as in a URL: `10.0.0.7:443`, `[::1]:443`.
        public var description: String {
            address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]:\(port)" : "\(address):\(port)"
        }
    }

    /// The address that the last request, after redirects, was sent to.
    ///
    /// With a proxy, it is that of the proxy. `nil` for a Unix domain socket, for a response that was not received over a network, such as
    /// one from a cache or a test double, and with `URLSessionManager` on Linux.
    public var serverAddress: ServerAddress? {
        get { timings.serverAddress }
        set { timings.serverAddress = newValue }
    }
}
