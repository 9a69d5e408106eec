/// Which containers are open: one bit for each level, in a fixed 72 bytes.
struct JSONContainerStack {
    /// JSONDecoder's own limit.
    static let limit = 512

    private(set) var depth = 0

    /// The innermost levels, the last one lowest; a full word moves to `outer`.
    private var inner: UInt64 = 0
    private var outer = SIMD8<UInt64>()

    var isObject: Bool {
        @inline(__always) get { inner & 1 != 0 }
    }

    /// Opens a container; the caller has seen that `depth` is below the limit.
    @inline(__always)
    mutating func push(isObject: Bool) {
        if depth & 63 == 0 { outer[(depth &>> 6) & 7] = inner }
        inner = inner &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    /// Closes the innermost container; one is open.
    @inline(__always)
    mutating func pop() {
        depth &-= 1
        inner = depth & 63 == 0 ? outer[(depth &>> 6) & 7] : inner &>> 1
    }
}
