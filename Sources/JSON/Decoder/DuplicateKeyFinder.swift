/// Checks an object for duplicate keys, in linear time, and without an allocation for objects of up to 64 keys.
///
/// A key's hash depends on its length and its first and last eight bytes. If too many keys collide, as in a document made for it, the result is
/// "maybe", and the keys are looked up in a dictionary, whose hashes are seeded at random.
struct DuplicateKeyFinder {
    /// `generation << 32 | tape index`. A slot of another generation is free.
    private var slots: UnsafeMutablePointer<UInt64>
    private var capacity = 128
    private var generation: UInt64 = 0

    init() {
        slots = .allocate(capacity: capacity)
        slots.initialize(repeating: 0, count: capacity)
    }

    func deallocate() { slots.deallocate() }

    /// Whether keys may repeat in the object whose first key is at `first`. All its keys are ASCII without escapes.
    @inline(__always)
    mutating func mayRepeat(_ session: DecodingSession, first: Int, end: Int, count: Int) -> Bool {
        count > 1 && search(session.tape, session.text, first, end, count)
    }

    @inline(never)
    private mutating func search(
        _ tape: UnsafeMutablePointer<TapeEntry>, _ text: Bytes.Pointer, _ first: Int, _ end: Int, _ count: Int
    ) -> Bool {
        prepare(count)
        let mask = UInt64(truncatingIfNeeded: capacity &- 1)
        let stamp = generation << 32
        var probesLeft = 8 &* count &+ 32
        var key = first
        while key < end {
            let entry = tape[key]
            let start = text + entry.offset
            let length = entry.length
            var slot = Self.hash(start, length) & mask
            while true {
                let other = slots[Int(truncatingIfNeeded: slot)]
                guard other & ~0xFFFF_FFFF == stamp else { break }
                let known = tape[Int(truncatingIfNeeded: other & 0xFFFF_FFFF)]
                if known.payload == entry.payload, Self.equal(text + known.offset, start, length) { return true }
                probesLeft &-= 1
                if probesLeft < 0 { return true }
                slot = (slot &+ 1) & mask
            }
            slots[Int(truncatingIfNeeded: slot)] = stamp | UInt64(truncatingIfNeeded: key)
            let value = tape[key &+ 1]
            key = value.head & 15 >= UInt64(TapeEntry.Kind.array.rawValue) ? value.next : key &+ 2
        }
        return false
    }

    /// Adds a hash.
    ///
    /// - Returns: False if the hash exists already, or if too many hashes collide.
    @inline(__always)
    mutating func insert(_ hash: UInt32, _ probesLeft: inout Int) -> Bool {
        let mask = UInt64(truncatingIfNeeded: capacity &- 1)
        let stamp = generation << 32
        var slot = UInt64(hash) & mask
        while slots[Int(truncatingIfNeeded: slot)] & ~0xFFFF_FFFF == stamp {
            probesLeft &-= 1
            if slots[Int(truncatingIfNeeded: slot)] == stamp | UInt64(hash) || probesLeft < 0 { return false }
            slot = (slot &+ 1) & mask
        }
        slots[Int(truncatingIfNeeded: slot)] = stamp | UInt64(hash)
        return true
    }

    mutating func prepare(_ count: Int) {
        generation &+= 1
        if count &* 2 > capacity || generation > 0xFFFF_FFF0 || capacity > 1 << 16 && count < 1 << 12 {
            slots.deallocate()
            capacity = 128
            while capacity < count * 2 { capacity *= 2 }
            slots = .allocate(capacity: capacity)
            slots.initialize(repeating: 0, count: capacity)
            generation = 1
        }
    }

    @inline(__always)
    private static func hash(_ p: Bytes.Pointer, _ length: Int) -> UInt64 {
        var h: UInt64
        if length < 8 {
            h = Bytes.load8(p) & ((1 &<< UInt64(truncatingIfNeeded: 8 &* length)) &- 1)
        } else {
            h = Bytes.load8(p) ^ (Bytes.load8(p + (length &- 8)) &* 0x9E37_79B9_7F4A_7C15)
        }
        h = (h ^ UInt64(truncatingIfNeeded: length)) &* 0xD6E8_FEB8_6659_FD93
        return h ^ h >> 32
    }

    /// Whether two texts of the same length are the same bytes.
    @inline(__always)
    static func equal(_ a: Bytes.Pointer, _ b: Bytes.Pointer, _ length: Int) -> Bool {
        var i = 0
        while i &+ 8 <= length {
            if Bytes.load8(a + i) != Bytes.load8(b + i) { return false }
            i &+= 8
        }
        let rest = (Bytes.load8(a + i) ^ Bytes.load8(b + i)) & ((1 &<< UInt64(truncatingIfNeeded: 8 &* (length &- i))) &- 1)
        return rest == 0
    }
}
