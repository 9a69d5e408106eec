import Endpoints
import Foundation
import NetworkCore

/// The SHA-256 of a file from some byte on, made while the file is written.
struct RunningDigest: Sendable {
    let start: Int64
    /// Up to where it has come.
    private var position: Int64
    private var hash = SHA256()

    init(from start: Int64) {
        self.start = start
        position = start
    }

    /// Bytes that are not the next ones are left for later.
    mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset == position else { return }
        hash.update(bytes)
        position += Int64(bytes.count)
    }

    /// Reads what is missing. May take long.
    mutating func catchUp(with file: OutputFile, to end: Int64, isCancelled: () -> Bool = { false }) throws(FileFailure) {
        guard position < end else { return }
        var piece = Data(count: 256 << 10)
        while position < end, !isCancelled() {
            let wanted = Int(min(Int64(piece.count), end - position))
            let count = try piece.withMutableBytes { (bytes) throws(FileFailure) in
                try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]), at: position)
            }
            guard count > 0 else { throw FileFailure(.other, "the file became shorter while it was read", url: file.url) }
            piece.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            position += Int64(count)
        }
    }

    var bytes: [UInt8] { hash.finalized() }
}

/// What the bytes of a file from some byte on have to hash to.
struct DigestCheck: Sendable, Hashable {
    var start: Int64
    var expected: [UInt8]
    /// Who says so, for people.
    var source: String

    /// What a response's header or trailer fields announce (RFC 9530): `Content-Digest` of its body, `Repr-Digest` of the whole.
    ///
    /// - Parameter start: Where its body begins in the whole.
    static func announced(in fields: HTTPHeaders, bodyAt start: Int64) -> [DigestCheck] {
        [("Content-Digest", start), ("Repr-Digest", 0)].compactMap { name, start in
            guard let digest = fields[name].flatMap({ DigestField($0).digests["sha-256"] }), digest.count == SHA256.byteCount
            else { return nil }
            return DigestCheck(start: start, expected: Array(digest), source: "the response's \(name)")
        }
    }
}
