import NetworkSupport

/// Idle sessions, at most four per thread. The next call on the thread reuses the memory of the previous one.
///
/// The list is thread-specific, so there is no lock, and concurrent calls do not wait for each other. A session in use is not in the pool,
/// so a `decode` inside an `init(from:)` gets another one.
struct SessionPool<Session: AnyObject> {
    private final class Slot {
        var idle: [Session] = []
    }

    private let key: pthread_key_t
    private static var limit: Int { 4 }

    init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key, releaseSlot)
        precondition(status == 0, "No thread-specific key is left.")
        self.key = key
    }

    /// Removes and returns an idle session of this thread; nil if there is no idle one.
    @inline(__always)
    func take() -> Session? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Slot>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.idle.popLast() }
    }

    /// Makes a session available to the next call on this thread. Releases it if the thread has enough.
    @inline(__always)
    func give(_ session: Session) {
        let slot: Slot
        if let pointer = pthread_getspecific(key) {
            slot = Unmanaged<Slot>.fromOpaque(pointer).takeUnretainedValue()
        } else {
            slot = Slot()
            pthread_setspecific(key, Unmanaged.passRetained(slot).toOpaque())
        }
        if slot.idle.count < Self.limit { slot.idle.append(session) }
    }
}

#if canImport(Darwin)
    private func releaseSlot(_ pointer: UnsafeMutableRawPointer) { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
#else
    private func releaseSlot(_ pointer: UnsafeMutableRawPointer?) {
        if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
    }
#endif
