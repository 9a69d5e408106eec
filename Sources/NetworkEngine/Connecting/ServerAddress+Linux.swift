#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    extension NetworkResponse.ServerAddress {
        /// Reads the address of a connected socket's peer; `nil` if it is no IP address.
        init?(peerOf socket: CInt) {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let isRead = withUnsafeMutablePointer(to: &storage) { storage in
                storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) == 0 }
            }
            guard isRead else { return nil }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            let port: in_port_t? = withUnsafePointer(to: &storage) { storage in
                switch CInt(storage.pointee.ss_family) {
                case AF_INET:
                    storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                        var host = address.pointee.sin_addr
                        return inet_ntop(AF_INET, &host, &text, socklen_t(text.count)).map { _ in address.pointee.sin_port }
                    }
                case AF_INET6:
                    storage.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                        var host = address.pointee.sin6_addr
                        return inet_ntop(AF_INET6, &host, &text, socklen_t(text.count)).map { _ in address.pointee.sin6_port }
                    }
                default: nil
                }
            }
            guard let port else { return nil }
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            self.init(address: String(decoding: bytes, as: UTF8.self), port: Int(UInt16(bigEndian: port)))
        }
    }

    extension EasyHandle {
        /// The address that libcurl's connection was made to; `nil` before it is known, and for a Unix domain socket.
        var serverAddress: NetworkResponse.ServerAddress? {
            var text: UnsafeMutableRawPointer?
            let port = long(CCURLINFO_PRIMARY_PORT)
            guard port > 0, ccurl_easy_get_pointer(pointer, CInt(CCURLINFO_PRIMARY_IP), &text) == 0, let text else { return nil }
            let address = String(cString: text.assumingMemoryBound(to: CChar.self))
            return address.isEmpty ? nil : NetworkResponse.ServerAddress(address: address, port: port)
        }
    }
#endif
