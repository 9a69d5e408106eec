import Endpoints
import Foundation
import NetworkSupport

/// The raw lines of a response head and of its trailers (RFC 9112 §4, §5).
///
/// The bytes are kept as received, in one buffer, so that parsing can happen outside the event loop; see ``headers``. They were checked
/// before; a head of HTTP/2 is written as lines of HTTP/1.
package struct ResponseHead: Sendable {
    /// The status line, the field lines and the empty line, followed by the trailers.
    package private(set) var lines: [UInt8] = []
    /// The offset at which the trailers begin; `nil` until the empty line after the final head was received.
    private(set) var end: Int?
    /// The body length that the final head announces.
    package private(set) var length = AnnouncedLength()
    /// The bytes of interim responses, which are not kept.
    private var droppedBytes = 0

    package init() {}

    /// Creates a complete head from its lines, the status line and the empty line included.
    package init(lines: [UInt8], length: Int64?) {
        self.lines = lines
        end = lines.count
        self.length = AnnouncedLength(length)
    }

    /// Whether the empty line after the final head was received.
    package var isComplete: Bool { end != nil }

    /// The number of bytes received so far, including interim responses and trailers.
    package var count: Int { lines.count + droppedBytes }
}

extension ResponseHead {
    /// Appends lines or a part of a line.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        lines.append(contentsOf: bytes)
    }

    /// Drops the received lines, which were an interim response (RFC 9110 §15.2). Their bytes remain part of ``count``.
    package mutating func dropInterim() {
        droppedBytes += lines.count
        lines.removeAll(keepingCapacity: true)
        end = nil
        length = AnnouncedLength()
    }

    /// Completes the head. What is appended afterwards is part of the trailers.
    package mutating func complete(length: AnnouncedLength) {
        end = lines.count
        self.length = length
    }
}

extension ResponseHead {
    /// The header fields of the final head, parsed when they are read.
    package var headers: HeaderFields { HeaderFields(received: fieldLines) }

    /// The trailer fields after the body; empty in most responses.
    package var trailers: HeaderFields {
        // The empty line may be the only one.
        guard let end, lines.count > end + 2 else { return HeaderFields() }
        return HeaderFields(received: FieldLines(lines, in: end..<lines.count))
    }

    /// Returns the value of one field of the final head without parsing the others. Several lines are joined with `", "`.
    ///
    /// - Parameter name: The field name in any case.
    package func value(for name: StaticString) -> String? { fieldLines.value(for: name) }

    private var fieldLines: FieldLines { FieldLines(lines, in: 0..<(end ?? lines.count), skippingFirst: true) }
}

/// The body length that the `Content-Length` lines of a head announce together (RFC 9112 §6.3).
///
/// Several different values are not accepted, nor is a number that is too large: the bytes that follow the body could otherwise
/// be taken for another response.
package struct AnnouncedLength: Sendable {
    /// The announced length in bytes; `nil` if there is no `Content-Length` line.
    package private(set) var value: Int64?
    /// Whether a line is not a number, or differs from an earlier one.
    package private(set) var isContradictory = false

    /// Creates a length that was checked before; `nil` if none is announced.
    package init(_ value: Int64? = nil) {
        self.value = value
    }

    /// Receives the value of a `Content-Length` line. It may be a list, since proxies combine equal lines.
    package mutating func receive(value list: UnsafeRawBufferPointer) {
        var index = 0
        repeat {
            var end = index
            while end < list.count, list[end] != UInt8(ascii: ",") { end &+= 1 }
            let digits = HTTP1Bytes.trimmed(UnsafeRawBufferPointer(rebasing: list[index..<end]))
            guard let number = digits.decimal, number == value ?? number else {
                isContradictory = true
                return
            }
            value = number
            index = end &+ 1
        } while index <= list.count
    }
}
