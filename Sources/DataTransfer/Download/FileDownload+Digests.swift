import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The SHA-256 of a file from a start position on, which is computed while the file is written.
struct RunningDigest: Sendable {
    let start: Int64
    /// The position up to which bytes have been included.
    private var position: Int64
    private var hash = SHA256()

    init(from start: Int64) {
        self.start = start
        position = start
    }

    /// Includes the bytes if they are the next ones. Otherwise they are ignored, and included by ``catchUp(with:to:isCancelled:)``.
    mutating func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset == position else { return }
        hash.update(bytes)
        position += Int64(bytes.count)
    }

    /// Includes the missing bytes by reading them from the file, which may take long.
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

/// The expected SHA-256 of a file's bytes from a start position on.
struct DigestCheck: Sendable, Hashable {
    var start: Int64
    var expected: [UInt8]
    /// The origin of the expected digest, for error messages.
    var source: String

    /// Returns the digests that a response's header or trailer fields announce (RFC 9530).
    ///
    /// `Content-Digest` is that of the response's body, `Repr-Digest` that of the complete content.
    ///
    /// - Parameter start: The position in the complete content at which the body begins.
    static func announced(in fields: HeaderFields, bodyAt start: Int64) -> [DigestCheck] {
        [("Content-Digest", start), ("Repr-Digest", 0)].compactMap { name, start in
            guard let digest = fields[name].flatMap({ DigestField($0).sha256 }) else { return nil }
            return DigestCheck(start: start, expected: digest, source: "the response's \(name)")
        }
    }
}

// Checking the digests of the file and of the body.
extension FileDownload {
    /// Returns the digests that the response announces.
    ///
    /// - Parameter fields: The fields to search. Default: those of the response's header.
    func announcedChecks(_ stream: DataTransferStream, in fields: HeaderFields? = nil, at start: Int64) -> [DigestCheck] {
        // Digests are those of the bytes as they were sent, but the engine may have undone their content coding.
        stream.headers.isEncoded ? [] : DigestCheck.announced(in: fields ?? stream.headers, bodyAt: start)
    }

    /// Returns the digest of the bytes in the partial file, if one is needed.
    ///
    /// It is computed before the rest is requested, so that the server does not have to wait.
    func digests(
        of partial: PartialFile, for checks: [DigestCheck], upTo length: Int64
    ) async throws(DataTransferError) -> [RunningDigest] {
        guard !checks.isEmpty else { return [] }
        return [try await caughtUp(RunningDigest(from: 0), with: partial.file, to: length, nil)]
    }

    func check(
        _ checks: [DigestCheck], _ digests: [RunningDigest], _ partial: PartialFile, length: Int64, _ stream: DataTransferStream
    ) async throws(DataTransferError) {
        for check in checks {
            let begun = digests.first { $0.start == check.start } ?? RunningDigest(from: check.start)
            let digest = try await caughtUp(begun, with: partial.file, to: length, stream)
            guard digest.bytes == check.expected else {
                throw await failed(
                    FileFailure(
                        .digestMismatch, "its SHA-256 does not match \(check.source)", url: partial.place.url, spoilsFile: true),
                    stream)
            }
        }
    }

    func caughtUp(
        _ digest: RunningDigest, with file: OutputFile, to length: Int64, _ stream: DataTransferStream?
    ) async throws(DataTransferError) -> RunningDigest {
        let isCancelled = Locked(false)
        let result = await withTaskCancellationHandler {
            await Result.from { () throws(FileFailure) in
                try await BlockingWork.run(on: file.url) { () throws(FileFailure) in
                    var digest = digest
                    try digest.catchUp(with: file, to: length) { isCancelled.withLock { $0 } }
                    return digest
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        if isCancelled.withLock({ $0 }) {
            throw .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled while a digest was computed")))
        }
        return try await reporting(stream, result)
    }
}
