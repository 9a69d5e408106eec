/// Keys that were converted, kept for later calls: at most 259, each of at most 64 bytes. Another key replaces one of them.
struct ConvertedKeys {
    private static let maximumBytes = 64
    private static let homes = 256
    /// The number of slots in which a key may be, beginning at its home.
    private static let probes = 4
    /// Empty before the first key.
    private var slots: [(key: String, converted: String)?] = []

    /// The converted key.
    ///
    /// - Parameter convert: Called if it is not known.
    mutating func value(of key: String, _ convert: () -> String) -> String {
        let home = Self.home(of: key)
        return find(home) { $0 == key } ?? add(key, home, convert())
    }

    /// The converted key of the program, such as the name of a case. It is known by the two words of the string, which are the same each time for a
    /// literal and for a short string; another one is converted again.
    ///
    /// - Parameter convert: Called if it is not known.
    @inline(__always)
    mutating func value(ofLiteral key: String, _ convert: () -> String) -> String {
        #if _pointerBitWidth(_64)
            let words = unsafeBitCast(key, to: StringLayout.Words.self)
            let hash = (words.low ^ words.high &* 0xD6E8_FEB8_6659_FD93) &* 0x9E37_79B9_7F4A_7C15
            let home = Int(truncatingIfNeeded: hash >> 56)
            // A key in a slot is retained, so that no other string has its address.
            return find(home) { unsafeBitCast($0, to: StringLayout.Words.self) == words } ?? add(key, home, convert())
        #else
            return value(of: key, convert)
        #endif
    }

    @inline(__always)
    private func find(_ home: Int, _ isSame: (String) -> Bool) -> String? {
        guard !slots.isEmpty else { return nil }
        return slots.withUnsafeBufferPointer { slots in
            for i in home..<home &+ Self.probes {
                guard let slot = slots[i] else { return nil }
                if isSame(slot.key) { return slot.converted }
            }
            return nil
        }
    }

    @inline(never)
    private mutating func add(_ key: String, _ home: Int, _ converted: String) -> String {
        guard key.utf8.count <= Self.maximumBytes else { return converted }
        if slots.isEmpty { slots = Array(repeating: nil, count: Self.homes + Self.probes - 1) }
        slots[(home..<home + Self.probes).first { slots[$0] == nil } ?? home] = (key, converted)
        return converted
    }

    private static func home(of key: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in key.utf8.prefix(maximumBytes) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & UInt64(homes - 1))
    }
}
