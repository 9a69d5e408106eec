/// A set of ASCII characters, as two words of bits: looked at once per byte of every request.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String, and other: ByteSet? = nil) {
        if let other { (low, high) = (other.low, other.high) }
        for byte in characters.utf8 where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case ..<64: low >> UInt64(byte) & 1 == 1
        case ..<128: high >> UInt64(byte - 64) & 1 == 1
        default: false
        }
    }
}

extension ByteSet {
    private static let alphanumerics = ByteSet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// RFC 3986 §2.3.
    static let unreserved = ByteSet("-._~", and: alphanumerics)
    /// pchar and `/` of RFC 3986 §3.3, with the percent sign, which is looked at elsewhere.
    static let path = ByteSet("!$&'()*+,;=:@/%", and: unreserved)
    /// RFC 3986 §3.4, with the percent sign.
    static let query = ByteSet("?", and: path)
    /// What the WHATWG URL standard's form serializer leaves as it is (§1.3).
    static let form = ByteSet("*-._", and: alphanumerics)
    /// RFC 9110 §5.6.2.
    static let token = ByteSet("!#$%&'*+-.^_`|~", and: alphanumerics)
    /// What a multipart boundary may be made of but for the space (RFC 2046 §5.1.1).
    static let boundary = ByteSet("'()+_,-./:=?", and: alphanumerics)
}

extension StringProtocol {
    /// Runs `body` on the UTF-8 of this text, which is copied only where it is not stored so.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        return try Array(utf8).withUnsafeBufferPointer(body)
    }

    func consists(of set: ByteSet) -> Bool {
        withBytes { bytes in
            for byte in bytes where !set.contains(byte) { return false }
            return true
        }
    }
}
