import NetworkSupport

#if !canImport(Darwin)
    import Synchronization
#endif

/// The options of a decoder or encoder, which any number of calls read at once and a user may replace.
///
/// Concurrent calls share no lock and no reference count as long as the options are constant: on Linux, the first call publishes them, and later
/// calls read them with one atomic load. A user who replaces published options ends that; calls lock a mutex from then on. The published options
/// are kept until the decoder or encoder is released, because a call may still be reading them. On Apple systems calls always lock, because atomic
/// values need macOS 15.
final class SharedOptions<Options: AnyObject & Sendable>: Sendable {
    private struct State {
        var current: Options
        /// The options that calls may read without the lock, now or before they were replaced.
        var published: Options?
    }

    private let state: Locked<State>
    #if !canImport(Darwin)
        /// The address of the published options, not retained; 0 before they are published and after they were replaced.
        private let published = Atomic<UInt>(0)
    #endif

    init(_ options: Options) { state = Locked(State(current: options)) }

    /// The options that are set now.
    var current: Options { state.withLock { $0.current } }

    /// Sets other options. Calls that have begun are not affected.
    func update(_ change: (Options) -> Options) {
        state.withLock {
            #if !canImport(Darwin)
                published.store(0, ordering: .relaxed)
            #endif
            $0.current = change($0.current)
        }
    }

    /// Calls a closure with the options that are set now. They are valid until it returns, and longer if the closure retains them.
    @inline(__always)
    func read<Result>(_ body: (Options) throws -> Result) rethrows -> Result {
        #if !canImport(Darwin)
            // Acquiring, so that the object's properties are visible to this thread.
            if let pointer = UnsafeRawPointer(bitPattern: published.load(ordering: .acquiring)) {
                return try Unmanaged<Options>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
            }
            let options = publish()
        #else
            let options = current
        #endif
        return try body(options)
    }

    #if !canImport(Darwin)
        /// Returns the options that are set now, and publishes them unless others were published before.
        @inline(never)
        private func publish() -> Options {
            state.withLock {
                let options = $0.current
                if $0.published == nil { $0.published = options }
                if $0.published === options {
                    published.store(UInt(bitPattern: Unmanaged.passUnretained(options).toOpaque()), ordering: .releasing)
                }
                return options
            }
        }
    #endif
}
