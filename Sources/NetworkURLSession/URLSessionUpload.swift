import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// The body of a request as a task of `URLSession` sends it: bytes in memory, a file, which is read while it is sent, or bytes that are produced
/// while they are sent.
///
/// Where `URLSession` cannot send a body while it is produced, which is the case on Linux, it is written to a private temporary file first if it has
/// more than 256 KiB, so that it is not held in memory. The file is removed with this object.
final class URLSessionUpload: Sendable {
    enum Source: Sendable {
        case data(Data)
        case file(URL)
        /// A body that is produced while it is sent.
        case produced(NetworkBody)
    }

    /// The number of bytes of a produced body that stay in memory.
    private static let maximumBytesInMemory = 256 << 10

    let source: Source
    /// The number of bytes; `nil` for a body that is produced until it ends.
    let count: Int64?
    /// Removed with this object.
    private let temporary: TemporaryFile?
    /// Whether a body that can be produced once has been.
    private let isUsed = Locked(false)

    private init(_ source: Source, count: Int64?, temporary: TemporaryFile? = nil) {
        self.source = source
        self.count = count
        self.temporary = temporary
    }

    /// Creates the body of a request from bytes in memory.
    static func inMemory(_ data: Data) -> URLSessionUpload { URLSessionUpload(.data(data), count: Int64(data.count)) }

    /// Prepares the body of a request. One that is neither in memory nor a regular file is read to its end, unless it can be sent while it is
    /// produced and has more than 256 KiB or an unknown length.
    ///
    /// - Parameter producesWhileSending: Whether `URLSession` sends a body while it is produced. Default: what the platform can.
    /// - Throws: ``TransportError/Code/bodyFailed`` if a file cannot be read, a sequence fails or the temporary file cannot be written, or
    ///   ``TransportError/Code/bodyNotReplayable``.
    static func prepare(
        _ body: NetworkBody, of request: NetworkRequest,
        producesWhileSending: Bool = URLSessionUpload.platformProducesWhileSending
    ) async throws(TransportError) -> URLSessionUpload {
        if let data = body.data { return .inMemory(data) }
        // The length of a file is unknown if it cannot be relied on, as in /proc.
        let length = try await body.measuredLength(for: request)
        if case .file(let url) = body.source, let length { return URLSessionUpload(.file(url), count: length) }
        if producesWhileSending, length.map({ $0 > maximumBytesInMemory }) ?? true {
            return URLSessionUpload(.produced(body), count: length)
        }
        do throws(TransportError) {
            return try await read(body.chunksToSend(), length: body.knownLength)
        } catch {
            throw TransportError(like: error, request: request)
        }
    }

    /// Returns the chunks of a body that is produced while it is sent, each time that `URLSession` asks for them.
    ///
    /// - Throws: ``TransportError/Code/bodyNotReplayable`` if they were returned before and can be produced only once.
    func chunks() throws(TransportError) -> NetworkBody {
        guard case .produced(let body) = source else {
            throw TransportError(.bodyFailed, "URLSession asks for a stream of a body that has none")
        }
        let wasUsed = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return isUsed
        }
        guard !wasUsed || body.isReplayable else {
            throw TransportError(.bodyNotReplayable, "URLSession has to send the body again, which can be read only once")
        }
        return body.chunksToSend()
    }

    /// - Parameter length: The number of bytes after which the body is complete, if it is known: the sequence may end later.
    private static func read(_ body: NetworkBody, length: Int64?) async throws(TransportError) -> URLSessionUpload {
        var (start, count) = (Data(), Int64(0))
        var file: TemporaryFile?
        var chunks = body.makeAsyncIterator()
        while count != length, let chunk = try await chunks.next() {
            count += Int64(chunk.count)
            if let file {
                try await file.append(chunk)
            } else if chunk.count <= maximumBytesInMemory - start.count {
                start.append(chunk)
            } else {
                let created = try await TemporaryFile.make()
                try await created.append(start)
                try await created.append(chunk)
                file = created
                start = Data()
            }
        }
        guard let file else { return .inMemory(start) }
        return URLSessionUpload(.file(file.url), count: count, temporary: file)
    }
}

/// A private file (mode 0600) that is removed when it is released.
private final class TemporaryFile: Sendable {
    let url: URL
    private let file: Locked<NewFile>

    private init(_ url: URL, _ file: sending NewFile) {
        self.url = url
        self.file = Locked(file)
    }

    static func make() async throws(TransportError) -> TemporaryFile {
        try await BackgroundThreads.files.value { () throws(TransportError) in
            let url = URL(fileURLWithPath: largeTemporaryFilesFolder, isDirectory: true).appendingPathComponent(
                "swift-data-transfer-\(UUID().uuidString)")
            guard let file = NewFile(url.path) else { throw failure("created", url) }
            return TemporaryFile(url, file)
        }
    }

    /// Writes bytes to the end of the file.
    func append(_ data: Data) async throws(TransportError) {
        try await BackgroundThreads.files.value { () throws(TransportError) in
            let isWritten = self.file.withLock { file in data.withUnsafeBytes { file.descriptor.write($0) } }
            if !isWritten { throw Self.failure("written", self.url) }
        }
    }

    private static func failure(_ step: String, _ url: URL) -> TransportError {
        let error = SystemError.last
        return TransportError(
            .bodyFailed, "the temporary file \(url.path) for the body cannot be \(step): \(error)", causedBy: error)
    }
}
