/// A random number generator whose numbers are the same in each run with the same seed (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number in `0..<count`.
    package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    /// Returns `true` in this percentage of the calls.
    package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Returns one of the values, which must not be empty.
    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }
}
