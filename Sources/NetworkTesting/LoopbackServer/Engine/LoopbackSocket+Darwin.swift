#if canImport(Darwin)
    import Darwin

    extension LoopbackSocket {
        static let sendFlags: Int32 = 0

        static func makeStreamSocket() -> Int32 {
            socket(AF_INET, SOCK_STREAM, 0)
        }

        static func systemAccept(_ listener: Int32) -> Int32 {
            let descriptor = Darwin.accept(listener, nil, nil)
            // Darwin's `send` has no flag that suppresses SIGPIPE.
            if descriptor >= 0 { setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, Int32(1)) }
            return descriptor
        }

        static func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
            Darwin.listen(descriptor, backlog)
        }

        static func loopbackAddress(port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return address
        }

        /// The number of sent bytes that the client's system has not acknowledged yet.
        static func unconfirmedBytes(_ descriptor: Int32) -> Int {
            var count: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? Int(count) : 0
        }
    }
#endif
