#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation

    /// The queue on which the delegate of a session is called.
    ///
    /// `URLSession` adds an operation for each piece of a body, as fast as it receives them, on the one thread that all sessions of a process share
    /// there. That thread waits here while the delegate is 32 operations behind, so that a body does not pile up in the queue. It waits for at most
    /// 0.1 s, since the delegate may itself wait for a call of `URLSession`. The delegate never waits for a reader.
    // Sendable although unchecked, as its superclass.
    final class URLSessionDelegateQueue: OperationQueue, @unchecked Sendable {
        private let room = DispatchSemaphore(value: 32)

        override init() {
            super.init()
            maxConcurrentOperationCount = 1
        }

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            let hasRoom = room.wait(timeout: .now() + .milliseconds(100)) == .success
            super.addOperation { [room] in
                block()
                if hasRoom { room.signal() }
            }
        }
    }
#endif
