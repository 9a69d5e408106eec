#if os(Linux)
    import CCurl
    import Foundation
    import NetworkSupport

    /// Prevents child processes from inheriting libcurl's internal descriptors.
    ///
    /// ``EpollSet`` opens the sockets of connections, so that they are not inherited. But libcurl before 8.16 also creates socket
    /// pairs, 8.6.0 pipes, that children inherit: one for each multi handle, to wake it up, and one for each name lookup. Its
    /// interface reveals one end of a lookup's pair, and neither end of a multi handle's.
    enum ChildProcesses {
        /// Calls `make`, and prevents children from inheriting the descriptors that were verifiably opened by it.
        ///
        /// - Parameter wakeUp: Makes one of these descriptors readable.
        static func keep<Made>(_ make: () -> Made?, wakeUp: (Made) -> Void) -> Made? {
            let before = Set(inheritable())
            guard let made = make() else { return nil }
            let new = inheritable().filter { !before.contains($0) && !isReadable($0) && (UnsentBytes.count(of: $0) ?? 0) == 0 }
            guard !new.isEmpty else { return made }
            wakeUp(made)
            // Another thread may have opened descriptors meanwhile, which are left unchanged.
            for descriptor in new where isReadable(descriptor) || (UnsentBytes.count(of: descriptor) ?? 0) > 0 {
                close(onExec: descriptor)
                if let pipe = pipe(descriptor) { closeAll(of: pipe) }
            }
            return made
        }

        /// Prevents children from inheriting either end of a socket pair or pipe, given one end.
        static func keepPair(of descriptor: CInt) {
            guard isInheritable(descriptor) else { return }
            if let pipe = pipe(descriptor) { return closeAll(of: pipe) }
            guard isLocalSocket(descriptor) else { return }
            close(onExec: descriptor)
            // Bytes that are written to one end can be read only at the other.
            let token = UInt64.random(in: 1...UInt64.max)
            guard withUnsafeBytes(of: token, { send(descriptor, $0.baseAddress, 8, flags) }) == 8 else { return }
            for other in inheritable() where other != descriptor && isLocalSocket(other) {
                var read: UInt64 = 0
                guard recv(other, &read, 8, flags | CInt(truncatingIfNeeded: MSG_PEEK)) == 8, read == token else { continue }
                recv(other, &read, 8, flags)
                return close(onExec: other)
            }
        }

        private static let flags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

        /// Returns the descriptors that children inherit.
        private static func inheritable() -> [CInt] {
            guard let directory = opendir("/proc/self/fd") else { return [] }
            defer { closedir(directory) }
            var descriptors: [CInt] = []
            while let entry = readdir(directory) {
                // Read in place: an entry is shorter than its type, and a copy would read beyond the directory's buffer.
                guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
                let name = String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
                if let descriptor = CInt(name), isInheritable(descriptor) { descriptors.append(descriptor) }
            }
            return descriptors
        }

        private static func isInheritable(_ descriptor: CInt) -> Bool {
            let bits = fcntl(descriptor, F_GETFD)
            return bits >= 0 && bits & FD_CLOEXEC == 0
        }

        private static func close(onExec descriptor: CInt) {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }

        private static func closeAll(of pipe: ino_t) {
            for descriptor in inheritable() where self.pipe(descriptor) == pipe { close(onExec: descriptor) }
        }

        /// Returns the kernel's number for the pipe that a descriptor belongs to; `nil` if it is not a pipe.
        private static func pipe(_ descriptor: CInt) -> ino_t? {
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
            return status.st_ino
        }

        private static func isReadable(_ descriptor: CInt) -> Bool {
            var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) == 1 && descriptor.revents & Int16(POLLIN) != 0
        }

        private static func isLocalSocket(_ descriptor: CInt) -> Bool {
            var address = sockaddr()
            var size = socklen_t(MemoryLayout<sockaddr>.size)
            return getsockname(descriptor, &address, &size) == 0 && address.sa_family == sa_family_t(AF_UNIX)
        }
    }
#endif
