/// A check of the nesting and the number of values in a binary property list.
///
/// Its objects are stored in a table, and containers refer to them by number. So a container can contain itself, and forty arrays that each
/// contain the next one twice are a document of 2^40 values in 300 bytes.
struct BinaryPropertyList {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let root: Int
    private let table: Int
    private let maximumDepth: Int

    /// Reads the trailer, which is the last 32 bytes of the document.
    ///
    /// - Throws: ``PropertyListError/malformed(_:)`` if the trailer is invalid.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) throws(PropertyListError) {
        let trailer = bytes.count - 32
        guard trailer >= 8 else { throw Self.malformed }
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, at: trailer + 8, size: 8), let root = Self.number(bytes, at: trailer + 16, size: 8),
            let table = Self.number(bytes, at: trailer + 24, size: 8), root < count, table < trailer,
            count <= (trailer - table) / offsetSize
        else { throw Self.malformed }
        self.count = count
        self.root = root
        self.table = table
    }

    private static let malformed = PropertyListError.malformed("the binary property list is malformed")

    /// A container that is being traversed.
    private struct Level {
        var object: Int
        /// The position of its next reference.
        var next: Int
        var end: Int
        /// The number of values visited in it so far, including itself.
        var values = 1
        /// The number of nested container levels, including itself.
        var height = 1
    }

    /// The result for an object that has been visited.
    private struct Known {
        /// The number of values; 0 if the object has not been visited yet, -1 while it is being traversed.
        var values: Int32 = 0
        var height: Int32 = 0
    }

    /// Traverses the objects from the root, each of them once.
    ///
    /// - Throws: ``PropertyListError/tooDeep(maximumDepth:)`` or ``PropertyListError/malformed(_:)``.
    func check() throws(PropertyListError) {
        var known = [Known](repeating: Known(), count: count)
        guard let first = try references(of: root) else { return }
        var levels = [Level(object: root, next: first.lowerBound, end: first.upperBound)]
        known[root].values = -1
        while var level = levels.popLast() {
            guard level.next < level.end else {
                known[level.object] = Known(values: Int32(level.values), height: Int32(level.height))
                if let parent = levels.indices.last { try add(known[level.object], to: &levels[parent], at: parent) }
                continue
            }
            guard let object = Self.number(bytes, at: level.next, size: referenceSize), object < count else {
                throw .malformed("the property list refers to a value that it does not have")
            }
            level.next += referenceSize
            if known[object].values < 0 { throw .malformed("the property list has a value that contains itself") }
            if known[object].values == 0 {
                if let range = try references(of: object) {
                    known[object].values = -1
                    levels.append(level)
                    levels.append(Level(object: object, next: range.lowerBound, end: range.upperBound))
                    try check(depth: levels.count)
                    continue
                }
                known[object].values = 1
            }
            try add(known[object], to: &level, at: levels.count)
            levels.append(level)
        }
    }

    /// Adds the counts of a contained object to those of its container.
    ///
    /// - Parameter place: The number of levels above the container.
    private func add(_ known: Known, to level: inout Level, at place: Int) throws(PropertyListError) {
        level.values += Int(known.values)
        guard level.values <= PropertyListCheck.maximumValues else {
            throw .malformed("the property list has more than \(PropertyListCheck.maximumValues) values")
        }
        level.height = max(level.height, Int(known.height) + 1)
        try check(depth: place + level.height)
    }

    private func check(depth: Int) throws(PropertyListError) {
        guard depth <= maximumDepth else { throw .tooDeep(maximumDepth: maximumDepth) }
    }

    /// Returns the position of a container's references; `nil` for other objects.
    private func references(of object: Int) throws(PropertyListError) -> Range<Int>? {
        guard let offset = Self.number(bytes, at: table + object * offsetSize, size: offsetSize), offset < bytes.count else {
            throw Self.malformed
        }
        let perItem: Int
        switch bytes[offset] >> 4 {
        case 0xA, 0xB, 0xC: perItem = 1
        case 0xD: perItem = 2
        default: return nil
        }
        var start = offset + 1
        var items = Int(bytes[offset] & 0xF)
        if items == 0xF {
            guard start < bytes.count, bytes[start] >> 4 == 1, bytes[start] & 0xF <= 3 else { throw Self.malformed }
            let size = 1 << Int(bytes[start] & 0xF)
            guard let count = Self.number(bytes, at: start + 1, size: size) else { throw Self.malformed }
            items = count
            start += 1 + size
        }
        guard start <= bytes.count, items <= (bytes.count - start) / (perItem * referenceSize) else { throw Self.malformed }
        return start..<start + items * perItem * referenceSize
    }

    /// Returns a big-endian number; `nil` beyond the end of the document, and if it does not fit in an `Int`.
    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, size: Int) -> Int? {
        guard start >= 0, start <= bytes.count - size else { return nil }
        var number: UInt64 = 0
        for offset in 0..<size { number = number << 8 | UInt64(bytes[start + offset]) }
        return Int(exactly: number)
    }
}
