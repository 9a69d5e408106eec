import Endpoints
import Foundation
import NetworkSupport

extension NetworkBody {
    /// Returns the body with each file replaced by a stream of its bytes that can be sent again, whose length is that of the file.
    ///
    /// So the length that is announced is that of the file that is sent, not of another one that has its name by then. The length of a file is
    /// not known if it cannot be relied on, as in `/proc`; it is then read to its end. Examines files, and so may block.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``, such as for a file that does not exist.
    package func measured(for request: NetworkRequest?) throws(TransportError) -> NetworkBody {
        switch source {
        case .data, .stream, .received: return self
        case .file(let url):
            do throws(TransportError) {
                return NetworkBody(source: .stream(try BodyFile(url).stream), trailers: trailers)
            } catch {
                throw TransportError(error.code, error.message, request: request)
            }
        case .sequence(let sequence):
            return NetworkBody(source: .sequence(try sequence.measured(for: request)), trailers: trailers)
        }
    }

    /// Returns the same without blocking the thread of the task.
    private func measuredInBackground(for request: NetworkRequest?) async throws(TransportError) -> NetworkBody {
        guard looksAtFiles else { return try measured(for: request) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try measured(for: request) }
    }

    /// Returns the number of bytes of the body; `nil` for a stream of unknown length, and for a file whose length only its end shows, such as
    /// those in `/proc`. Files are examined without blocking the thread of the task.
    ///
    /// - Parameter request: The request that an error names. Default: none.
    /// - Throws: ``TransportError/Code/bodyFailed``, such as for a file that does not exist.
    @_spi(SessionManagers) public func measuredLength(for request: NetworkRequest? = nil) async throws(TransportError) -> Int64? {
        try await measuredInBackground(for: request).knownLength
    }

    /// Examines the files of the body, so that a missing one is an error before anything is sent. Does not block the thread of an
    /// async task.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `file`.
    package func checkFiles() async throws(RequestGenerationError) {
        guard looksAtFiles else { return }
        try await BackgroundThreads.files.value { () throws(RequestGenerationError) in try checkFiles(part: nil) }
    }

    private func checkFiles(part: String?) throws(RequestGenerationError) {
        switch source {
        case .data, .stream, .received: break
        case .file(let url):
            do throws(TransportError) {
                _ = try BodyFile(url)
            } catch {
                throw RequestGenerationError(.file(url.path), error.named(part).message, underlying: error.underlying)
            }
        case .sequence(let sequence):
            for segment in sequence.segments { try segment.content.checkFiles(part: segment.name) }
        }
    }

    /// Whether the length depends on the size of files.
    package var looksAtFiles: Bool {
        switch source {
        case .data, .stream, .received: false
        case .file: true
        case .sequence(let sequence): sequence.segments.contains(where: \.content.looksAtFiles)
        }
    }

    /// Passes all bytes to `sink`, which returns when there is room for more. Files are those that were measured, or else measured now.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` or ``TransportError/Code/bodyNotReplayable``.
    func send(to sink: (Data) async throws -> Void) async throws(TransportError) {
        let body = try await measuredInBackground(for: nil)
        do {
            switch body.source {
            case .data(let text): try await sink(text.data)
            case .stream(let stream): try await Self.send(stream, to: sink)
            case .sequence(let sequence): try await sequence.send(to: sink)
            case .file, .received: try await Self.send(received, to: sink)
            }
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.bodyFailed, "the sequence that produces the body failed", causedBy: error)
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
    package init(like error: TransportError, request: NetworkRequest) {
        self = error
        addRequest(request)
        if phase == nil { phase = .send }
    }

    static func bodyTooLarge(_ maximum: Int, _ phase: Phase?) -> TransportError {
        TransportError(.bodyTooLarge, "the body is larger than the limit of \(maximum) bytes", phase: phase)
    }

    package static func bodyNotReplayable(for request: NetworkRequest?) -> TransportError {
        TransportError(
            .bodyNotReplayable, "the body must be sent again, but its sequence can be read only once", request: request)
    }
}

extension ContentSequence {
    /// Returns the sequence with its files replaced by streams of known length. Examines all files in any case, so that a missing one is an error
    /// before a byte is sent.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func measured(for request: NetworkRequest?) throws(TransportError) -> ContentSequence {
        var measured: [Segment] = []
        var total: Int64 = 0
        for segment in segments {
            do throws(TransportError) {
                let content = try segment.content.measured(for: request)
                measured.append(Segment(content, name: segment.name, forbidden: segment.forbidden))
                let (sum, isTooLarge) = total.addingReportingOverflow(content.knownLength ?? 0)
                if isTooLarge { throw TransportError(.bodyFailed, "the body's length does not fit in 64 bits", request: request) }
                total = sum
            } catch {
                throw error.named(segment.name)
            }
        }
        return ContentSequence(measured)
    }

    /// Passes all bytes to `sink`, which returns when there is room for more.
    func send(to sink: (Data) async throws -> Void) async throws(TransportError) {
        for segment in segments {
            do throws(TransportError) {
                try await segment.send(to: sink)
            } catch {
                throw error.named(segment.name)
            }
        }
    }
}

extension ContentSequence.Segment {
    @inline(never)
    fileprivate func send(to sink: (Data) async throws -> Void) async throws(TransportError) {
        guard let forbidden else { return try await content.send(to: sink) }
        var search = BytePatternSearch(forbidden)
        try await content.send { chunk in
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

/// A regular file that was measured, and is read in pieces when it is sent.
///
/// It is open only while it is measured and while it is sent, since many requests may wait in a queue; in between, its identity is kept. It is
/// opened and read on ``BackgroundThreads/files``, since a slow disk may block: neither an event loop nor the pool of async tasks waits for it.
private struct BodyFile {
    /// The size of one read, in bytes.
    private static let pieceBytes = 512 << 10

    private let url: URL
    private let length: Int64?
    private let identity: RegularFile.Identity

    /// Measures a file. May block.
    init(_ url: URL) throws(TransportError) {
        let file = try Self.opened(url)
        self.url = url
        length = file.length
        identity = file.identity
    }

    /// The bytes of the file, from its beginning each time.
    var stream: ContentStream {
        ContentStream(length: length, isReplayable: true) { [self] sink in
            let file = try await BackgroundThreads.files.value { () throws(TransportError) in try reopened() }
            var offset: Int64 = 0
            while offset < length ?? .max {
                let (start, count) = (offset, Int(min(Int64(Self.pieceBytes), (length ?? .max) - offset)))
                let piece = try await BackgroundThreads.files.value { () throws(TransportError) in
                    try Self.naming(url) { () throws(RegularFile.Failure) in try file.read(at: start, count: count) }
                }
                guard !piece.isEmpty else {
                    guard let length else { return }
                    throw Self.failure(of: url, .init("ended after \(offset) of the \(length) bytes it had"))
                }
                try await sink(piece)
                offset += Int64(piece.count)
            }
        }
    }

    private func reopened() throws(TransportError) -> RegularFile {
        let file = try Self.opened(url)
        guard file.identity == identity else {
            throw Self.failure(of: url, .init("was replaced by another one after the request had begun"))
        }
        // What was appended is not sent.
        if let length, let now = file.length, now < length {
            throw Self.failure(of: url, .init("has become shorter: \(length) bytes were announced, and it has \(now)"))
        }
        return file
    }

    private static func opened(_ url: URL) throws(TransportError) -> RegularFile {
        try naming(url) { () throws(RegularFile.Failure) in try RegularFile(url) }
    }

    private static func naming<Value>(_ url: URL, _ work: () throws(RegularFile.Failure) -> Value) throws(TransportError) -> Value
    {
        do throws(RegularFile.Failure) {
            return try work()
        } catch {
            throw failure(of: url, error)
        }
    }

    /// Returns an error that names the file, but not its folder, which may reveal the user's name.
    private static func failure(of url: URL, _ failure: RegularFile.Failure) -> TransportError {
        TransportError(.bodyFailed, "the body's file \"\(url.lastPathComponent.printable)\" \(failure.reason)")
    }
}
