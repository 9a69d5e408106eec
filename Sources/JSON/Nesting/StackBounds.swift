import NetworkPlatform

/// The stack of a thread, and whether it has room for another level of nested values.
///
/// Types encode and decode values within values by recursion. How much stack a level takes is known only by the compiler of the type: it is measured
/// instead, so that deep values are errors and do not overflow the stack, which is 512 KiB for most threads of Apple's platforms and 128 KiB for threads of
/// programs with musl.
package struct StackBounds: Sendable {
    private var lowest: UInt = 0
    private var highest: UInt = 0
    /// The number of bytes that stay free, for what does not recurse.
    private static let reserve: UInt = 80 << 10

    package init() {}

    /// Whether the current thread's stack has room for another level. The bounds are found in the first call on a thread.
    package mutating func hasRoom() -> Bool { room() > 0 }

    /// Returns the number of bytes that nested values may use now.
    package mutating func room() -> Int {
        let address = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { UInt(bitPattern: $0.baseAddress) }
        if !(lowest..<highest).contains(address) { (lowest, highest) = Self.bounds() }
        // An address outside is that of a stack that the thread does not know. Only the number of levels is limited then.
        guard (lowest..<highest).contains(address) else { return .max }
        return Int(address - lowest) - Int(min(Self.reserve, (highest - lowest) / 2))
    }

    /// The bounds of this thread's stack; empty if they are not known.
    private static func bounds() -> (lowest: UInt, highest: UInt) {
        #if canImport(Darwin)
            let highest = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
            return (highest - UInt(pthread_get_stacksize_np(pthread_self())), highest)
        #else
            guard let get = getAttributes else { return (0, 0) }
            return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
                guard let attributes = attributes.baseAddress, get(pthread_self(), attributes) == 0 else { return (0, 0) }
                defer { pthread_attr_destroy(attributes) }
                var start: UnsafeMutableRawPointer?
                var size = 0
                guard pthread_attr_getstack(attributes, &start, &size) == 0 else { return (0, 0) }
                return (UInt(bitPattern: start), UInt(bitPattern: start) + UInt(size))
            }
        #endif
    }

    #if !canImport(Darwin)
        private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

        /// `pthread_getattr_np`, which the headers declare for GNU C only. Nil in a program that is linked statically.
        private static let getAttributes: GetAttributes? = dlsym(nil, "pthread_getattr_np").map {
            unsafeBitCast($0, to: GetAttributes.self)
        }
    #endif
}
