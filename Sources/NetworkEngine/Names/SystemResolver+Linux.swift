#if os(Linux)
    import COpenSSL
    import NetworkSupport
    import NetworkTransport

    /// Looks up names with the system's resolver: its files, name servers and other sources (getaddrinfo(3), nsswitch.conf(5)).
    ///
    /// A lookup blocks its thread and cannot be cancelled. ``BackgroundThreads/names`` has a limited number of threads, for the whole process.
    struct SystemResolver: NameResolver {
        func lookUp(_ query: NameQuery, completion: @escaping @Sendable (NameResult, _ lifetime: Duration?) -> Void) {
            BackgroundThreads.names.run { completion(Self.addresses(of: query), nil) }
        }

        /// Looks up a name. Blocks until the system's resolver responds or gives up.
        static func addresses(of query: NameQuery) -> NameResult {
            var hints = addrinfo()
            hints.ai_family = query.family == .ipv4 ? AF_INET : AF_INET6
            hints.ai_socktype = LINUX_SOCK_STREAM
            var list: UnsafeMutablePointer<addrinfo>?
            let code = getaddrinfo(query.name, nil, &hints, &list)
            defer { if let list { freeaddrinfo(list) } }
            guard code == 0 else {
                if noAddress.contains(code) { return .addresses([]) }
                if code == EAI_SYSTEM { return .failed(String(cString: strerror(errno))) }
                return .failed(gai_strerror(code).map { String(cString: $0) } ?? "error \(code)")
            }
            var addresses: [IPAddress] = []
            var next = list
            while let entry = next, addresses.count < maximumAddresses {
                next = entry.pointee.ai_next
                guard let address = entry.pointee.ai_addr.flatMap({ IPAddress($0) }), !addresses.contains(address) else {
                    continue
                }
                addresses.append(address)
            }
            return .addresses(addresses)
        }

        /// The number of addresses of one family that are tried at most.
        private static let maximumAddresses = 16
        /// The results that mean that the name does not exist, or has no address of the family: `EAI_NONAME`, `EAI_NODATA` and `EAI_ADDRFAMILY`,
        /// of which Linux's C libraries do not declare all.
        private static let noAddress: Set<CInt> = [-2, -5, -9]
    }

    extension IPAddress {
        /// Reads an address of the system; `nil` for another family.
        init?(_ address: UnsafePointer<sockaddr>) {
            switch CInt(address.pointee.sa_family) {
            case AF_INET:
                let bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
                }
                self.init(bytes: bytes)
            case AF_INET6:
                let bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
                }
                self.init(bytes: bytes)
            default: return nil
            }
        }
    }
#endif
