#if os(Linux)
    import COpenSSL
    import NetworkSupport
    import NetworkTransport

    extension AddressOrder {
        /// The maximum number of addresses for which the system is asked for a route. Others come last.
        static let maximumRoutes = 32

        /// Sorts addresses by RFC 6724 §6, with the routes that the system has at this moment.
        static func sorted(_ addresses: [IPAddress]) -> [IPAddress] {
            sorted(addresses.enumerated().map { ($0.element, $0.offset < maximumRoutes ? source(for: $0.element) : nil) })
        }

        /// Returns the address from which packets to an address would be sent; `nil` if there is no route.
        ///
        /// A UDP socket is connected, for which no packet is sent. A link-local address of IPv6 has no route without its zone.
        static func source(for address: IPAddress) -> IPAddress? {
            let socket = NetworkSupport.socket(address.isIPv6 ? AF_INET6 : AF_INET, LINUX_SOCK_DGRAM | LINUX_SOCK_CLOEXEC, 0)
            guard socket >= 0 else { return nil }
            defer { close(socket) }
            // The discard port (RFC 863), as connecting to port 0 fails on some systems.
            let port = in_port_t(9).bigEndian
            if address.isIPv6 {
                var peer = sockaddr_in6()
                (peer.sin6_family, peer.sin6_port) = (sa_family_t(AF_INET6), port)
                withUnsafeMutableBytes(of: &peer.sin6_addr) { $0.copyBytes(from: address.bytes) }
                guard let local = local(of: socket, connectedTo: peer) else { return nil }
                return IPAddress(bytes: withUnsafeBytes(of: local.sin6_addr) { Array($0) })
            }
            var peer = sockaddr_in()
            (peer.sin_family, peer.sin_port) = (sa_family_t(AF_INET), port)
            withUnsafeMutableBytes(of: &peer.sin_addr) { $0.copyBytes(from: address.bytes) }
            guard let local = local(of: socket, connectedTo: peer) else { return nil }
            return IPAddress(bytes: withUnsafeBytes(of: local.sin_addr) { Array($0) })
        }

        /// Connects a socket, and returns its local address, which has the type of the peer's.
        private static func local<Address>(of socket: CInt, connectedTo peer: Address) -> Address? {
            var address = peer
            var size = socklen_t(MemoryLayout<Address>.size)
            let isKnown = withUnsafeMutablePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
                }
            }
            return isKnown && size == socklen_t(MemoryLayout<Address>.size) ? address : nil
        }
    }
#endif
