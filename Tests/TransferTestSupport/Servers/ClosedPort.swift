#if os(Linux)
    import Glibc

    /// A port of 127.0.0.1 that refuses connections. It is taken, so that no server of another test or process gets it meanwhile, unlike the port of a
    /// server that was stopped.
    package final class ClosedPort {
        package let number: Int
        private let descriptor: Int32

        package struct Failure: Error {}

        package init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
                }
            }
            number = Int(UInt16(bigEndian: address.sin_port))
            guard isBound else { throw Failure() }
        }

        deinit {
            close(descriptor)
        }
    }
#endif
