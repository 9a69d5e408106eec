#if os(Linux)
    import Foundation

    extension SystemThread {
        /// Creates a thread that calls ``runBody(_:)``.
        static func create(_ context: UnsafeMutableRawPointer) -> Bool {
            #if canImport(Musl)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            // Not a variable: its initializer belongs to another module, depending on the order in which modules are loaded.
            return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
                guard let attributes = attributes.baseAddress, pthread_attr_init(attributes) == 0 else { return false }
                defer { pthread_attr_destroy(attributes) }
                // The default of glibc, unless there is a limit; that of musl is 128 KiB. Memory is used only as far as the stack grows.
                pthread_attr_setstacksize(attributes, 8 << 20)
                return pthread_create(
                    &thread, attributes,
                    { context in
                        if let context { SystemThread.runBody(context) }
                        return nil
                    }, context) == 0
            }
        }

        /// Runs one unit of work on such a thread.
        static func run(_ work: () -> Void) { work() }
    }
#endif
