import Endpoints
import Foundation

/// One thing that goes wrong with a response. Use with ``LoopbackResponse/fault(_:)``.
///
/// Bytes of the head are counted from the `H` of the status line to the blank line inclusive; interim responses do not count.
/// Bytes of the body are counted without chunked framing. A count beyond the end acts at the end: such a body is complete, but
/// for the last chunk of a chunked one, which is never sent.
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

    /// Where a response ends early, and how.
    struct Cut: Hashable, Sendable {
        enum Place: Hashable, Sendable { case head, body }
        enum Manner: Hashable, Sendable { case close, reset, stall }

        var place: Place
        var bytes: Int
        var manner: Manner
    }

    let kind: Kind

    /// Of one line, a portion or garbage: 256 MiB. More counts as so many.
    private static let maximumBytes = 256 << 20
}

// MARK: - Ending early

extension LoopbackFault {
    /// Closes the connection in an orderly way (FIN) after so many bytes of the head; 0 closes without a byte.
    public static func truncateHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .close) }

    /// Closes the connection in an orderly way (FIN) after so many bytes of the body, less than was announced.
    public static func truncateBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .close) }

    /// Resets the connection (RST) before the first byte of the response.
    public static let reset = cut(.head, 0, .reset)

    /// Resets the connection (RST) after so many bytes of the head. The client's system has received them by then; whether the
    /// client can still read them after a reset is up to its system.
    public static func resetHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .reset) }

    /// Resets the connection (RST) after so many bytes of the body. As for ``resetHead(after:)``.
    public static func resetBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .reset) }

    /// Sends nothing at all, until the client closes or the server stops.
    public static let stall = cut(.head, 0, .stall)

    /// Sends so many bytes of the head, and then nothing more until the client closes or the server stops.
    public static func stallHead(after bytes: Int) -> LoopbackFault { cut(.head, bytes, .stall) }

    /// Sends the head and so many bytes of the body, and then nothing more until the client closes or the server stops.
    public static func stallBody(after bytes: Int) -> LoopbackFault { cut(.body, bytes, .stall) }

    /// Closes the connection (FIN) after the complete response, without having said `Connection: close`.
    public static let closeAfter = LoopbackFault(kind: .closeAfter)

    private static func cut(_ place: Cut.Place, _ bytes: Int, _ manner: Cut.Manner) -> LoopbackFault {
        LoopbackFault(kind: .cut(Cut(place: place, bytes: max(0, bytes), manner: manner)))
    }
}

// MARK: - Wrong bytes

extension LoopbackFault {
    /// Sends `HTTP/1.1 banana` as the status line.
    public static var malformedStatusLine: LoopbackFault { statusLine(Data("HTTP/1.1 banana".utf8)) }

    /// Sends these bytes, and CRLF, as the status line.
    public static func statusLine(_ line: Data) -> LoopbackFault { LoopbackFault(kind: .statusLine(line)) }

    /// Adds one header line of so many bytes, its CRLF not counted; 11 bytes at least (`X-Filler: a`).
    public static func headerLine(bytes: Int) -> LoopbackFault {
        LoopbackFault(kind: .headerLine(bytes: bytes.clamped(to: 11...maximumBytes)))
    }

    /// Adds so many header lines `X-Filler-1: 1`, `X-Filler-2: 2` and so on.
    public static func headerLines(count: Int) -> LoopbackFault {
        LoopbackFault(kind: .headerLines(count: count.clamped(to: 0...1_000_000)))
    }

    /// Sends one `Content-Length` line for each of these values, true or not, in place of the right one. The connection stays
    /// open: combine with ``closeAfter`` or a truncated body where the client would wait for the rest.
    public static func contentLengths(_ values: String...) -> LoopbackFault { LoopbackFault(kind: .contentLengths(values)) }

    /// Sends the body chunked, the first chunk's size replaced by this text, `xyz` by default, which is no number.
    public static func badChunkSize(_ line: String = "xyz") -> LoopbackFault { LoopbackFault(kind: .chunkSizeLine(line)) }

    /// Sends so many bytes that are no HTTP in place of the response, the same each time, and closes the connection.
    public static func garbage(bytes: Int = 256) -> LoopbackFault {
        LoopbackFault(kind: .garbage(bytes: bytes.clamped(to: 0...maximumBytes)))
    }
}

// MARK: - Too much, too slow

extension LoopbackFault {
    /// Repeats the body for ever, as fast as the client reads: chunked if the response is, else without a length and ended by
    /// nothing. An empty body repeats zero bytes. Faults that end the body early do not apply.
    public static let endlessBody = LoopbackFault(kind: .endlessBody)

    /// Sends the body in portions of so many bytes, chunked framing counted, the first at once and each other after a pause.
    public static func drip(bytes: Int, every pause: Duration) -> LoopbackFault {
        LoopbackFault(kind: .drip(bytes: bytes.clamped(to: 1...maximumBytes), every: pause, includesHead: false))
    }

    /// As ``drip(bytes:every:)``, beginning with the status line.
    public static func dripHead(bytes: Int, every pause: Duration) -> LoopbackFault {
        LoopbackFault(kind: .drip(bytes: bytes.clamped(to: 1...maximumBytes), every: pause, includesHead: true))
    }
}
