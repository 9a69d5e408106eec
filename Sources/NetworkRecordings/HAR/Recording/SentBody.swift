import DataTransfer
import Foundation
import NetworkSupport

/// The body of a request for recording. A stream is captured while it is sent, since it may be readable only once.
final class SentBody: Sendable {
    private enum Part: Sendable {
        case data(Data)
        case file(URL)
        case capture(BodyCapture)
    }

    /// The content to send instead of the original; it has the same bytes.
    let content: NetworkBody?
    private let parts: [Part]
    private let limit: Int

    init(_ content: NetworkBody?, limit: Int) {
        self.limit = limit
        guard let content else {
            self.content = nil
            parts = []
            return
        }
        switch content.source {
        case .sequence(let sequence):
            let segments = sequence.segments.map { segment in
                let (content, part) = Self.part(segment.content, limit: limit)
                return (ContentSequence.Segment(content, name: segment.name, forbidden: segment.forbidden), part)
            }
            self.content = NetworkBody(source: .sequence(ContentSequence(segments.map(\.0))), trailers: content.trailers)
            parts = segments.map(\.1)
        default:
            let (content, part) = Self.part(content, limit: limit)
            self.content = content
            parts = [part]
        }
    }

    private static func part(_ content: NetworkBody, limit: Int) -> (NetworkBody, Part) {
        switch content.source {
        case .data(let text):
            return (content, .data(text.data))
        case .file(let url):
            return (content, .file(url))
        case .stream(let stream):
            let capture = BodyCapture(limit: limit)
            // The engine rejects a stream that was already read before it sends anything.
            if stream.isUsedUp { return (content, .capture(capture)) }
            let captured = ContentStream(length: stream.length, isReplayable: stream.isReplayable) { sink in
                guard stream.claim() else {
                    throw TransportError(
                        .bodyNotReplayable, "the body must be sent again, but its sequence can be read only once")
                }
                capture.restart()
                try await stream.send { chunk in
                    capture.append(chunk)
                    try await sink(chunk)
                }
            }
            return (NetworkBody(source: .stream(captured), trailers: content.trailers), .capture(capture))
        case .received:
            let capture = BodyCapture(limit: limit)
            return (content.observed(onChunk: capture.append, beforeEnd: { _ in }, onStop: {}), .capture(capture))
        case .sequence:
            // Sequences do not contain sequences; a nested one would be recorded as empty.
            return (content, .capture(BodyCapture(limit: limit)))
        }
    }

    /// Whether ``sent`` reads files.
    var readsFiles: Bool { parts.contains { if case .file = $0 { true } else { false } } }

    /// The bytes that were sent, at most `limit`. Reads files again, which may have changed since they were sent.
    var sent: (data: Data, isTruncated: Bool) {
        let sent = BodyCapture(limit: limit)
        for part in parts {
            switch part {
            case .data(let data): sent.append(data)
            case .file(let url):
                // One byte more shows that the body is larger.
                sent.append((try? RegularFile(url).contents(maximumBytes: min(limit, .max - 1) + 1)) ?? Data())
            case .capture(let capture):
                let (bytes, isTruncated) = capture.content
                sent.append(bytes)
                if isTruncated { sent.truncate() }
            }
        }
        return sent.content
    }
}

/// A buffer for the beginning of a body while it is transferred.
final class BodyCapture: Sendable {
    private let limit: Int
    private let state = Locked((data: Data(), isTruncated: false))

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    var content: (data: Data, isTruncated: Bool) { state.withLock { $0 } }

    func append(_ chunk: Data) {
        state.withLock { state in
            let room = limit - state.data.count
            if chunk.count > room { state.isTruncated = true }
            state.data.append(chunk.prefix(room))
        }
    }

    func truncate() {
        state.withLock { $0.isTruncated = true }
    }

    /// Discards the bytes so far, since the body is sent again from its beginning.
    func restart() {
        state.withLock { $0 = (Data(), false) }
    }
}
