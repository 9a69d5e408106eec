#if os(Linux)
    import NetworkTransport
    import NetworkSupport

    /// The bytes that a socket has taken from this process, and its peer has not acknowledged: a body that was written is not yet sent.
    enum UnsentBytes {
        /// How many bytes wait for the network before the socket is not writable (`TCP_NOTSENT_LOWAT`), so that writing keeps pace with sending.
        private static let unsentBytes: CInt = 512 << 10

        /// Returns the number of bytes in the queue (`SIOCOUTQ`); `nil` if the descriptor is no socket.
        static func count(of socket: CInt) -> Int? {
            var count: CInt = 0
            return ioctl(socket, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
        }

        /// Limits the bytes that a TCP socket takes ahead of the network. Those on their way do not count.
        static func limit(_ socket: CInt) {
            var bytes = unsentBytes
            // Glibc's module has no TCP_NOTSENT_LOWAT.
            setsockopt(socket, CInt(IPPROTO_TCP), 25, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
    }
#endif
