#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    /// The address of a socket: an IP address with a port, or the path of a Unix domain socket.
    struct SocketAddress: Hashable, CustomStringConvertible {
        enum Place: Hashable {
            /// An IP address; `scope` is the number of the interface of a link-local one, or 0.
            case ip(IPAddress, scope: UInt32)
            /// The path of a Unix domain socket, as bytes; one that begins with 0 is in the abstract namespace (unix(7)).
            case unix([UInt8])
        }

        var place: Place
        var port: UInt16 = 0

        /// The address family, such as `AF_INET`.
        var family: CInt {
            switch place {
            case .ip(let address, _): address.isIPv6 ? AF_INET6 : AF_INET
            case .unix: AF_UNIX
            }
        }

        /// The IP address; `nil` for a Unix domain socket.
        var ip: IPAddress? {
            if case .ip(let address, _) = place { address } else { nil }
        }

        /// The address and port as in a URL, or the path.
        var description: String {
            switch place {
            case .ip(let address, _): NetworkResponse.ServerAddress(address: address.text, port: Int(port)).description
            case .unix(let path): String(decoding: path.map { $0 == 0 ? UInt8(ascii: "@") : $0 }, as: UTF8.self)
            }
        }

        /// The maximum length of a path in bytes.
        static let maximumPathBytes = 107

        /// Calls a closure with the address as the system takes it.
        func withSystemAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
            switch place {
            case .ip(let address, _) where !address.isIPv6:
                var system = sockaddr_in()
                system.sin_family = sa_family_t(AF_INET)
                system.sin_port = port.bigEndian
                withUnsafeMutableBytes(of: &system.sin_addr) { $0.copyBytes(from: address.bytes) }
                return Self.call(body, with: &system, MemoryLayout<sockaddr_in>.size)
            case .ip(let address, let scope):
                var system = sockaddr_in6()
                system.sin6_family = sa_family_t(AF_INET6)
                system.sin6_port = port.bigEndian
                system.sin6_scope_id = scope
                withUnsafeMutableBytes(of: &system.sin6_addr) { $0.copyBytes(from: address.bytes) }
                return Self.call(body, with: &system, MemoryLayout<sockaddr_in6>.size)
            case .unix(let path):
                var system = sockaddr_un()
                system.sun_family = sa_family_t(AF_UNIX)
                let path = path.prefix(Self.maximumPathBytes)
                withUnsafeMutableBytes(of: &system.sun_path) { $0.copyBytes(from: path) }
                // The length tells where a name in the abstract namespace ends; a path ends with a zero.
                let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
                return Self.call(body, with: &system, offset + path.count + (path.first == 0 ? 0 : 1))
            }
        }

        private static func call<System, Value>(
            _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value, with system: inout System, _ size: Int
        ) -> Value {
            withUnsafePointer(to: &system) { system in
                system.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
            }
        }
    }

    extension NetworkResponse.ServerAddress {
        /// The IP address of a socket; `nil` for a Unix domain socket.
        init?(_ address: SocketAddress) {
            guard let ip = address.ip else { return nil }
            self.init(address: ip.text, port: Int(address.port))
        }
    }
#endif
