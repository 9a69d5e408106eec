import Endpoints
import Foundation

extension RequestContent {
    /// How many bytes it will be; `nil` for a stream that does not know. Looks at a file, and so may block for as long as that takes.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``.
    func length(for request: NetworkRequest?) throws(TransportError) -> Int64? {
        switch source {
        case .data(let data): Int64(data.count)
        case .file(let url): try BodyFile.length(of: url, for: request)
        case .stream(let stream): stream.length
        case .sequence(let sequence): try sequence.length(for: request)
        }
    }

    /// As ``length(for:)``, without blocking the thread of an async task.
    func measuredLength(for request: NetworkRequest?) async throws(TransportError) -> Int64? {
        guard looksAtFiles else { return try length(for: request) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try length(for: request) }
    }

    /// Whether its length is that of files.
    var looksAtFiles: Bool {
        switch source {
        case .data, .stream: false
        case .file: true
        case .sequence(let sequence): sequence.looksAtFiles
        }
    }

    /// Hands all bytes to `sink`, which returns when there is room for more.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed`` or ``TransportError/Code/bodyNotReplayable``.
    func send(length: Int64?, to sink: (Data) async throws -> Void) async throws(TransportError) {
        do {
            switch source {
            case .data(let data): try await sink(data)
            case .file(let url): try await BodyFile.opened(url).send(length: length ?? 0, to: sink)
            case .stream(let stream): try await Self.send(stream, to: sink)
            case .sequence(let sequence): try await sequence.send(length: length, to: sink)
            }
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(.bodyFailed, "the sequence that makes the body failed (\(type(of: error)))", underlying: error)
        }
    }

    private static func send(_ stream: ContentStream, to sink: (Data) async throws -> Void) async throws {
        guard stream.claim() else { throw TransportError.bodyNotReplayable(for: nil) }
        var sent: Int64 = 0
        try await stream.send { chunk in
            sent += Int64(chunk.count)
            if let length = stream.length, sent > length {
                throw TransportError(.bodyFailed, "the body's sequence made more than the \(length) bytes announced")
            }
            try await sink(chunk)
        }
        if let length = stream.length, sent < length {
            throw TransportError(.bodyFailed, "the body's sequence ended after \(sent) of the \(length) bytes announced")
        }
    }

    /// All of it in memory: for session managers that cannot send it any other way, and for test doubles.
    ///
    /// - Parameter maximum: In bytes; 64 MiB unless given.
    /// - Throws: ``TransportError``: ``TransportError/Code/bodyFailed``, ``TransportError/Code/bodyNotReplayable``, or
    ///   ``TransportError/Code/bodyTooLarge``; ``TransportError/Code/cancelled`` when the task is cancelled meanwhile.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> Data {
        if let data { return data }
        var body = Data()
        do throws(TransportError) {
            try await send(length: try await measuredLength(for: nil)) { chunk in
                guard chunk.count <= maximum.clamped(to: 0...Int.max) - body.count else {
                    throw TransportError(
                        .bodyTooLarge, "the request's body is larger than the \(maximum) bytes that fit", phase: .send)
                }
                body.append(chunk)
            }
        } catch  where !Task.isCancelled {
            throw error
        } catch {}
        // A sequence may end early, or fail in its own way, because its task is cancelled.
        if Task.isCancelled { throw TransportError(.cancelled, "the task was cancelled", phase: .send) }
        return body
    }
}

extension TransportError {
    /// The same failure, told of a request.
    init(like error: TransportError, request: NetworkRequest) {
        self = error
        if self.request == nil { self.request = TransportError(error.code, "", request: request).request }
        if phase == nil { phase = .send }
    }

    static func bodyNotReplayable(for request: NetworkRequest?) -> TransportError {
        TransportError(
            .bodyNotReplayable, "the body is needed again, but comes from a sequence that can be read once", request: request)
    }
}

extension ContentSequence {
    /// How many bytes it will be; `nil` when one of its streams does not know. Looks at all files in any case, so that one that is missing
    /// is an error before a byte is sent.
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
                throw TransportError(.bodyFailed, "the body is too large for its length to be told", request: request)
            }
            total = sum
        }
        return total
    }

    private func measuredLengths() async throws(TransportError) -> [Int64?] {
        guard looksAtFiles else { return try lengths(for: nil) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try lengths(for: nil) }
    }

    /// Whether its length is that of files.
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

    /// Hands all bytes to `sink`, which returns when there is room for more.
    ///
    /// - Parameter length: What has been announced.
    func send(length: Int64?, to sink: (Data) async throws -> Void) async throws {
        // The files may have changed since; which of them, nobody knows.
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
    /// The same failure, told of one part of the body.
    fileprivate func named(_ name: String?) -> TransportError {
        guard let name else { return self }
        var error = TransportError(
            code, "part \"\(name.printable)\": \(message)", phase: phase, engineCode: engineCode, underlying: underlying)
        error.request = request
        return error
    }
}
