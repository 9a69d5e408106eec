import NetworkSupport

/// The stack of a thread, and whether it has room for another level of nested values.
///
/// Types encode and decode values within values by recursion. How much stack a level takes is known only by the compiler of the type: it is measured
/// instead, so that deep values are errors and do not overflow the stack, which is 512 KiB for most threads of Apple's platforms and 128 KiB for threads of
/// programs with musl.
package struct StackBounds: Sendable {
    /// The addresses of the stack at which there is room: `size` bytes from `floor`. Empty before the first call on a thread.
    private var floor: UInt = 0
    private var size: UInt = 0
    /// The number of bytes that stay free, for what does not recurse; half of a smaller stack.
    private static let reserve: UInt = 80 << 10
    /// The number of levels for which the reserve suffices.
    private static let leastLevels = 8

    package init() {}

    /// Whether the current thread's stack has room for another level. This is one comparison, except for the first call on a thread.
    @inline(__always)
    package mutating func hasRoom() -> Bool {
        let address = Self.address()
        return address &- floor < size || room(at: address) > 0
    }

    /// Returns the number of bytes that nested values may use now.
    package mutating func room() -> Int { room(at: Self.address()) }

    /// Returns how many levels can be written by recursion now, if each takes a number of bytes.
    package mutating func levels(of bytes: Int) -> Int { max(Self.leastLevels, room() / bytes) }

    @inline(__always)
    private static func address() -> UInt {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { UInt(bitPattern: $0.baseAddress) }
    }

    @inline(never)
    private mutating func room(at address: UInt) -> Int {
        let stack = ThreadStack.current
        let address = stack.contains(address) ? address : ThreadStack.realAddress(address)
        // An address outside is that of a stack that the thread does not know. Only the number of levels is limited then.
        guard stack.contains(address) else { return .max }
        let reserve = min(Self.reserve * UInt(ThreadStack.growth), UInt(stack.count) / 2)
        floor = stack.lowerBound + reserve
        size = UInt(stack.count) - reserve
        return Int(bitPattern: address &- floor)
    }
}

/// The addresses of a thread's stack.
private enum ThreadStack {
    /// Those of the current thread, which are found once per thread; empty if they are not known.
    static var current: Range<UInt> {
        if let known = pthread_getspecific(key) { return known.load(as: Range<UInt>.self) }
        let found = find()
        if let memory = malloc(MemoryLayout<Range<UInt>>.size) {
            memory.storeBytes(of: found, as: Range<UInt>.self)
            pthread_setspecific(key, memory)
        }
        return found
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { free($0) }
        precondition(status == 0, "No thread-specific key is left.")
        return key
    }()

    #if canImport(Darwin)
        private static func find() -> Range<UInt> {
            let highest = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
            return highest - UInt(pthread_get_stacksize_np(pthread_self()))..<highest
        }
    #else
        private static func find() -> Range<UInt> {
            guard let get = getAttributes else { return 0..<0 }
            return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
                guard let attributes = attributes.baseAddress, get(pthread_self(), attributes) == 0 else { return 0..<0 }
                defer { pthread_attr_destroy(attributes) }
                var start: UnsafeMutableRawPointer?
                var size = 0
                guard pthread_attr_getstack(attributes, &start, &size) == 0 else { return 0..<0 }
                return UInt(bitPattern: start)..<UInt(bitPattern: start) + UInt(size)
            }
        }

        private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

        /// `pthread_getattr_np`, which the headers declare for GNU C only. Nil in a program that is linked statically.
        private static let getAttributes: GetAttributes? = dlsym(nil, "pthread_getattr_np").map {
            unsafeBitCast($0, to: GetAttributes.self)
        }
    #endif

    /// How many times as much stack the functions of this package take with the address sanitizer.
    static let growth = sanitizer == nil ? 1 : 8

    /// An address in the stack if there is an address sanitizer, with which temporary allocations are on the heap, and the variables of functions may be
    /// outside of the stack; otherwise the same address.
    static func realAddress(_ address: UInt) -> UInt {
        guard let (fakeStack, frame) = sanitizer else { return address }
        var variable: UInt8 = 0
        return withUnsafeMutablePointer(to: &variable) { variable in
            let own = UnsafeMutableRawPointer(variable)
            return UInt(bitPattern: fakeStack().flatMap { frame($0, own, nil, nil) } ?? own)
        }
    }

    private typealias FakeStack = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias RealFrame =
        @convention(c) (
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> UnsafeMutableRawPointer?

    /// The functions of the address sanitizer; nil in a program without it.
    private static let sanitizer: (FakeStack, RealFrame)? = {
        #if canImport(Darwin)
            let program = UnsafeMutableRawPointer(bitPattern: -2)
        #else
            let program: UnsafeMutableRawPointer? = nil
        #endif
        guard let stack = dlsym(program, "__asan_get_current_fake_stack"),
            let frame = dlsym(program, "__asan_addr_is_in_fake_stack")
        else { return nil }
        return (unsafeBitCast(stack, to: FakeStack.self), unsafeBitCast(frame, to: RealFrame.self))
    }()
}
