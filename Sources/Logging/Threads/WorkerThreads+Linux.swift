#if os(Linux)
    import Foundation
    import Glibc

    extension SystemThread {
        /// Creates a thread that calls ``runBody(_:)``.
        static func create(_ context: UnsafeMutableRawPointer) -> Bool {
            var thread = pthread_t()
            return pthread_create(
                &thread, nil,
                { context in
                    if let context { SystemThread.runBody(context) }
                    return nil
                }, context) == 0
        }

        /// Runs one unit of work on such a thread.
        static func run(_ work: () -> Void) { work() }
    }
#endif
