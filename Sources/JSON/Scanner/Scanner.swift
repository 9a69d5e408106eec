import NetworkSupport

/// Validates a text in one pass (grammar, UTF-8, escapes and numbers, RFC 8259) and writes one ``TapeEntry`` per value and key: the *tape*.
///
/// It is the only code in this module that decides what is JSON. It reads eight bytes at a time and relies on ``NetworkSupport/PaddedBytes/padding``. Its memory is the tape and
/// a fixed stack, for ``NestingLimit/maximumDepth`` arrays and objects. A text may arrive in pieces: where a piece ends inside a value, the
/// scanner stops before the incomplete token, or inside the incomplete string, and continues there when more bytes have arrived.
struct Scanner {
    /// The tape index of the document's value. Entry 0 is a null that represents values which do not exist.
    static let root = 1
    static let maximumDepth = NestingLimit.maximumDepth

    enum Status { case complete, needsMore, failed }

    private(set) var tape: UnsafeMutablePointer<TapeEntry>
    private(set) var capacity: Int
    var count = 0
    /// The reason for ``Status/failed``.
    private(set) var failure: ScanFailure?
    /// The byte offset after the value, when ``Status/complete`` was returned.
    var end = 0

    /// The number of nested arrays and objects that a value may have; fewer than ``maximumDepth`` if the value itself is nested.
    var depthLimit = Self.maximumDepth

    let stack: UnsafeMutablePointer<Level>
    var text: Bytes.Pointer
    var state = State()

    /// Creates a scanner with an empty tape. ``deallocate()`` frees its memory.
    ///
    /// - Parameter capacity: The number of tape entries to allocate first. Default: 256.
    init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        tape = Self.allocate(self.capacity)
        stack = .allocate(capacity: Self.maximumDepth + 2)
        text = UnsafePointer(bitPattern: 1)!
    }

    func deallocate() {
        free(tape)
        stack.deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<TapeEntry> {
        malloc(count * MemoryLayout<TapeEntry>.stride)!.bindMemory(to: TapeEntry.self, capacity: count)
    }

    /// Frees the tape's memory if it has grown beyond `limit` entries.
    mutating func trim(to limit: Int) {
        guard capacity > limit else { return }
        free(tape)
        capacity = 256
        tape = Self.allocate(capacity)
        count = 0
    }

    @inline(never)
    mutating func grow() -> Bool {
        // Growth by one half keeps the tape below 24 bytes per value. `realloc` remaps the pages of a large tape instead of copying them.
        let new = capacity + capacity / 2
        guard UInt64(new) < UInt64(UInt32.max), let moved = realloc(tape, new * MemoryLayout<TapeEntry>.stride) else {
            return false
        }
        tape = moved.bindMemory(to: TapeEntry.self, capacity: new)
        capacity = new
        return true
    }

    @inline(__always)
    mutating func add(_ entry: TapeEntry) {
        tape[count] = entry
        count &+= 1
    }

    @inline(never)
    mutating func fail(_ reason: ScanFailure.Reason, _ p: Bytes.Pointer, _ end: Bytes.Pointer) -> Status {
        // Zeros after the end would be reported as control characters.
        let atEnd = p >= end && reason != .tooDeep && reason != .afterTopLevelValue
        failure = ScanFailure(reason: atEnd ? .unexpectedEnd : reason, offset: min(p, end) - text)
        return .failed
    }

    /// Stops at a token that is invalid or incomplete: fails, or saves the state so that the scan can continue with the next piece.
    @inline(never)
    mutating func stop(
        _ reason: ScanFailure.Reason, _ p: Bytes.Pointer, _ end: Bytes.Pointer, isLast: Bool, _ state: State
    ) -> Status {
        // The longest escape, a surrogate pair, has twelve bytes.
        let isCut = p >= end || end - p < 12 && reason.mayBeCut
        if isLast || !isCut { return fail(reason, p, end) }
        self.state = state
        return .needsMore
    }

    /// Scans a complete text of `length` bytes at `start`, followed by at least ``NetworkSupport/PaddedBytes/padding`` readable bytes of which the first is zero.
    ///
    /// - Returns: Whether the text is JSON. If not, ``failure`` is the reason.
    mutating func scan(_ start: Bytes.Pointer, length: Int) -> Bool {
        begin()
        guard run(start, length: length, isLast: true) == .complete else { return false }
        let p = Bytes.skipWhiteSpace(start + end)
        if p == start + length { return true }
        _ = fail(.afterTopLevelValue, p, start + length)
        return false
    }

    /// Resets the tape for a new value that begins at byte `position`.
    mutating func begin(at position: Int = 0) {
        failure = nil
        count = 0
        add(TapeEntry(.null, offset: 0, payload: 0))
        state = State()
        state.position = position
    }

    /// Drops what was scanned of an incomplete value. The scan can continue to the value's end, but the value cannot be decoded.
    ///
    /// - Returns: The number of bytes at the start of the text that must be removed from it before the next call.
    mutating func discard() -> Int {
        let passed = state.position
        state.position = 0
        state.stringStart &-= passed
        // All open containers share the first one's entry, so the tape does not grow.
        for depth in 0..<state.depth { stack[depth].entry = UInt32(Self.root) }
        if state.depth > 0 { state.container = Self.root }
        count = min(count, Self.root + 1)
        return passed
    }

    /// Returns the number of bytes of the text that the next call reads again, because a number or a key is incomplete.
    func cutBytes(_ length: Int) -> Int { state.mode == .string ? 0 : length - state.position }
}

/// The state of a scan: the enclosing containers, and the position between two pieces of a text.
extension Scanner {
    /// The state of an enclosing container, saved while an inner container is read.
    struct Level {
        var entry: UInt32
        var count: UInt32
        var isObject: Bool
        var specialKeys: UInt64
    }

    /// The position of a scan between two pieces.
    struct State {
        var mode = Mode.value
        var position = 0
        var depth = 0
        /// The tape index of the container that is being read, the number of its values so far, and whether it is an object.
        var container = 0
        var children = 0
        var inObject = false
        var specialKeys: UInt64 = 0
        /// The start and the flags of the string that is being read.
        var stringStart = 0
        var stringFlags: UInt64 = 0

        init() {}

        @inline(__always)
        init(
            _ mode: Mode, _ position: Int, _ depth: Int, _ container: Int, _ children: Int, _ inObject: Bool,
            _ specialKeys: UInt64,
            _ stringStart: Int = 0, _ stringFlags: UInt64 = 0
        ) {
            self.mode = mode
            self.position = position
            self.depth = depth
            self.container = container
            self.children = children
            self.inObject = inObject
            self.specialKeys = specialKeys
            self.stringStart = stringStart
            self.stringFlags = stringFlags
        }
    }

    enum Mode { case value, string, key, firstElement, afterValue }
}
