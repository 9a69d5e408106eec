import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The open file whose bytes are uploaded. It is read on background threads for blocking work.
final class UploadSource: Sendable {
    /// The size of one read, in bytes.
    private static let pieceBytes: Int64 = 256 << 10

    let url: URL
    let identity: FileIdentity
    private let descriptor: FileDescriptor
    /// The position after the last byte that was passed to a session manager in a request of the upload.
    private let handedOver = Locked<Int64>(0)

    /// Opens a file and identifies its content. May block.
    init(_ url: URL) throws(UploadFailure) {
        let opened: RegularFile
        do throws(RegularFile.Failure) {
            opened = try RegularFile(url)
        } catch {
            throw UploadFailure(.fileUnreadable, "the file \(error.reason)", url: url, systemError: error.error?.number)
        }
        let descriptor = opened.descriptor
        guard let length = opened.length else {
            throw UploadFailure(.fileUnreadable, "the file has another length than its file system states", url: url)
        }
        let edge = FileIdentity.fingerprintBytes
        var hash = SHA256()
        for start in [0, max(edge, length - edge)] where start < length {
            try Self.hash(descriptor, start..<min(start + edge, length), into: &hash, url)
        }
        self.url = url
        self.descriptor = descriptor
        identity = FileIdentity(
            length: length, modified: opened.modified.nanoseconds, fingerprint: hash.finalized().hexadecimal)
    }

    var length: Int64 { identity.length }

    /// The position after the last byte that the server can have received.
    var sentEnd: Int64 { handedOver.withLock { $0 } }

    /// Records that the server can have the bytes before a position.
    func noteSent(_ end: Int64) {
        handedOver.withLock { $0 = max($0, end) }
    }

    /// Records that a new upload has no bytes.
    func beginUpload() {
        handedOver.withLock { $0 = 0 }
    }

    /// Throws if the file has been written to, shortened or extended since it was opened.
    func checkUnchanged() throws(UploadFailure) {
        guard let status = descriptor.status else {
            throw UploadFailure(.fileUnreadable, "its status cannot be read", url: url, .last)
        }
        guard Int64(status.st_size) == length, status.modification.nanoseconds == identity.modified else {
            throw UploadFailure(.fileChanged, "the file has changed during the upload", url: url)
        }
    }

    /// Returns a part of the file as a body that is read while it is sent, again for each attempt.
    func body(_ range: Range<Int64>) -> EndpointBody {
        let stream = ContentStream(length: range.upperBound - range.lowerBound, isReplayable: true) { [self] sink in
            var position = range.lowerBound
            while position < range.upperBound {
                let piece = try await piece(position..<min(position + Self.pieceBytes, range.upperBound))
                position += Int64(piece.count)
                noteSent(position)
                try await sink(piece)
            }
        }
        return EndpointBody(contentType: nil, content: NetworkBody(source: .stream(stream)))
    }

    private func piece(_ range: Range<Int64>) async throws(UploadFailure) -> Data {
        try await BackgroundThreads.files.value { () throws(UploadFailure) in
            var bytes = Data(count: Int(range.upperBound - range.lowerBound))
            guard let count = bytes.withUnsafeMutableBytes({ self.descriptor.read(into: $0, at: range.lowerBound) }) else {
                throw UploadFailure(.fileUnreadable, "the file cannot be read", url: self.url, .last)
            }
            guard count == bytes.count else {
                throw UploadFailure(.fileChanged, "the file became shorter while it was read", url: self.url)
            }
            return bytes
        }
    }

    /// Returns the digest of a part of the file. Ends early with an unspecified value if the task is cancelled.
    func digest<Hash: MessageDigest>(_ range: Range<Int64>, _ kind: Hash.Type) async throws(UploadFailure) -> [UInt8] {
        var hash = Hash()
        var position = range.lowerBound
        while position < range.upperBound, !Task.isCancelled {
            let piece = try await piece(position..<min(position + Self.pieceBytes, range.upperBound))
            piece.withUnsafeBytes { hash.update($0) }
            position += Int64(piece.count)
        }
        return hash.finalized()
    }

    private static func hash(
        _ descriptor: FileDescriptor, _ range: Range<Int64>, into hash: inout SHA256, _ url: URL
    ) throws(UploadFailure) {
        var bytes = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
        guard let count = bytes.withUnsafeMutableBytes({ descriptor.read(into: $0, at: range.lowerBound) }) else {
            throw UploadFailure(.fileUnreadable, "the file cannot be read", url: url, .last)
        }
        guard count == bytes.count else {
            throw UploadFailure(.fileChanged, "the file became shorter while it was read", url: url)
        }
        bytes.withUnsafeBytes { hash.update($0) }
    }
}
