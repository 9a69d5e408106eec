import Foundation

/// How the body of a response is made into a stream of values.
///
/// ```swift
/// let movies = try await service.stream(endpoint, as: .elements(of: Movie.self, at: "data.items"))
/// ```
///
/// Values are made one at a time, where and when the stream is read. A parser of your own makes a format too.
public struct StreamFormat<Element: Sendable>: Sendable {
    private let make: @Sendable () -> any StreamParser<Element>

    /// - Parameter parser: Makes the parser of one stream.
    public init(parser: @escaping @Sendable () -> any StreamParser<Element>) {
        make = parser
    }

    /// A parser for one stream.
    public func makeParser() -> any StreamParser<Element> { make() }
}

extension StreamFormat where Element == Data {
    /// The bytes as they come, in chunks of any size, none of them empty.
    public static var chunks: StreamFormat { StreamFormat { ChunkParser() } }
}

extension StreamFormat where Element == String {
    /// Lines of text, ended by LF or CRLF; see ``LineParser``. At most 1 MiB each.
    public static var lines: StreamFormat { .lines() }

    /// Lines of text, ended by LF or CRLF; see ``LineParser``.
    ///
    /// - Parameter maximumLineBytes: The longest line. A longer one ends the stream with an error.
    public static func lines(maximumLineBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { LineParser(maximumLineBytes: maximumLineBytes) }
    }
}

extension StreamFormat where Element == ServerSentEvent {
    /// Server-sent events; see ``ServerSentEventParser``. At most 1 MiB each.
    public static var serverSentEvents: StreamFormat { .serverSentEvents() }

    /// Server-sent events; see ``ServerSentEventParser``.
    ///
    /// - Parameter maximumEventBytes: The longest event. A longer one ends the stream with an error.
    public static func serverSentEvents(maximumEventBytes: Int = 1 << 20) -> StreamFormat {
        StreamFormat { ServerSentEventParser(maximumEventBytes: maximumEventBytes) }
    }
}
