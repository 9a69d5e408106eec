import Foundation
import NetworkLogging
import NetworkSupport

/// The body of a request or a response (RFC 9110 §6.4): bytes in memory, in a file, or in chunks that are produced while they are
/// sent, or received while they are read.
///
/// ```swift
/// NetworkRequest(method: .put, url: url, body: .file(movie))
/// NetworkRequest(method: .post, url: url, body: .stream(chunks, length: 4096))
/// ```
///
/// Two bodies are equal if they have the same bytes in memory, refer to the same file, or are the same stream, and have no trailers or the
/// same ones. Descriptions contain sizes, never bytes.
public struct NetworkBody: Sendable, Hashable {
    /// The source of the bytes.
    package enum Source: Sendable {
        /// Bytes in memory. Received ones have padding, so that JSON is decoded in place.
        case data(PaddedBytes)
        case file(URL)
        case stream(ContentStream)
        case sequence(ContentSequence)
        /// The body of a response that may still be arriving.
        case received(any ReceivedBody)
    }

    package let source: Source
    /// The trailer fields that are sent after the bytes; `nil` if there are none.
    package let trailers: BodyTrailers?

    package init(source: Source, trailers: BodyTrailers? = nil) {
        self.source = source
        self.trailers = trailers
    }

    /// A body without bytes.
    public static var empty: NetworkBody { NetworkBody.data(Data()) }

    /// Returns a body of bytes in memory.
    public static func data(_ data: Data) -> NetworkBody {
        NetworkBody(source: .data(PaddedBytes(data)))
    }

    /// Returns the body of a regular file. It is read while it is sent, never loaded into memory as a whole.
    ///
    /// The length is read when the request is sent, and sent as `Content-Length`. Bytes that are appended later are not sent. If the file
    /// becomes shorter, or another file gets its name before it is sent, the transfer fails. A file whose length only its end shows, such as
    /// those in `/proc` and `/sys`, is read to its end, and sent in chunks (RFC 9112 §7.1). Folders, pipes and devices are errors.
    public static func file(_ url: URL) -> NetworkBody {
        NetworkBody(source: .file(url))
    }

    /// Returns a body of chunks that are produced while they are sent, once. A redirect that needs the body again is an error, and the
    /// interceptors of `NetworkPipeline` make no second attempt.
    ///
    /// Chunks are requested as fast as the connection accepts them: about 256 KiB are buffered at most, besides the current
    /// chunk.
    ///
    /// - Parameters:
    ///   - chunks: The chunks. Iterated in a separate task, which is cancelled when the transfer ends. An error that it throws
    ///     ends the transfer.
    ///   - length: The total number of bytes, sent as `Content-Length`; a different total is an error. `nil` if it is not
    ///     known: the body is then sent in chunks (RFC 9112 §7.1).
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil
    ) -> NetworkBody where Chunks.Element == Data {
        NetworkBody(
            source: .stream(
                ContentStream(length: length, isReplayable: false) { sink in
                    for try await chunk in chunks { try await sink(chunk) }
                }))
    }

    /// Returns a body of chunks that are produced while they are sent, again for each attempt and each redirect that needs the
    /// body.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes, sent as `Content-Length`; a different total is an error. `nil` if it is not
    ///     known: the body is then sent in chunks (RFC 9112 §7.1).
    ///   - makeChunks: Returns the sequence from its beginning. Called once per attempt, in a separate task.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, makeChunks: @escaping @Sendable () throws -> Chunks
    ) -> NetworkBody where Chunks.Element == Data {
        NetworkBody(
            source: .stream(
                ContentStream(length: length, isReplayable: true) { sink in
                    for try await chunk in try makeChunks() { try await sink(chunk) }
                }))
    }

    /// The bytes, if they are in memory; `nil` for a file, a stream, and the body of a response that is received while it is read.
    public var data: Data? {
        if case .data(let text) = source { text.data } else { nil }
    }

    /// Whether the bytes are in memory.
    package var isInMemory: Bool {
        if case .data = source { true } else { false }
    }

    /// Whether the body can be sent or read more than once.
    public var isReplayable: Bool {
        switch source {
        case .data, .file: true
        case .stream(let stream): stream.isReplayable
        case .sequence(let sequence): sequence.segments.allSatisfy(\.content.isReplayable)
        case .received: false
        }
    }

    /// Whether the body is known to contain no bytes.
    package var isEmpty: Bool {
        // Trailers are sent even if no byte is.
        if trailers != nil { return false }
        return switch source {
        case .data(let text): text.count == 0
        case .file: false
        case .stream(let stream): stream.length == 0
        case .sequence(let sequence): sequence.segments.allSatisfy(\.content.isEmpty)
        case .received: false
        }
    }
}

/// The body of a response while it is received. The module that receives it implements it.
package protocol ReceivedBody: AnyObject, Sendable {}

extension NetworkBody.Source: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.data(let left), .data(let right)): left == right
        case (.file(let left), .file(let right)): left == right
        case (.stream(let left), .stream(let right)): left == right
        case (.sequence(let left), .sequence(let right)): left == right
        case (.received(let left), .received(let right)): left === right
        case (.data, _), (.file, _), (.stream, _), (.sequence, _), (.received, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .data(let text): hasher.combine(text)
        case .file(let url): hasher.combine(url)
        case .stream(let stream): hasher.combine(stream)
        case .sequence(let sequence): hasher.combine(sequence)
        case .received(let body): hasher.combine(ObjectIdentifier(body))
        }
    }
}

extension NetworkBody {
    /// Throws if a file URL or a length cannot be used.
    func validate() throws(RequestGenerationError) {
        try trailers?.validate()
        switch source {
        case .data, .received: break
        case .file(let url):
            if !url.isFileURL { throw RequestGenerationError(.body, "the URL of a file body is not a file URL") }
        case .stream(let stream):
            if let length = stream.length, length < 0 {
                throw RequestGenerationError(.body, "the length of a streamed body is \(length); it must be at least 0")
            }
        case .sequence(let sequence):
            for segment in sequence.segments {
                try segment.content.validate()
                if segment.content.trailers != nil { throw .partWithTrailers(segment.name) }
            }
        }
    }
}

extension NetworkBody: RedactedStringConvertible {
    /// A textual representation with the kind of body, its length if that is known without reading a file, and whether it has trailers.
    public var description: String {
        let content =
            switch source {
            case .data(let text): "\(text.count)-byte body"
            case .file: "body from a file"
            case .stream(let stream): "streamed body" + (stream.length.map { " of \($0) bytes" } ?? "")
            case .received: "streamed body"
            case .sequence: "body in parts" + (knownLength.map { " of \($0) bytes" } ?? "")
            }
        return trailers == nil ? content : content + " with trailers"
    }
}

extension NetworkBody {
    /// The number of bytes; `nil` if it is not known without reading a file.
    package var knownLength: Int64? {
        switch source {
        case .data(let text): Int64(text.count)
        case .file, .received: nil
        case .stream(let stream): stream.length
        case .sequence(let sequence): sequence.knownLength
        }
    }

    var fileName: String? {
        if case .file(let url) = source { url.lastPathComponent } else { nil }
    }
}

/// A type-erased sequence of chunks that records whether it has been read.
package final class ContentStream: Sendable, Hashable {
    /// A function that accepts a chunk. Returns when there is room for the next one, and throws if no more chunks are accepted.
    package typealias Sink = (Data) async throws -> Void

    package let length: Int64?
    package let isReplayable: Bool
    private let write: @Sendable (Sink) async throws -> Void
    private let isSpent = Locked(false)

    package init(length: Int64?, isReplayable: Bool, write: @escaping @Sendable (Sink) async throws -> Void) {
        self.length = length
        self.isReplayable = isReplayable
        self.write = write
    }

    /// Passes all chunks to `sink`.
    package func send(to sink: Sink) async throws {
        try await write(sink)
    }

    /// Marks the stream as read.
    ///
    /// - Returns: `false` if the stream was read before and cannot be read again.
    package func claim() -> Bool {
        isSpent.withLock { isSpent in
            defer { isSpent = true }
            return isReplayable || !isSpent
        }
    }

    /// Whether ``claim()`` would return `false`.
    package var isUsedUp: Bool {
        !isReplayable && isSpent.withLock { $0 }
    }

    package static func == (left: ContentStream, right: ContentStream) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// A list of bodies that are sent one after another, such as the parts of a form.
package struct ContentSequence: Sendable, Hashable {
    package struct Segment: Sendable, Hashable {
        package let content: NetworkBody
        /// The name of the segment for error messages.
        package let name: String?
        /// The bytes that must not occur in the content.
        package let forbidden: BytePattern?

        package init(_ content: NetworkBody, name: String? = nil, forbidden: BytePattern? = nil) {
            self.content = content
            self.name = name
            self.forbidden = forbidden
        }
    }

    package let segments: [Segment]

    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// The total number of bytes; `nil` if it is not known without reading a file.
    package var knownLength: Int64? {
        var total: Int64 = 0
        for segment in segments {
            guard let length = segment.content.knownLength else { return nil }
            let (sum, isTooLarge) = total.addingReportingOverflow(length)
            guard !isTooLarge else { return nil }
            total = sum
        }
        return total
    }
}
