import Endpoints
import Foundation

/// Moves a body from its file or its sequence into a pipe, in a task of its own.
final class ContentPump: Sendable {
    let pipe: UploadPipe
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - length: As ``Endpoints/RequestContent/length(for:)`` told; `nil` for a stream of unknown length.
    ///   - onBytes: Runs when there is something to read after the pipe said ``UploadPipe/Reading/wait``.
    init(_ content: RequestContent, length: Int64?, request: NetworkRequest, onBytes: @escaping @Sendable () -> Void) {
        let pipe = UploadPipe(onBytes: onBytes)
        self.pipe = pipe
        task = Task {
            do throws(TransportError) {
                try await content.send(length: length, to: pipe.write)
                pipe.finish(.success(()))
            } catch {
                pipe.finish(.failure(TransportError(like: error, request: request)))
            }
        }
    }

    /// Nothing more is wanted. The sequence's task is cancelled.
    func stop() {
        pipe.close()
        task.cancel()
    }
}

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
