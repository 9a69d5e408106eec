/// Opens containers, writes keys, commas and formatting, and closes containers.
extension EncodingSession {
    /// Opens a container as the next value.
    ///
    /// - Returns: The container's level; nil if too many are open.
    @inline(__always)
    func open(object: Bool, value: UInt32) -> Int? {
        let level = storage.pointee.depth
        if level >= NestingLimit.maximumDepth || !storage.pointee.bounds.hasRoom() { return refuseContainer(level) }
        levels[level] = EncodingLevel(
            serial: nextSerial(), value: value, isObject: object, count: 0, firstHash: storage.pointee.hashes.count,
            firstMember: storage.pointee.members.count, keyType: nil, key: nil, keptKey: -1)
        storage.pointee.depth = level &+ 1
        storage.pointee.fresh = 0
        storage.pointee.out.reserve(8)
        storage.pointee.out.put(object ? 0x7B : 0x5B)
        return level
    }

    /// Closes containers until `depth` are open.
    @inline(__always)
    func close(to depth: Int) {
        if storage.pointee.pending != 0 { writePending() }
        while storage.pointee.depth > depth {
            let level = storage.pointee.depth &- 1
            if storage.pointee.isPlain {
                if levels[level].isObject { storage.pointee.hashes.drop(to: levels[level].firstHash, levels[level].count) }
            } else {
                closeFormatted(level)
            }
            storage.pointee.out.reserve(8)
            storage.pointee.out.put(levels[level].isObject ? 0x7D : 0x5D)
            storage.pointee.depth = level
        }
    }

    /// Begins a member: closes open containers inside the object, and writes comma, key and colon.
    ///
    /// - Returns: False if the object is closed or has the key already; the call is then abandoned.
    /// - Throws: ``NestingError``, as ``invalid()``.
    @inline(__always)
    func member(_ key: String, _ level: Int, _ serial: UInt32) throws(NestingError) -> Bool {
        guard level < storage.pointee.depth, levels[level].serial == serial else { return try invalid() }
        close(to: level &+ 1)
        storage.pointee.fresh = 0
        #if _pointerBitWidth(_64)
            if storage.pointee.isPlain {
                let words = unsafeBitCast(key, to: StringLayout.Words.self)
                if words.high >> 60 == StringLayout.asciiTag >> 4, StringLayout.isKnown {
                    guard storage.pointee.hashes.insert(KeyHashes.hash(words), first: levels[level].firstHash) else {
                        return try invalid()
                    }
                    storage.pointee.out.reserve(32)
                    if levels[level].count > 0 { storage.pointee.out.put(0x2C) }
                    levels[level].count &+= 1
                    if !storage.pointee.out.appendShort(key, slashes: storage.pointee.escapesSlashes) {
                        storage.pointee.out.appendString(key, slashes: storage.pointee.escapesSlashes)
                    }
                    storage.pointee.out.reserve(1)
                    storage.pointee.out.put(0x3A)
                    return true
                }
            }
        #endif
        return try longMember(key, level)
    }

    @inline(never)
    private func longMember(_ key: String, _ level: Int) throws(NestingError) -> Bool {
        guard storage.pointee.hashes.insert(KeyHashes.hash(of: key), first: levels[level].firstHash) else { return try invalid() }
        guard storage.pointee.isPlain else {
            writeKey(key, level)
            return true
        }
        storage.pointee.out.reserve(8)
        if levels[level].count > 0 { storage.pointee.out.put(0x2C) }
        levels[level].count &+= 1
        storage.pointee.out.appendString(key, slashes: storage.pointee.escapesSlashes)
        storage.pointee.out.reserve(1)
        storage.pointee.out.put(0x3A)
        return true
    }

    /// Writes comma, key and colon in the format that is set.
    func writeKey(_ key: String, _ level: Int) {
        separate(level)
        if options.sortsKeys {
            storage.pointee.members.append(SortedMember(key: key, start: storage.pointee.out.count, end: 0))
        }
        storage.pointee.out.appendString(key, slashes: storage.pointee.escapesSlashes)
        storage.pointee.out.append(options.isPretty ? " : " : ":")
    }

    /// Begins an element: closes open containers inside the array, and writes the comma.
    ///
    /// - Returns: False if the array is closed; the call is then abandoned.
    /// - Throws: ``NestingError``, as ``invalid()``.
    @inline(__always)
    func element(_ level: Int, _ serial: UInt32) throws(NestingError) -> Bool {
        guard level < storage.pointee.depth, levels[level].serial == serial else { return try invalid() }
        close(to: level &+ 1)
        storage.pointee.fresh = 0
        if storage.pointee.isPlain {
            if levels[level].count > 0 {
                storage.pointee.out.reserve(1)
                storage.pointee.out.put(0x2C)
            }
            levels[level].count &+= 1
        } else {
            separate(level)
        }
        return true
    }

    /// Writes an empty object for a super encoder that was not used.
    @inline(never)
    private func writePending() {
        let isUnused = storage.pointee.fresh == storage.pointee.pending && storage.pointee.out.count == storage.pointee.freshStart
        storage.pointee.pending = 0
        if isUnused {
            storage.pointee.fresh = 0
            writeNothing()
        }
    }

    /// Abandons the call because a container or value cannot be written to any more.
    ///
    /// - Throws: ``NestingError`` if the call was abandoned for that reason, so that no more values are encoded.
    @inline(never)
    func invalid() throws(NestingError) -> Bool {
        abandon()
        if let reason = storage.pointee.tooDeep { throw reason }
        return false
    }

    /// Removes a member or element whose value failed to encode from the text.
    @inline(never)
    func rollBack(to mark: Int, _ level: Int, _ serial: UInt32, key: String?) {
        guard level < storage.pointee.depth, levels[level].serial == serial else { return }
        while storage.pointee.depth > level + 1 {
            let inner = storage.pointee.depth - 1
            if levels[inner].isObject { storage.pointee.hashes.drop(to: levels[inner].firstHash, levels[inner].count) }
            if storage.pointee.members.count > levels[inner].firstMember {
                storage.pointee.members.removeLast(storage.pointee.members.count - levels[inner].firstMember)
            }
            storage.pointee.depth = inner
        }
        storage.pointee.fresh = 0
        storage.pointee.pending = 0
        storage.pointee.out.count = mark
        levels[level].count -= 1
        if let key {
            storage.pointee.hashes.removeLast(KeyHashes.hash(of: key), first: levels[level].firstHash)
            if options.sortsKeys { storage.pointee.members.removeLast() }
        }
    }
}

/// Indentation and sorted keys.
extension EncodingSession {
    /// Writes the comma before a member or element that is not the first, and the line's indentation.
    func separate(_ level: Int) {
        let isFirst = levels[level].count == 0
        if !isFirst, options.sortsKeys, levels[level].isObject { endMember() }
        if !isFirst { storage.pointee.out.append(",") }
        levels[level].count += 1
        if options.isPretty { newLine(level + 1) }
    }

    func newLine(_ indentation: Int) {
        storage.pointee.out.reserve(2 * indentation + 8)
        storage.pointee.out.put(0x0A)
        for _ in 0..<(2 * indentation) { storage.pointee.out.put(0x20) }
    }

    private func endMember() {
        storage.pointee.members[storage.pointee.members.count - 1].end = storage.pointee.out.count
    }

    /// Writes the text before the closing bracket: sorted members, and indentation.
    @inline(never)
    func closeFormatted(_ level: Int) {
        let container = levels[level]
        if container.isObject {
            storage.pointee.hashes.drop(to: container.firstHash, container.count)
            if options.sortsKeys, container.count > 0 {
                endMember()
                sort(container.firstMember, level)
            }
        }
        if options.isPretty {
            // Foundation writes an empty line into an empty container.
            if container.count == 0 { storage.pointee.out.append("\n") }
            newLine(level)
        }
    }

    /// Sorts the members of an object by the UTF-8 of their keys.
    private func sort(_ first: Int, _ level: Int) {
        let members = storage.pointee.members[first...]
        storage.pointee.members.removeLast(members.count)
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        if zip(members, sorted).allSatisfy({ $0.start == $1.start }) { return }
        let start = members.first!.start
        let text = Array(UnsafeBufferPointer(start: storage.pointee.out.start + start, count: storage.pointee.out.count - start))
        storage.pointee.out.count = start
        for (i, member) in sorted.enumerated() {
            if i > 0 {
                storage.pointee.out.append(",")
                if options.isPretty { newLine(level + 1) }
            }
            text[(member.start - start)..<(member.end - start)].withUnsafeBufferPointer { storage.pointee.out.append($0) }
        }
    }
}

/// Arrays, and dictionaries with string keys, written without a container.
extension EncodingSession {
    /// Writes elements in a loop.
    @inline(__always)
    func array<Element>(_ elements: [Element], _ write: (Element) throws -> Void) throws {
        guard let level = open(object: false, value: 0) else { return abandon() }
        let serial = levels[level].serial
        try elements.withUnsafeBufferPointer { elements in
            for i in 0..<elements.count {
                guard try element(level, serial) else { return }
                try write(elements[i])
            }
        }
        close(to: level)
    }

    /// Writes members in a loop, without a check for duplicate keys, which a dictionary cannot have.
    @inline(__always)
    func dictionary<Value>(_ members: [String: Value], _ write: (String, Value) throws -> Void) rethrows {
        guard let level = open(object: true, value: 0) else { return abandon() }
        let serial = levels[level].serial
        for (key, value) in members {
            guard level < storage.pointee.depth, levels[level].serial == serial else { return abandon() }
            close(to: level &+ 1)
            if storage.pointee.isPlain {
                storage.pointee.out.reserve(8)
                if levels[level].count > 0 { storage.pointee.out.put(0x2C) }
                levels[level].count &+= 1
                storage.pointee.out.appendString(key, slashes: storage.pointee.escapesSlashes)
                storage.pointee.out.reserve(1)
                storage.pointee.out.put(0x3A)
            } else {
                writeKey(key, level)
            }
            try write(key, value)
        }
        close(to: level)
    }
}

/// An array or dictionary that is encoded in a loop, without creating a container.
protocol DirectlyEncodable {
    func write(_ session: EncodingSession) throws
}

extension Array: DirectlyEncodable where Element: Encodable {
    func write(_ session: EncodingSession) throws {
        guard let level = session.open(object: false, value: 0) else { return session.abandon() }
        let serial = session.levels[level].serial
        for value in self {
            guard try session.element(level, serial) else { return }
            if try !session.encode(value) { session.writeNothing() }
        }
        session.close(to: level)
    }
}

extension Dictionary: DirectlyEncodable where Key == String, Value: Encodable {
    func write(_ session: EncodingSession) throws {
        let type: any CodingKey.Type = session.options.usesDefaultKeys ? DictionaryKey.self : JSONKey.self
        let level = session.depth
        try session.dictionary(self) { key, value in
            try Swift.withUnsafePointer(to: key) { pointer in
                session.levels[level].keyType = type
                session.levels[level].key = UnsafeRawPointer(pointer)
                defer { session.levels[level].key = nil }
                if try !session.encode(value) { session.writeNothing() }
            }
        }
    }
}
