import Endpoints
import Foundation

extension RequestContent {
    /// Returns the number of bytes of the body; `nil` for a stream of unknown length. Examines a file, and so may block.
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

    /// Returns the result of ``length(for:)`` without blocking the thread of an async task.
    func measuredLength(for request: NetworkRequest?) async throws(TransportError) -> Int64? {
        guard looksAtFiles else { return try length(for: request) }
        return try await BackgroundThreads.files.value { () throws(TransportError) in try length(for: request) }
    }

    /// Whether the length depends on the size of files.
    var looksAtFiles: Bool {
        switch source {
        case .data, .stream: false
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
            case .data(let data): try await sink(data)
            case .file(let url): try await BodyFile.opened(url).send(length: length ?? 0, to: sink)
            case .stream(let stream): try await Self.send(stream, to: sink)
            case .sequence(let sequence): try await sequence.send(length: length, to: sink)
            }
        } catch let error as TransportError {
            throw error
        } catch {
            throw TransportError(
                .bodyFailed, "the sequence that produces the body failed (\(type(of: error)))", underlying: error)
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

    /// Returns the whole body in memory: for session managers that cannot send it in another way, and for test doubles.
    ///
    /// - Parameter maximum: The maximum size, in bytes. Default: 64 MiB.
    /// - Throws: ``TransportError``: ``TransportError/Code/bodyFailed``, ``TransportError/Code/bodyNotReplayable``, or
    ///   ``TransportError/Code/bodyTooLarge``; ``TransportError/Code/cancelled`` when the task is cancelled meanwhile.
    public func collected(upTo maximum: Int = 64 << 20) async throws(TransportError) -> Data {
        if let data { return data }
        var body = Data()
        do throws(TransportError) {
            try await send(length: try await measuredLength(for: nil)) { chunk in
                guard chunk.count <= maximum.clamped(to: 0...Int.max) - body.count else {
                    throw TransportError(
                        .bodyTooLarge, "the request's body is larger than the limit of \(maximum) bytes", phase: .send)
                }
                body.append(chunk)
            }
        } catch  where !Task.isCancelled {
            throw error
        } catch {}
        // The cancellation of its task may end a sequence early or make it throw another error.
        if Task.isCancelled { throw TransportError(.cancelled, "the task was cancelled", phase: .send) }
        return body
    }
}

extension TransportError {
    /// Creates a copy of an error, with a request and a phase if it has none.
    init(like error: TransportError, request: NetworkRequest) {
        self = error
        if self.request == nil { self.request = TransportError(error.code, "", request: request).request }
        if phase == nil { phase = .send }
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
