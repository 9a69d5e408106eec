/// The state of one keyed container: its position in the tape, and the means to find a key.
///
/// Keys are compared as bytes, beginning at the last match, since most types read keys in the order in which they were written. If equal keys may differ
/// in their bytes (escapes, characters that are not ASCII, duplicate or converted keys), or after too many failed comparisons, a dictionary is used.
struct KeyedState: BoxState {
    private(set) var session: DecodingSession
    private(set) var tape: UnsafeMutablePointer<TapeEntry>
    var text: Bytes.Pointer
    private(set) var container = 0
    var end = 0
    var cursor = 0
    private(set) var depth = 0
    /// The head of this object's keys, apart from flags and offset: kind and depth. No other entry inside the object has the same.
    var keyHead: UInt64 = 0
    /// The number of lookups so far, and for each of the first ones the distance from the object's entry to the key that was found in the previous object:
    /// objects of one type usually have their keys in the same order.
    var asked = 0
    var predictions: UnsafeMutablePointer<UInt32>
    static let predictionCount = 64
    /// The number of failed comparisons.
    var steps = 0
    var usesMap = false
    var isSnakeCase = false
    let knowsLayout: Bool
    /// The tape index of the value for each converted key.
    var map: [String: UInt32]?

    init(_ session: DecodingSession) {
        self.session = session
        tape = session.tape
        text = session.text
        predictions = .allocate(capacity: Self.predictionCount)
        predictions.initialize(repeating: 0, count: Self.predictionCount)
        #if _pointerBitWidth(_64)
            knowsLayout = session.storage.pointee.knowsStringLayout
        #else
            knowsLayout = false
        #endif
    }

    /// Resets the state for the object at `container`.
    @inline(__always)
    mutating func begin(container: Int, depth: Int) {
        tape = session.tape
        text = session.text
        self.container = container
        self.depth = depth
        cursor = container &+ 1
        asked = 0
        keyHead = UInt64(TapeEntry.Kind.string.rawValue) | UInt64(truncatingIfNeeded: depth &+ 1) << 8
        steps = 0
        usesMap = false
        isSnakeCase = false
        if map != nil { map = nil }
        let entry = tape[container]
        end = entry.next
        if entry.flags & TapeFlags.checked == 0 || entry.flags & (TapeFlags.dictionary | TapeFlags.snakeCase) != 0 {
            check(entry)
        }
    }

    @inline(never)
    private mutating func check(_ entry: TapeEntry) {
        map = nil
        if entry.flags & TapeFlags.checked == 0 {
            var flags = TapeFlags.checked
            if entry.flags & TapeFlags.specialKeys != 0 {
                flags |= TapeFlags.dictionary
            } else if session.options.convertsFromSnakeCase {
                let isPlain = session.storage.pointee.duplicates.areSnakeCase(
                    session, first: cursor, end: end, count: entry.count)
                flags |= isPlain ? TapeFlags.snakeCase : TapeFlags.dictionary
            } else if !session.options.usesDefaultKeys
                || session.storage.pointee.duplicates.mayRepeat(session, first: cursor, end: end, count: entry.count)
            {
                flags |= TapeFlags.dictionary
            }
            tape[container].head |= flags << 4
        }
        isSnakeCase = tape[container].flags & TapeFlags.snakeCase != 0
        if tape[container].flags & TapeFlags.dictionary != 0 {
            usesMap = true
            if session.options.convertsKeysEagerly { makeMap() }
        }
    }

    func deallocate() { predictions.deallocate() }

    /// Refers to the session's copy of the text, for a container that outlives its call.
    mutating func outlive() {
        text = session.text
    }

    /// Whether so many comparisons have failed that a dictionary is cheaper from now on.
    mutating func shouldUseMap() -> Bool {
        guard steps > 64 * tape[container].count else { return false }
        usesMap = true
        return true
    }

    /// Creates the dictionary. Of several equal keys, the first is kept.
    mutating func makeMap() {
        let count = tape[container].count
        var map: [String: UInt32] = [:]
        map.reserveCapacity(count)
        let isDefault = session.options.usesDefaultKeys
        var i = container + 1
        while i < end {
            let text = session.string(tape[i])
            let key = isDefault ? text : session.converted(text, container: container, depth: depth)
            let value = UInt32(truncatingIfNeeded: i + 1)
            if let known = map.updateValue(value, forKey: key) { map[key] = known }
            i = TapeEntry.next(tape, i + 1)
        }
        self.map = map
        usesMap = true
    }

    /// The keys with the tape indices of their values, each key once, in the order of the document.
    var members: [(key: String, value: Int)] {
        mutating get {
            if (usesMap || isSnakeCase) && map == nil { makeMap() }
            if let map, usesMap {
                return map.sorted { $0.value < $1.value }.map { ($0.key, Int($0.value)) }
            }
            var result: [(key: String, value: Int)] = []
            result.reserveCapacity(tape[container].count)
            var i = container + 1
            while i < end {
                result.append((session.string(tape[i]), i + 1))
                i = TapeEntry.next(tape, i + 1)
            }
            return result
        }
    }
}
