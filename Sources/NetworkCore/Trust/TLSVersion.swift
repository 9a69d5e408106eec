/// A version of TLS, as the least that is accepted.
public struct TLSVersion: RawRepresentable, Sendable, Hashable, Comparable {
    /// As in the protocol: 0x0303 for TLS 1.2 (RFC 5246 §6.2.1).
    public var rawValue: UInt16

    /// Makes a version of its number in the protocol. Only those named here can be asked for.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// TLS 1.2 (RFC 5246).
    public static let v1_2 = Self(rawValue: 0x0303)
    /// TLS 1.3 (RFC 8446).
    public static let v1_3 = Self(rawValue: 0x0304)
    /// TLS 1.0: broken, and not to be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its time.
    public static let obsoleteV1_0 = Self(rawValue: 0x0301)
    /// TLS 1.1: broken, and not to be used (RFC 8996). Also allows the weak ciphers, keys and signatures of its time.
    public static let obsoleteV1_1 = Self(rawValue: 0x0302)

    static let known: [TLSVersion] = [.obsoleteV1_0, .obsoleteV1_1, .v1_2, .v1_3]

    /// The older is less.
    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

extension TLSVersion: CustomStringConvertible {
    /// `TLS 1.2`.
    public var description: String {
        Self.known.firstIndex(of: self).map { "TLS 1.\($0)" } ?? "TLS version \(rawValue)"
    }
}
