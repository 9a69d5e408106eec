import Endpoints
import Foundation

/// A regular file that is read in pieces.
///
/// It is opened and read on ``BackgroundThreads/files``, since a slow disk may block: neither an event loop nor the pool of async
/// tasks waits for it.
// Sendable although unchecked: it is immutable, and `pread` does not use the file position.
final class BodyFile: @unchecked Sendable {
    /// The size of one read, in bytes.
    static let pieceBytes = 512 << 10

    private let descriptor: Int32
    private let url: URL

    /// Returns the size of a file without opening it. May block. Pipes and devices are errors, since reading them might never
    /// end.
    static func length(of url: URL, for request: NetworkRequest?) throws(TransportError) -> Int64 {
        var status = stat()
        guard url.withUnsafeFileSystemRepresentation({ $0.map { stat($0, &status) } ?? -1 }) == 0 else {
            throw failure(of: url, "cannot be accessed", request, errno)
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            throw failure(of: url, kind == S_IFDIR ? "is a directory" : "is not a regular file", request)
        }
        return Int64(status.st_size)
    }

    static func opened(_ url: URL) async throws(TransportError) -> BodyFile {
        try await BackgroundThreads.files.value { () throws(TransportError) in try BodyFile(url) }
    }

    private init(_ url: URL) throws(TransportError) {
        let opened = url.withUnsafeFileSystemRepresentation { $0.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1 }
        guard opened >= 0 else { throw Self.failure(of: url, "cannot be opened", nil, errno) }
        descriptor = opened
        self.url = url
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Self.failure(of: url, "is no longer a regular file", nil)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Passes the first `length` bytes to `sink`, piece by piece.
    func send(length: Int64, to sink: (Data) async throws -> Void) async throws {
        var offset: Int64 = 0
        while offset < length {
            let piece = try await read(at: offset, count: Int(min(Int64(Self.pieceBytes), length - offset)))
            if piece.isEmpty { throw Self.failure(of: url, "ended after \(offset) of the \(length) bytes it had", nil) }
            try await sink(piece)
            offset += Int64(piece.count)
        }
    }

    private func read(at offset: Int64, count: Int) async throws(TransportError) -> Data {
        try await BackgroundThreads.files.value { () throws(TransportError) in
            // `Data(count:)` would first fill the buffer with zeros.
            guard let buffer = malloc(count) else { throw Self.failure(of: self.url, "cannot be read", nil, ENOMEM) }
            let result = pread(self.descriptor, buffer, count, off_t(offset))
            if result > 0 { return Data(bytesNoCopy: buffer, count: result, deallocator: .free) }
            let number = errno
            free(buffer)
            if result == 0 { return Data() }
            throw Self.failure(of: self.url, "cannot be read", nil, number)
        }
    }

    /// Returns an error that names the file, but not its folder, which may reveal the user's name.
    private static func failure(of url: URL, _ what: String, _ request: NetworkRequest?, _ number: Int32? = nil) -> TransportError
    {
        let reason = number.map { ": \(String(cString: strerror($0)))" } ?? ""
        return TransportError(
            .bodyFailed, "the body's file \"\(url.lastPathComponent.printable)\" \(what)\(reason)", request: request)
    }
}
