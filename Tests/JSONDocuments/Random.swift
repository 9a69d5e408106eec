// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A generator whose numbers depend on its seed only (SplitMix64).
public struct Random: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// A number from 0 to below `bound`.
    public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

    public mutating func pick<T>(_ values: [T]) -> T { values[below(values.count)] }

    public mutating func uuid() -> uuid_t {
        let (a, b) = (next(), next())
        return withUnsafeBytes(of: (a, b)) { $0.loadUnaligned(as: uuid_t.self) }
    }
}
