#if !os(Linux)
    import NetworkSupport

    /// Calls that open and read a file only if that waits for no disk. Darwin has none.
    enum MemoryRead {
        /// The reason why a call did nothing.
        enum Failure: Error {
            case notInMemory
            case unsupported
        }

        static func open(_ path: String, in directory: FileDescriptor) throws(Failure) -> FileDescriptor { throw .unsupported }

        static func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
            throw .unsupported
        }
    }
#endif
