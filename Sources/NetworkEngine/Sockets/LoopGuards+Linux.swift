#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport
    import Synchronization

    /// The guards of all event loops of the process, and the thread that examines them, which starts with the first loop.
    ///
    /// The thread looks every 50 ms while a loop works. Once none has worked for a second, it sleeps until a loop makes a call.
    final class LoopGuards: Sendable {
        static let shared = LoopGuards()

        private struct State {
            var guards: [ObjectIdentifier: LoopGuard] = [:]
            var hasThread = false
        }

        /// The time between two looks, in microseconds.
        private static let interval: UInt32 = 50_000
        /// After how many looks at idle loops the thread sleeps.
        private static let idleLooks = 20

        private let state = Locked(State())
        private let isAsleep = Atomic<Bool>(false)
        private let wakeDescriptor = eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK))

        func add(_ loopGuard: LoopGuard) {
            state.withLock { state in
                state.guards[ObjectIdentifier(loopGuard)] = loopGuard
                // If no thread can be created now, the next loop tries again.
                if !state.hasThread { state.hasThread = SystemThread.start("Loop guard") { LoopGuards.shared.run() } }
            }
            wakeIfAsleep()
        }

        func remove(_ loopGuard: LoopGuard) {
            state.withLock { $0.guards[ObjectIdentifier(loopGuard)] = nil }
        }

        @inline(__always)
        func wakeIfAsleep() {
            if isAsleep.load(ordering: .sequentiallyConsistent) { wake() }
        }

        private func wake() {
            var one: UInt64 = 1
            _ = write(wakeDescriptor, &one, 8)
        }

        private func run() {
            var idle = 0
            while true {
                idle = examine() ? 0 : idle + 1
                if idle < Self.idleLooks || wakeDescriptor < 0 {
                    usleep(Self.interval)
                    continue
                }
                isAsleep.store(true, ordering: .sequentiallyConsistent)
                // A call that has begun before is seen here, and a later one finds the thread asleep.
                if !examine() {
                    var descriptor = pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)
                    poll(&descriptor, 1, -1)
                }
                isAsleep.store(false, ordering: .sequentiallyConsistent)
                var count: UInt64 = 0
                _ = read(wakeDescriptor, &count, 8)
                idle = 0
            }
        }

        private func examine() -> Bool {
            let guards = state.withLock(\.guards)
            var isBusy = false
            for loopGuard in guards.values where loopGuard.examine() { isBusy = true }
            return isBusy
        }
    }
#endif
