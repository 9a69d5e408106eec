/// Looks up keys.
extension KeyedState {
    /// The tape index of the value for `key`, or -1.
    @inline(__always)
    mutating func find(_ key: String) -> Int {
        #if _pointerBitWidth(_64)
            if !usesMap && knowsLayout && !isSnakeCase {
                let words = unsafeBitCast(key, to: StringLayout.Words.self)
                if words.high >> 60 == StringLayout.asciiTag >> 4 { return findShort(words) }
            }
        #endif
        return findLong(key)
    }

    #if _pointerBitWidth(_64)
        /// Looks for a key of at most 15 ASCII bytes: two words per comparison.
        @inline(__always)
        private mutating func findShort(_ words: StringLayout.Words) -> Int {
            let count = words.high >> 56 & 15
            let high = words.high & 0x00FF_FFFF_FFFF_FFFF
            let (tape, text, end) = (tape, text, end)
            let ask = asked
            asked &+= 1
            let guess = predicted(ask, count)
            if guess >= 0, StringLayout.mask(text + tape[guess].offset, Int(truncatingIfNeeded: count)) == (words.low, high) {
                cursor = guess
                return guess &+ 1
            }
            if count <= 8 {
                let mask = count == 8 ? ~0 : (1 &<< (8 &* count)) &- 1
                var i = cursor
                while i < end {
                    let entry = tape[i]
                    if entry.payload == count, Bytes.load8(text + entry.offset) & mask == words.low {
                        cursor = i
                        predict(ask, i)
                        return i &+ 1
                    }
                    i = TapeEntry.next(tape, i &+ 1)
                    steps &+= 1
                }
            } else {
                let mask = (1 &<< (8 &* (count &- 8))) &- 1 as UInt64
                var i = cursor
                while i < end {
                    let entry = tape[i]
                    if entry.payload == count {
                        let p = text + entry.offset
                        if Bytes.load8(p) == words.low, Bytes.load8(p + 8) & mask == high {
                            cursor = i
                            predict(ask, i)
                            return i &+ 1
                        }
                    }
                    i = TapeEntry.next(tape, i &+ 1)
                    steps &+= 1
                }
            }
            return wrap(words, count, high, ask)
        }

        /// Looks for a key before the last match.
        @inline(never)
        private mutating func wrap(_ words: StringLayout.Words, _ count: UInt64, _ high: UInt64, _ ask: Int) -> Int {
            if steps > 4096, shouldUseMap() { return findLong(unsafeBitCast(words, to: String.self)) }
            var i = container &+ 1
            while i < cursor {
                let entry = tape[i]
                if entry.payload == count, StringLayout.mask(text + entry.offset, Int(count)) == (words.low, high) {
                    cursor = i
                    predict(ask, i)
                    return i &+ 1
                }
                i = TapeEntry.next(tape, i &+ 1)
                steps &+= 1
            }
            return -1
        }
    #endif

    /// Looks for a key of any length.
    @inline(never)
    private mutating func findLong(_ key: String) -> Int {
        if !usesMap {
            var copy = key
            let found = copy.withUTF8 { isSnakeCase ? findSnakeCase($0) : findBytes($0) }
            if let found { return found }
            usesMap = true
        }
        if map == nil { makeMap() }
        guard let value = map![key] else { return -1 }
        return Int(value)
    }

    /// Looks for a key among keys in plain snake case; nil if a dictionary is needed.
    private mutating func findSnakeCase(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
        let ask = asked
        asked &+= 1
        if ask < Self.predictionCount {
            let guess = container &+ Int(predictions[ask])
            if guess < end, tape[guess].head & 0xFFFF0F == keyHead,
                SnakeCaseKeys.matches(text + tape[guess].offset, tape[guess].length, key)
            {
                cursor = guess
                return guess &+ 1
            }
        }
        for byte in key where byte >= 0x80 { return nil }
        if steps > 4096, shouldUseMap() { return nil }
        for (first, last) in [(cursor, end), (container + 1, cursor)] {
            var i = first
            while i < last {
                if SnakeCaseKeys.matches(text + tape[i].offset, tape[i].length, key) {
                    cursor = i
                    predict(ask, i)
                    return i + 1
                }
                i = TapeEntry.next(tape, i + 1)
                steps &+= 1
            }
        }
        return -1
    }

    /// Looks for a key by its bytes; nil if a dictionary is needed.
    private mutating func findBytes(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
        let count = key.count
        let ask = asked
        asked &+= 1
        let guess = predicted(ask, UInt64(truncatingIfNeeded: count))
        if guess >= 0, count > 0, equal(text + tape[guess].offset, key.baseAddress.unsafelyUnwrapped, count) {
            cursor = guess
            return guess &+ 1
        }
        for byte in key where byte >= 0x80 { return nil }
        if steps > 4096, shouldUseMap() { return nil }
        for (first, last) in [(cursor, end), (container + 1, cursor)] {
            var i = first
            while i < last {
                let entry = tape[i]
                if entry.length == count, count == 0 || equal(text + entry.offset, key.baseAddress!, count) {
                    cursor = i
                    predict(ask, i)
                    return i + 1
                }
                i = TapeEntry.next(tape, i + 1)
                steps &+= 1
            }
        }
        return -1
    }

    @inline(__always)
    private func equal(_ a: Bytes.Pointer, _ b: Bytes.Pointer, _ count: Int) -> Bool {
        var i = 0
        while i &+ 8 <= count {
            if Bytes.load8(a + i) != Bytes.load8(b + i) { return false }
            i &+= 8
        }
        while i < count {
            if a[i] != b[i] { return false }
            i &+= 1
        }
        return true
    }

    /// The tape index of the key that the same lookup found in the previous object, if there is a key of this length here; otherwise -1.
    @inline(__always)
    private func predicted(_ ask: Int, _ length: UInt64) -> Int {
        guard ask < Self.predictionCount else { return -1 }
        let i = container &+ Int(predictions[ask])
        guard i < end, tape[i].head & 0xFFFF0F == keyHead, tape[i].payload == length else { return -1 }
        return i
    }

    @inline(__always)
    private func predict(_ ask: Int, _ i: Int) {
        if ask < Self.predictionCount { predictions[ask] = UInt32(truncatingIfNeeded: i &- container) }
    }
}
