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

/// Parsing of the received lines. It never fails: lines that are not field lines are ignored, and bytes that are not UTF-8 are
/// read as ISO-8859-1 (RFC 9110 §5.5).
extension ResponseHead {
    /// The header fields of the final head.
    package var headers: HeaderFields {
        var fields: [HeaderFields.Field] = []
        fields.reserveCapacity(12)
        forEachLine(in: 0..<(end ?? lines.count), skippingFirst: true) { Self.append($0, to: &fields) }
        return HeaderFields(fields)
    }

    /// The trailer fields after the body; empty in most responses.
    package var trailers: HeaderFields {
        // The empty line may be the only one.
        guard let end, lines.count > end + 2 else { return [:] }
        var fields: [HeaderFields.Field] = []
        forEachLine(in: end..<lines.count, skippingFirst: false) { Self.append($0, to: &fields) }
        return HeaderFields(fields)
    }

    /// Returns the value of one field of the final head without parsing the others. Several lines are joined with `", "`.
    ///
    /// - Parameter lowercasedName: The field name in lower case: letters, digits and hyphens.
    package func value(for lowercasedName: StaticString) -> String? {
        var fields: [HeaderFields.Field] = []
        var isWanted = false
        forEachLine(in: 0..<(end ?? lines.count), skippingFirst: true) { line in
            if let first = line.first, !first.isSpaceOrTab {
                let count = lowercasedName.utf8CodeUnitCount
                isWanted =
                    line.count > count && line[count] == UInt8(ascii: ":")
                    && HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: line[..<count]), lowercasedName)
            }
            if isWanted { Self.append(line, to: &fields) }
        }
        return fields.isEmpty ? nil : fields.map(\.value).joined(separator: ", ")
    }

    /// Calls `body` with each line, without its line feed.
    @inline(__always)
    private func forEachLine(in range: Range<Int>, skippingFirst: Bool, _ body: (UnsafeRawBufferPointer) -> Void) {
        lines.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[range])
            var start = 0
            var skips = skippingFirst
            while start < bytes.count {
                let end = HTTP1Bytes.lineFeed(in: bytes, from: start) ?? bytes.count
                if !skips { body(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) }
                skips = false
                start = end + 1
            }
        }
    }

    private static func append(_ line: UnsafeRawBufferPointer, to fields: inout [HeaderFields.Field]) {
        guard let first = line.first else { return }
        if first.isSpaceOrTab {
            // A folded line continues the one before (RFC 9112 §5.2).
            guard let last = fields.indices.last else { return }
            let more = text(line, 0, line.count)
            if !more.text.isEmpty { fields[last].value += fields[last].value.isEmpty ? more.text : " " + more.text }
            if more.isLatin1 { fields[last].isLatin1 = true }
            return
        }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon &+= 1 }
        guard colon > 0, colon < line.count else { return }
        let value = text(line, colon + 1, line.count)
        var field = HeaderFields.Field(name: text(line, 0, colon).text, value: value.text)
        if value.isLatin1 { field.isLatin1 = true }
        fields.append(field)
    }

    /// Returns the bytes as text, without surrounding white space, and whether they are ISO-8859-1.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> (text: String, isLatin1: Bool) {
        var start = start
        var end = end
        while start < end, isOuterSpace(bytes[start]) { start &+= 1 }
        while start < end, isOuterSpace(bytes[end &- 1]) { end &-= 1 }
        let trimmed = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        // Nearly all fields are ASCII, and validating UTF-8 takes several times as long.
        if isASCII(trimmed) { return (String(decoding: trimmed, as: UTF8.self), false) }
        let field = HeaderFields.Field(name: "", received: trimmed)
        return (field.value, field.isLatin1)
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var union: UInt8 = 0
        for index in 0..<bytes.count { union |= bytes[index] }
        return union < 0x80
    }

    /// Whether the byte is white space or the carriage return of the line end.
    private static func isOuterSpace(_ byte: UInt8) -> Bool {
        byte.isSpaceOrTab || byte == UInt8.carriageReturn
    }
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
