import Endpoints
import Foundation
import NetworkFiles

extension NetworkBody {
    /// Returns the number of bytes of the body; `nil` for a stream of unknown length. Examines a file, and so may block.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func length(for request: NetworkRequest?) throws(TransportError) -> Int64? {
        switch source {
        case .data(let text): Int64(text.count)
        case .file(let url): try BodyFile.length(of: url, for: request)
        case .stream(let stream): stream.length
        case .sequence(let sequence): try sequence.length(for: request)
        case .received: nil
        }
    }

    /// Returns the number of bytes of the body; `nil` for a stream of unknown length. Files are examined without blocking the thread of the
    /// task.
    ///
    /// - Parameter request: The request that an error names. Default: none.
    /// - Throws: ``TransportError/Code/bodyFailed``, such as for a file that does not exist.
    public func measuredLength(for request: NetworkRequest? = nil) async throws(TransportError) -> Int64? {
        guard looksAtFiles else { return try length(for: request) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try length(for: request) }
    }

    /// Examines the files of the body, so that a missing one is an error before anything is sent. Does not block the thread of an
    /// async task.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `file`.
    func checkFiles() async throws(RequestGenerationError) {
        guard looksAtFiles else { return }
        try await BackgroundThreads.files.value { () throws(RequestGenerationError) in try checkFiles(part: nil) }
    }

    private func checkFiles(part: String?) throws(RequestGenerationError) {
        switch source {
        case .data, .stream, .received: break
        case .file(let url):
            do throws(TransportError) {
                _ = try BodyFile.length(of: url, for: nil)
            } catch {
                throw RequestGenerationError(.file(url.path), error.named(part).message, underlying: error.underlying)
            }
        case .sequence(let sequence):
            for segment in sequence.segments { try segment.content.checkFiles(part: segment.name) }
        }
    }

    /// Whether the length depends on the size of files.
    var looksAtFiles: Bool {
        switch source {
        case .data, .stream, .received: false
        case .file: true
        case .sequence(let sequence): sequence.looksAtFiles
        }
    }

    /// Passes all bytes to `sink`, which returns when there is room for more.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` or ``TransportError/Code/bodyNotReplayable``.
    func send(length: Int64?, to sink: (Data) async throws -> Void) async throws(TransportError) {
        do {
            switch source {
            case .data(let text): try await sink(text.data)
            case .file(let url): try await BodyFile.opened(url).send(length: length ?? 0, to: sink)
            case .stream(let stream): try await Self.send(stream, to: sink)
            case .sequence(let sequence): try await sequence.send(length: length, to: sink)
            case .received: try await Self.send(received, to: sink)
            }
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(
                .bodyFailed, "the sequence that produces the body failed (\(type(of: error)))", underlying: error)
        }
    }

    private static func send(_ body: ReceivedStream, to sink: (Data) async throws -> Void) async throws {
        guard body.claim() else { throw TransportError.bodyNotReplayable(for: nil) }
        while true {
            switch await Result.from(body.nextChunk) {
            case .success(let chunk?): try await sink(chunk)
            case .success(nil): return
            case .failure(let error):
                throw TransportError(
                    .bodyFailed, "the response whose body is sent failed: \(error.message)", underlying: error)
            }
        }
    }

    private static func send(_ stream: ContentStream, to sink: (Data) async throws -> Void) async throws {
        guard stream.claim() else { throw TransportError.bodyNotReplayable(for: nil) }
        var sent: Int64 = 0
        try await stream.send { chunk in
            sent += Int64(chunk.count)
            if let length = stream.length, sent > length {
                throw TransportError(.bodyFailed, "the body's sequence produced more than the \(length) bytes announced")
            }
            try await sink(chunk)
        }
        if let length = stream.length, sent < length {
            throw TransportError(.bodyFailed, "the body's sequence ended after \(sent) of the \(length) bytes announced")
        }
    }
}

extension TransportError {
    /// Creates a copy of an error, with a request and a phase if it has none.
    init(like error: TransportError, request: NetworkRequest) {
        self = error
        addRequest(request)
        if phase == nil { phase = .send }
    }

    static func bodyTooLarge(_ maximum: Int, _ phase: Phase?) -> TransportError {
        TransportError(.bodyTooLarge, "the body is larger than the limit of \(maximum) bytes", phase: phase)
    }

    static func bodyNotReplayable(for request: NetworkRequest?) -> TransportError {
        TransportError(
            .bodyNotReplayable, "the body must be sent again, but its sequence can be read only once", request: request)
    }
}

extension ContentSequence {
    /// Returns the number of bytes of the body; `nil` if the length of one of its streams is unknown. Examines all files in any
    /// case, so that a missing one is an error before a byte is sent.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func length(for request: NetworkRequest?) throws(TransportError) -> Int64? {
        var total: Int64? = 0
        for length in try lengths(for: request) {
            guard let length, let soFar = total else {
                total = nil
                continue
            }
            let (sum, isTooLarge) = soFar.addingReportingOverflow(length)
            if isTooLarge {
                throw TransportError(.bodyFailed, "the body's length does not fit in 64 bits", request: request)
            }
            total = sum
        }
        return total
    }

    private func measuredLengths() async throws(TransportError) -> [Int64?] {
        guard looksAtFiles else { return try lengths(for: nil) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try lengths(for: nil) }
    }

    /// Whether the length depends on the size of files.
    var looksAtFiles: Bool { segments.contains(where: \.content.looksAtFiles) }

    private func lengths(for request: NetworkRequest?) throws(TransportError) -> [Int64?] {
        var lengths: [Int64?] = []
        for segment in segments {
            do throws(TransportError) {
                lengths.append(try segment.content.length(for: request))
            } catch {
                throw error.named(segment.name)
            }
        }
        return lengths
    }

    /// Passes all bytes to `sink`, which returns when there is room for more.
    ///
    /// - Parameter length: The length that was announced to the server.
    func send(length: Int64?, to sink: (Data) async throws -> Void) async throws {
        // The files may have changed in the meantime; the sizes do not show which of them.
        let lengths = try await measuredLengths()
        let total = lengths.reduce(Int64?.some(0)) { sum, next in
            guard let sum, let next else { return nil }
            return sum &+ next
        }
        guard total == length else {
            throw TransportError(
                .bodyFailed,
                "the body's files have changed: \(length.map(String.init) ?? "unknown") bytes were announced, now there are \(total.map(String.init) ?? "unknown")"
            )
        }
        for (segment, length) in zip(segments, lengths) {
            do throws(TransportError) {
                try await segment.send(length: length, to: sink)
            } catch {
                throw error.named(segment.name)
            }
        }
    }
}

extension ContentSequence.Segment {
    @inline(never)
    fileprivate func send(length: Int64?, to sink: (Data) async throws -> Void) async throws(TransportError) {
        guard let forbidden else { return try await content.send(length: length, to: sink) }
        var search = BytePatternSearch(forbidden)
        try await content.send(length: length) { chunk in
            if search.finds(in: chunk) { throw TransportError(.bodyFailed, "it contains the multipart boundary") }
            try await sink(chunk)
        }
    }
}

extension TransportError {
    /// Returns the error with the name of a part of the body in its message.
    fileprivate func named(_ name: String?) -> TransportError {
        guard let name else { return self }
        var error = TransportError(
            code, "part \"\(name.printable)\": \(message)", phase: phase, engineCode: engineCode, underlying: underlying)
        error.request = request
        return error
    }
}

/// A regular file that is read in pieces.
///
/// It is opened and read on ``BackgroundThreads/files``, since a slow disk may block: neither an event loop nor the pool of async
/// tasks waits for it.
final class BodyFile: Sendable {
    /// The size of one read, in bytes.
    static let pieceBytes = 512 << 10

    private let descriptor: FileDescriptor
    private let url: URL

    /// Returns the size of a file without opening it. May block. Pipes and devices are errors, since reading them might never
    /// end.
    static func length(of url: URL, for request: NetworkRequest?) throws(TransportError) -> Int64 {
        var status = stat()
        guard url.withUnsafeFileSystemRepresentation({ $0.map { stat($0, &status) } ?? -1 }) == 0 else {
            throw failure(of: url, "cannot be accessed", request, .last)
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
        let opened = url.withUnsafeFileSystemRepresentation { path in
            path.flatMap { FileDescriptor.open(String(cString: $0), O_RDONLY, followsLink: true) }
        }
        guard let opened else { throw Self.failure(of: url, "cannot be opened", nil, .last) }
        descriptor = opened
        self.url = url
        guard opened.status?.isRegular == true else { throw Self.failure(of: url, "is no longer a regular file", nil) }
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
            guard let buffer = malloc(count) else { throw Self.failure(of: self.url, "cannot be read", nil, .last) }
            guard let result = self.descriptor.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: count), at: offset)
            else {
                let error = SystemError.last
                free(buffer)
                throw Self.failure(of: self.url, "cannot be read", nil, error)
            }
            return Data(bytesNoCopy: buffer, count: result, deallocator: .free)
        }
    }

    /// Returns an error that names the file, but not its folder, which may reveal the user's name.
    private static func failure(of url: URL, _ what: String, _ request: NetworkRequest?, _ error: SystemError? = nil)
        -> TransportError
    {
        let reason = error.map { ": \($0.message)" } ?? ""
        return TransportError(
            .bodyFailed, "the body's file \"\(url.lastPathComponent.printable)\" \(what)\(reason)", request: request)
    }
}
