import Endpoints
import Foundation

/// The fields of the lines that were received. Never fails: what is no field line is left out, and bytes that are not UTF-8 are read as
/// ISO-8859-1 (RFC 9110 §5.5).
extension ResponseHead {
    /// The fields of the final head.
    var headers: HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(12)
        forEachLine(in: 0..<(end ?? lines.count), skippingFirst: true) { Self.append($0, to: &fields) }
        return HTTPHeaders(fields)
    }

    /// The fields after the body; empty in most responses.
    var trailers: HTTPHeaders {
        // There may be the empty line alone.
        guard let end, lines.count > end + 2 else { return [:] }
        var fields: [HTTPHeaders.Field] = []
        forEachLine(in: end..<lines.count, skippingFirst: false) { Self.append($0, to: &fields) }
        return HTTPHeaders(fields)
    }

    /// The value of one field of the final head, several lines of it joined with `", "`, without reading the others.
    ///
    /// - Parameter lowercasedName: Letters, digits and hyphens.
    func value(for lowercasedName: StaticString) -> String? {
        var fields: [HTTPHeaders.Field] = []
        var isWanted = false
        forEachLine(in: 0..<(end ?? lines.count), skippingFirst: true) { line in
            if let first = line.first, !HTTP1Bytes.isSpace(first) {
                let count = lowercasedName.utf8CodeUnitCount
                isWanted =
                    line.count > count && line[count] == UInt8(ascii: ":")
                    && HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: line[..<count]), lowercasedName)
            }
            if isWanted { Self.append(line, to: &fields) }
        }
        return fields.isEmpty ? nil : fields.map(\.value).joined(separator: ", ")
    }

    /// Runs `body` on each line, without its line feed.
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

    private static func append(_ line: UnsafeRawBufferPointer, to fields: inout [HTTPHeaders.Field]) {
        guard let first = line.first else { return }
        if HTTP1Bytes.isSpace(first) {
            // A folded line continues the one before (RFC 9112 §5.2).
            guard let last = fields.indices.last else { return }
            let more = text(line, 0, line.count)
            if !more.isEmpty { fields[last].value += fields[last].value.isEmpty ? more : " " + more }
            return
        }
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon &+= 1 }
        guard colon > 0, colon < line.count else { return }
        fields.append(HTTPHeaders.Field(name: text(line, 0, colon), value: text(line, colon + 1, line.count)))
    }

    /// Without white space around it.
    private static func text(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> String {
        var start = start
        var end = end
        while start < end, isOuterSpace(bytes[start]) { start &+= 1 }
        while start < end, isOuterSpace(bytes[end &- 1]) { end &-= 1 }
        let trimmed = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        // Nearly all there is; the check for other text costs several times as much.
        if isASCII(trimmed) { return String(decoding: trimmed, as: UTF8.self) }
        if let text = String(validating: trimmed, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
    }

    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var union: UInt8 = 0
        for index in 0..<bytes.count { union |= bytes[index] }
        return union < 0x80
    }

    /// The rest of the line end counts as space.
    private static func isOuterSpace(_ byte: UInt8) -> Bool {
        HTTP1Bytes.isSpace(byte) || byte == HTTP1Bytes.carriageReturn
    }
}
