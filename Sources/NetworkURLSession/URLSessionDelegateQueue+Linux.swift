#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    import NetworkSupport

    /// The serial queue on which the delegate of a session is called.
    ///
    /// There, `URLSession` adds an operation for each piece of a body, as fast as it receives them, on the one thread that all sessions of a process
    /// share. That thread waits while the delegate is 32 operations behind, so that bodies do not pile up in the queue. The delegate never waits for
    /// a reader. It may wait for that thread, in a call of `URLSession`: after 0.1 s the thread no longer waits, until the delegate has finished this
    /// operation.
    // `@unchecked Sendable`: the superclass is, and all properties are constants of sendable types.
    final class URLSessionDelegateQueue: OperationQueue, @unchecked Sendable {
        private let queue = DispatchQueue(label: "swift-data-transfer.URLSession.delegate")
        private let room = DispatchSemaphore(value: URLSessionDelegateQueue.maximumOperations)
        private let patience: DispatchTimeInterval
        /// Whether the operation that is being performed takes more than 0.1 s.
        private let isDelayed = Locked(false)

        /// The number of operations that are performed or wait before the thread that adds them waits.
        static let maximumOperations = 32

        /// Creates a queue.
        ///
        /// - Parameter patience: How long the thread that adds operations waits for the delegate, once for each operation. Default: 0.1 s.
        init(patience: DispatchTimeInterval = .milliseconds(100)) {
            self.patience = patience
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            let wait: DispatchTimeInterval = isDelayed.withLock(\.self) ? .seconds(0) : patience
            let hasRoom = room.wait(timeout: .now() + wait) == .success
            if !hasRoom { isDelayed.withLock { $0 = true } }
            queue.async { [room, isDelayed] in
                block()
                isDelayed.withLock { $0 = false }
                if hasRoom { room.signal() }
            }
        }
    }
#endif
