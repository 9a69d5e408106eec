#if canImport(Darwin)
    import Foundation

    extension SystemThread {
        /// Creates a thread that calls ``runBody(_:)``.
        static func create(_ context: UnsafeMutableRawPointer) -> Bool {
            var thread: pthread_t?
            return pthread_create(
                &thread, nil,
                { context in
                    SystemThread.runBody(context)
                    return nil
                }, context) == 0
        }

        /// Runs one unit of work on such a thread in an autorelease pool.
        static func run(_ work: () -> Void) { autoreleasepool(invoking: work) }
    }
#endif
