/// A message authentication code (RFC 2104) over a hash function with blocks of 64 bytes.
package enum HMAC<Digest: MessageDigest> {
    /// Returns the code of a message.
    package static func code(of message: some Sequence<UInt8>, key: some Sequence<UInt8>) -> [UInt8] {
        var key = Array(key)
        if key.count > DigestBlocks.byteCount { key = Digest.digest(of: key) }
        key += [UInt8](repeating: 0, count: DigestBlocks.byteCount - key.count)
        let inner = Digest.digest(of: key.map { $0 ^ 0x36 } + Array(message))
        return Digest.digest(of: key.map { $0 ^ 0x5C } + inner)
    }
}
