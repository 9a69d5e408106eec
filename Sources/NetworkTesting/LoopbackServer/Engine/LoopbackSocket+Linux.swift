#if os(Linux)
    import NetworkSupport

    extension LoopbackSocket {
        static let sendFlags = Int32(MSG_NOSIGNAL)

        static func makeStreamSocket() -> Int32 {
            #if canImport(Musl)
                let kind = SOCK_STREAM
            #else
                let kind = Int32(SOCK_STREAM.rawValue)
            #endif
            return movedToHighNumber(socket(AF_INET, kind, 0))
        }

        static func systemAccept(_ listener: Int32) -> Int32 {
            movedToHighNumber(NetworkSupport.accept(listener, nil, nil))
        }

        /// Moves a descriptor to a number of 512 or more.
        ///
        /// Foundation's URLSession closes descriptors before Dispatch has stopped watching them. Dispatch then reports no events for
        /// a descriptor that is opened with the same number at that moment. URLSession rarely uses such high numbers.
        private static func movedToHighNumber(_ descriptor: Int32) -> Int32 {
            guard descriptor >= 0 else { return descriptor }
            let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 512)
            guard moved >= 0 else {
                // No high number is free, so the low one is used.
                return descriptor
            }
            close(descriptor)
            return moved
        }

        static func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
            NetworkSupport.listen(descriptor, backlog)
        }

        static func loopbackAddress(port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return address
        }

        /// The number of sent bytes that the client's system has not acknowledged yet.
        static func unconfirmedBytes(_ descriptor: Int32) -> Int {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }
    }
#endif
