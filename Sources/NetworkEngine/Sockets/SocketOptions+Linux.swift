#if os(Linux)
    import COpenSSL
    import NetworkTransport
    import Foundation
    import NetworkSupport

    /// The options of the sockets of connections: the local end and keep-alive probes (``RouteOptions``).
    struct SocketOptions: Sendable {
        private let family: RouteOptions.Family
        private let localAddress: RouteOptions.LocalAddress?
        private let probes: RouteOptions.KeepAliveProbes?

        /// Creates options; `nil` for the defaults.
        init?(_ options: RouteOptions) {
            family = AddressOverrides.family(of: options)
            localAddress = options.localAddress
            probes = options.keepAliveProbes
            if family == .any, localAddress == nil, probes == nil { return nil }
        }

        /// Sets the options of a new socket.
        ///
        /// - Parameters:
        ///   - family: The family of the socket, such as `AF_INET`.
        ///   - kind: Its type, such as `SOCK_STREAM`.
        /// - Returns: The reason why the socket must not be used; `nil` if it may.
        func apply(to socket: CInt, family socketFamily: CInt, kind: CInt) -> String? {
            guard socketFamily == AF_INET || socketFamily == AF_INET6 else { return nil }
            if self.family.choice == .ipv4 && socketFamily != AF_INET || self.family.choice == .ipv6 && socketFamily != AF_INET6 {
                return "the server has no address of the family \(self.family.name) (route.family, route.localAddress)"
            }
            if let probes, kind & 0xF == LINUX_SOCK_STREAM { start(probes, socket) }
            switch localAddress?.choice {
            case nil: return nil
            case .address(let text): return bind(socket, to: text)
            case .interface(let name): return bind(socket, toInterface: name, socketFamily)
            }
        }

        private func start(_ probes: RouteOptions.KeepAliveProbes, _ socket: CInt) {
            set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
            set(socket, CInt(IPPROTO_TCP), TCP_KEEPIDLE, RouteOptions.KeepAliveProbes.seconds(probes.idle))
            set(socket, CInt(IPPROTO_TCP), TCP_KEEPINTVL, RouteOptions.KeepAliveProbes.seconds(probes.interval))
            set(socket, CInt(IPPROTO_TCP), TCP_KEEPCNT, CInt(clamping: probes.maximumProbes))
        }

        private func set(_ socket: CInt, _ level: CInt, _ option: CInt, _ value: CInt) {
            var value = value
            setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<CInt>.size))
        }

        private func bind(_ socket: CInt, to text: String) -> String? {
            guard let address = IPAddress(text) else { return nil }
            let isBound = SocketAddress(place: .ip(address, scope: 0)).withSystemAddress { bind(socket, $0, $1) }
            return isBound ? nil : "route.localAddress: connections cannot be made from \(text): \(Self.reason)"
        }

        private func bind(_ socket: CInt, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Bool {
            // The port is chosen when the connection is made, so that it may be in use for connections to other servers.
            set(socket, CInt(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
            return NetworkSupport.bind(socket, address, size) == 0
        }

        private func bind(_ socket: CInt, toInterface name: String, _ family: CInt) -> String? {
            var list: UnsafeMutablePointer<ifaddrs>?
            guard getifaddrs(&list) == 0 else { return "route.localAddress: no interface is known: \(Self.reason)" }
            defer { freeifaddrs(list) }
            var exists = false
            var next = list
            while let entry = next {
                next = entry.pointee.ifa_next
                guard String(cString: entry.pointee.ifa_name) == name else { continue }
                exists = true
                guard let address = entry.pointee.ifa_addr, CInt(address.pointee.sa_family) == family else { continue }
                // Without the right to do so, the address alone decides.
                _ = name.withCString { setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, $0, socklen_t(strlen($0) + 1)) }
                let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
                if bind(socket, address, socklen_t(size)) { return nil }
                return "route.localAddress: connections cannot be made from the interface \(name): \(Self.reason)"
            }
            return exists
                ? "route.localAddress: the interface \(name) has no \(family == AF_INET ? "IPv4" : "IPv6") address"
                : "route.localAddress: there is no interface \(name)"
        }

        private static var reason: String { String(cString: strerror(errno)) }
    }
#endif
