#if os(Linux)
    import Glibc

    extension LoopbackSocket {
        static let sendFlags = Int32(MSG_NOSIGNAL)

        static func makeStreamSocket() -> Int32 {
            outOfTheWay(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        }

        static func systemAccept(_ listener: Int32) -> Int32 {
            outOfTheWay(Glibc.accept(listener, nil, nil))
        }

        /// Moves a descriptor up. Stock URLSession closes descriptors before Dispatch has stopped watching them, and what is
        /// opened with such a number at that moment is never heard of again: numbers it hardly reaches are safe.
        private static func outOfTheWay(_ descriptor: Int32) -> Int32 {
            guard descriptor >= 0 else { return descriptor }
            let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 512)
            guard moved >= 0 else {
                // Without room up there, the low number has to do.
                return descriptor
            }
            close(descriptor)
            return moved
        }

        static func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
            Glibc.listen(descriptor, backlog)
        }

        static func loopbackAddress(port: UInt16) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            return address
        }

        /// How many bytes the client's system has not confirmed yet.
        static func unconfirmedBytes(_ descriptor: Int32) -> Int {
            var count: Int32 = 0
            return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        }
    }
#endif
