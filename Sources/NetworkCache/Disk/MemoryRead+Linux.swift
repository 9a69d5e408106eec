#if os(Linux)
    import Foundation
    import NetworkSupport

    /// Calls that open and read a file only if that waits for no disk, so that they may run on any thread.
    ///
    /// They are looked up, because the headers declare them only with `_GNU_SOURCE`, or not at all.
    enum MemoryRead {
        /// The reason why a call did nothing.
        enum Failure: Error {
            /// The system does not have the file in memory, or the file does not exist.
            case notInMemory
            /// The system or the file system has no such call: Linux before 5.12, some containers, and `tmpfs`.
            case unsupported
        }

        /// Opens a file for reading, if all folders of its path and its properties are in memory (`openat2(2)` with `RESOLVE_CACHED`).
        static func open(_ path: String, in directory: FileDescriptor) throws(Failure) -> FileDescriptor {
            guard let systemCall else { throw .unsupported }
            let flags = UInt64(UInt32(bitPattern: O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK))
            // `struct open_how`: flags, mode, and RESOLVE_CACHED.
            let how: [UInt64] = [flags, 0, 0x20]
            let number = systemCall(437, Int(directory.number), path, how, 24)
            guard number >= 0, let number = Int32(exactly: number) else { throw failure(errno) }
            return FileDescriptor(number)
        }

        /// Reads from the beginning of a file, if the bytes are in memory (`preadv2(2)` with `RWF_NOWAIT`).
        ///
        /// - Returns: The number of bytes, which may be smaller than that of the buffer.
        static func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
            guard let readVector else { throw .unsupported }
            var vector = iovec(iov_base: buffer.baseAddress, iov_len: buffer.count)
            let count = readVector(file.number, &vector, 1, 0, 0x8)
            guard count >= 0 else { throw failure(errno) }
            return count
        }

        private typealias SystemCall =
            @convention(c) (Int, Int, UnsafePointer<CChar>, UnsafePointer<UInt64>, Int) -> Int
        private typealias ReadVector = @convention(c) (Int32, UnsafePointer<iovec>, Int32, off_t, Int32) -> Int

        // Elsewhere, a function with a variable number of arguments may be called differently.
        #if arch(x86_64) || arch(arm64)
            private static let systemCall = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
        #else
            private static let systemCall: SystemCall? = nil
        #endif
        private static let readVector = dlsym(nil, "preadv2").map { unsafeBitCast($0, to: ReadVector.self) }

        private static func failure(_ number: Int32) -> Failure {
            switch number {
            case ENOSYS, EPERM, EINVAL, EOPNOTSUPP: .unsupported
            default: .notInMemory
            }
        }
    }
#endif
