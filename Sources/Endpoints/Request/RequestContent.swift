import Foundation

/// The bytes that a request carries (its content, RFC 9110 §6.4): in memory, in a file, or made while they are sent.
///
/// ```swift
/// NetworkRequest(method: .put, url: url, body: .file(movie))
/// NetworkRequest(method: .post, url: url, body: .stream(chunks, length: 1_000_000))
/// ```
///
/// Two contents are equal when they hold the same bytes in memory, name the same file, or are the same stream. Descriptions show sizes.
public struct RequestContent: Sendable, Hashable {
    /// Where the bytes come from.
    package enum Source: Sendable, Hashable {
        case data(Data)
        case file(URL)
        case stream(ContentStream)
        case sequence(ContentSequence)
    }

    package let source: Source

    package init(source: Source) {
        self.source = source
    }

    /// Bytes in memory.
    public static func data(_ data: Data) -> RequestContent {
        RequestContent(source: .data(data))
    }

    /// A regular file, read while it is sent and never held in memory as a whole.
    ///
    /// Its length is taken when the request is sent, and announced. If it turns out shorter then, the transfer fails; what is
    /// appended later is not sent.
    public static func file(_ url: URL) -> RequestContent {
        RequestContent(source: .file(url))
    }

    /// Chunks that are made while they are sent, once: a second attempt or a redirect that needs the body again is an error.
    ///
    /// The sequence is asked for no more chunks than the connection takes; about 256 KiB wait at most, besides the chunk itself.
    ///
    /// - Parameters:
    ///   - chunks: Iterated in a task of its own, which is cancelled when the transfer ends. What it throws ends the transfer.
    ///   - length: All bytes together, to be announced; another sum is an error. `nil`: not known, and sent in chunks (RFC 9112 §7.1).
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil
    ) -> RequestContent where Chunks.Element == Data {
        RequestContent(
            source: .stream(
                ContentStream(length: length, isReplayable: false) { sink in
                    for try await chunk in chunks { try await sink(chunk) }
                }))
    }

    /// Chunks that are made while they are sent, anew for each attempt and for each redirect that needs the body again.
    ///
    /// - Parameters:
    ///   - length: All bytes together, to be announced; another sum is an error. `nil`: not known, and sent in chunks (RFC 9112 §7.1).
    ///   - makeChunks: Makes the sequence from its beginning. Runs once per attempt, in a task of its own.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        length: Int64? = nil, makeChunks: @escaping @Sendable () throws -> Chunks
    ) -> RequestContent where Chunks.Element == Data {
        RequestContent(
            source: .stream(
                ContentStream(length: length, isReplayable: true) { sink in
                    for try await chunk in try makeChunks() { try await sink(chunk) }
                }))
    }

    /// The bytes, where they are in memory.
    public var data: Data? {
        if case .data(let data) = source { data } else { nil }
    }

    /// Whether it can be sent more than once.
    public var isReplayable: Bool {
        switch source {
        case .data, .file: true
        case .stream(let stream): stream.isReplayable
        case .sequence(let sequence): sequence.segments.allSatisfy(\.content.isReplayable)
        }
    }

    /// Whether it is known to hold no byte.
    public var isEmpty: Bool {
        switch source {
        case .data(let data): data.isEmpty
        case .file: false
        case .stream(let stream): stream.length == 0
        case .sequence(let sequence): sequence.segments.allSatisfy(\.content.isEmpty)
        }
    }
}

extension RequestContent {
    func validate() throws(RequestGenerationError) {
        switch source {
        case .data: break
        case .file(let url):
            if !url.isFileURL { throw RequestGenerationError(.body, "the URL of a file body is no file URL") }
        case .stream(let stream):
            if let length = stream.length, length < 0 {
                throw RequestGenerationError(.body, "the length of a streamed body is \(length); it must be at least 0")
            }
        case .sequence(let sequence):
            for segment in sequence.segments { try segment.content.validate() }
        }
    }
}

extension RequestContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is and how long, as far as that is known without looking.
    public var description: String {
        switch source {
        case .data(let data): "\(data.count)-byte body"
        case .file: "body from a file"
        case .stream(let stream): "streamed body" + (stream.length.map { " of \($0) bytes" } ?? "")
        case .sequence: "body in parts" + (knownLength.map { " of \($0) bytes" } ?? "")
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A sequence of chunks, its type forgotten, that knows whether it has been read.
// Sendable although unchecked: `isSpent` is behind its lock.
package final class ContentStream: @unchecked Sendable, Hashable {
    /// Takes a chunk; returns when there is room for the next one, and throws when no more is wanted.
    package typealias Sink = (Data) async throws -> Void

    package let length: Int64?
    package let isReplayable: Bool
    private let write: @Sendable (Sink) async throws -> Void
    private let lock = NSLock()
    private var isSpent = false

    package init(length: Int64?, isReplayable: Bool, write: @escaping @Sendable (Sink) async throws -> Void) {
        self.length = length
        self.isReplayable = isReplayable
        self.write = write
    }

    /// Hands all chunks to `sink`.
    package func send(to sink: Sink) async throws {
        try await write(sink)
    }

    /// Asks for the right to read it.
    ///
    /// - Returns: `false` when it was read before and cannot be read again.
    package func claim() -> Bool {
        lock.withLock {
            defer { isSpent = true }
            return isReplayable || !isSpent
        }
    }

    /// Whether ``claim()`` would fail.
    package var isUsedUp: Bool {
        lock.withLock { isSpent && !isReplayable }
    }

    package static func == (left: ContentStream, right: ContentStream) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// Contents that are sent one after another, as the parts of a form are.
package struct ContentSequence: Sendable, Hashable {
    package struct Segment: Sendable, Hashable {
        package let content: RequestContent
        /// For errors.
        package let name: String?
        /// What may not occur in it.
        package let forbidden: BytePattern?

        package init(_ content: RequestContent, name: String? = nil, forbidden: BytePattern? = nil) {
            self.content = content
            self.name = name
            self.forbidden = forbidden
        }
    }

    package let segments: [Segment]

    package init(_ segments: [Segment]) {
        self.segments = segments
    }

    /// All bytes together, as far as that is known without looking at a file.
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

extension RequestContent {
    /// The number of bytes, as far as that is known without looking at a file.
    package var knownLength: Int64? {
        switch source {
        case .data(let data): Int64(data.count)
        case .file: nil
        case .stream(let stream): stream.length
        case .sequence(let sequence): sequence.knownLength
        }
    }

    var fileName: String? {
        if case .file(let url) = source { url.lastPathComponent } else { nil }
    }
}
