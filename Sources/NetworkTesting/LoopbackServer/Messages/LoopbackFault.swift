import Endpoints
import Foundation
import NetworkSupport

/// A fault of a response, such as a truncated body. Use it with ``LoopbackResponse/fault(_:)``.
///
/// Bytes of the head are counted from the `H` of the status line to the blank line inclusive, without interim responses. Bytes of
/// the body are counted without chunked framing. A count beyond the end applies at the end: the whole body is sent, except that the
/// last chunk of a chunked body is never sent.
public struct LoopbackFault: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case cut(Cut)
        case statusLine(Data)
        case headerLine(bytes: Int)
        case headerLines(count: Int)
        case contentLengths([String])
        case chunkSizeLine(String)
        case garbage(bytes: Int)
        case endlessBody
        case drip(bytes: Int, every: Duration, includesHead: Bool)
        case closeAfter
    }

    /// The place where a response ends early, and what happens to the connection then.
    struct Cut: Hashable, Sendable {
        enum Place: Hashable, Sendable { case head, body }
        enum Manner: Hashable, Sendable { case close, reset, stall }

        var place: Place
        var bytes: Int
        var manner: Manner
    }

    let kind: Kind

    /// The maximum size of a line, a portion or garbage, in bytes; larger sizes are limited to it.
    private static let maximumBytes = 256 << 20
}

// MARK: - Ending early

extension LoopbackFault {
    /// Closes the connection in an orderly way (FIN) after this many bytes of the head; 0 closes it before the first byte.
    public static func truncateHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .close) }

    /// Closes the connection in an orderly way (FIN) after this many bytes of the body, which are fewer than announced.
    public static func truncateBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .close) }

    /// Resets the connection (RST) before the first byte of the response.
    public static let reset = cut(.head, 0, .reset)

    /// Resets the connection (RST) after this many bytes of the head. The client's system has received them by then; whether the
    /// client can still read them after a reset depends on its system.
    public static func resetHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .reset) }

    /// Resets the connection (RST) after this many bytes of the body, with the same limitation as ``resetHead(after:)``.
    public static func resetBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .reset) }

    /// Sends nothing until the client closes the connection or the server stops.
    public static let stall = cut(.head, 0, .stall)

    /// Sends this many bytes of the head, and then nothing until the client closes the connection or the server stops.
    public static func stallHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .stall) }

    /// Sends the head and this many bytes of the body, and then nothing until the client closes the connection or the server stops.
    public static func stallBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .stall) }

    /// Closes the connection (FIN) after the complete response, without a `Connection: close` in it.
    public static let closeAfter = LoopbackFault(kind: .closeAfter)

    private static func cut(_ place: Cut.Place, _ bytes: Int, _ manner: Cut.Manner) -> LoopbackFault {
        LoopbackFault(kind: .cut(Cut(place: place, bytes: max(0, bytes), manner: manner)))
    }
}

// MARK: - Wrong bytes

extension LoopbackFault {
    /// Sends `HTTP/1.1 banana` as the status line.
    package static var malformedStatusLine: LoopbackFault { statusLine(Data("HTTP/1.1 banana".utf8)) }

    /// Sends these bytes and CRLF as the status line.
    public static func statusLine(_ line: Data) -> LoopbackFault { LoopbackFault(kind: .statusLine(line)) }

    /// Adds a header line of this many bytes, without its CRLF; at least 11 (`X-Filler: a`).
    public static func headerLine(bytes: Int) -> LoopbackFault {
        LoopbackFault(kind: .headerLine(bytes: bytes.clamped(to: 11...maximumBytes)))
    }

    /// Adds this many header lines `X-Filler-1: 1`, `X-Filler-2: 2` and so on; at most 1,000,000.
    public static func headerLines(count: Int) -> LoopbackFault {
        LoopbackFault(kind: .headerLines(count: count.clamped(to: 0...1_000_000)))
    }

    /// Replaces the correct `Content-Length` by one line for each of these values. The connection stays open: combine it with
    /// ``closeAfter`` or a truncated body if the client would wait for more bytes.
    public static func contentLengths(_ values: String...) -> LoopbackFault { LoopbackFault(kind: .contentLengths(values)) }

    /// Sends the body chunked, and replaces the size of the first chunk by this text. Default: `xyz`, which is not a number.
    public static func badChunkSize(_ line: String = "xyz") -> LoopbackFault { LoopbackFault(kind: .chunkSizeLine(line)) }

    /// Sends this many bytes that are not HTTP in place of the response, the same each time, and closes the connection.
    public static func garbage(bytes: Int = 256) -> LoopbackFault {
        LoopbackFault(kind: .garbage(bytes: bytes.clamped(to: 0...maximumBytes)))
    }
}

// MARK: - Too much, too slow

extension LoopbackFault {
    /// Repeats the body without end, as fast as the client reads it: chunked if the response is chunked, otherwise without a
    /// length. An empty body is replaced by zero bytes (`0x00`). Faults that end the body early do not apply.
    public static let endlessBody = LoopbackFault(kind: .endlessBody)

    /// Sends the body in portions of this many bytes, including chunked framing: the first at once, each other after a pause.
    public static func drip(bytes: Int, every pause: Duration) -> LoopbackFault {
        LoopbackFault(kind: .drip(bytes: bytes.clamped(to: 1...maximumBytes), every: pause, includesHead: false))
    }

    /// Sends head and body in portions like ``drip(bytes:every:)``, from the status line on.
    public static func dripHead(bytes: Int, every pause: Duration) -> LoopbackFault {
        LoopbackFault(kind: .drip(bytes: bytes.clamped(to: 1...maximumBytes), every: pause, includesHead: true))
    }
}
