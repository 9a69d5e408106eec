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
            return SocketAddress(place: .ip(address, scope: 0), port: 9).withSystemAddress { peer, size in
                guard connect(socket, peer, size) == 0 else { return nil }
                var local = sockaddr_storage()
                var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                return withUnsafeMutablePointer(to: &local) { local in
                    local.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        getsockname(socket, $0, &size) == 0 ? IPAddress(UnsafePointer($0)) : nil
                    }
                }
            }
        }
    }
#endif
