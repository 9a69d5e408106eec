import Endpoints
import Foundation

/// The raw lines of a response head and of its trailers (RFC 9112 §4, §5).
///
/// Bytes are kept as they come, in one buffer, since parsing can then happen away from the event loop: see ``headers``. HTTP/1 appends
/// what its parser has checked; of HTTP/2, libcurl hands over single lines.
struct ResponseHead: Sendable {
    /// The status line, the field lines and the empty line; behind them, the trailers.
    private(set) var lines: [UInt8] = []
    /// Where the trailers begin; `nil` until the empty line after the final head has come.
    private(set) var end: Int?
    /// What the final head says of the body's length.
    private(set) var length = AnnouncedLength()
    private var hasTrailers = false
    /// Of interim responses, which are not kept.
    private var droppedBytes = 0

    /// Whether the empty line after the final head has come.
    var isComplete: Bool { end != nil }

    /// Bytes received so far, interim responses and trailers included.
    var count: Int { lines.count + droppedBytes }

    mutating func reset() {
        removeLines()
        droppedBytes = 0
    }

    private mutating func removeLines() {
        lines.removeAll(keepingCapacity: true)
        end = nil
        hasTrailers = false
        length = AnnouncedLength()
    }
}

// MARK: HTTP/1

extension ResponseHead {
    /// Appends lines, or a part of one.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        lines.append(contentsOf: bytes)
    }

    /// Forgets what has come: it was an interim response (RFC 9110 §15.2), which counts all the same.
    mutating func dropInterim() {
        droppedBytes += lines.count
        removeLines()
    }

    /// What is appended from here on are trailers.
    mutating func complete(length: AnnouncedLength) {
        end = lines.count
        self.length = length
    }
}

// MARK: HTTP/2

extension ResponseHead {
    /// Takes one line with its line end, as libcurl hands them over: the status line, each field, the empty line.
    /// A status line begins anew, so what remains is the final response after interim ones (RFC 9110 §15.2).
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        if !hasTrailers, line.first == UInt8(ascii: "H"), line.starts(with: "HTTP/".utf8) {
            dropInterim()
            lines.reserveCapacity(512)
            lines.append(contentsOf: line)
            return
        }
        lines.append(contentsOf: line)
        if isComplete {
            hasTrailers = true
        } else {
            length.receive(line)
            guard line.count <= 2 else { return }
            if line.allSatisfy({ $0 == HTTP1Bytes.lineFeed || $0 == HTTP1Bytes.carriageReturn }) { end = lines.count }
        }
    }
}

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

/// What the `Content-Length` lines of a head say together (RFC 9112 §6.3).
///
/// Neither is one of several that differ believed, nor a number that is too large: what follows could be taken for another response.
struct AnnouncedLength: Sendable {
    /// `nil` where there is no line.
    private(set) var value: Int64?
    /// Whether a line is no number, or not that of the one before.
    private(set) var isContradictory = false

    private static let name: StaticString = "content-length"

    /// Takes any line of a head, with its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer) {
        let count = Self.name.utf8CodeUnitCount
        guard line.count > count, line[count] == UInt8(ascii: ":"),
            HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: line[..<count]), Self.name)
        else { return }
        var end = line.count
        if end > count + 1, line[end - 1] == HTTP1Bytes.lineFeed { end -= 1 }
        if end > count + 1, line[end - 1] == HTTP1Bytes.carriageReturn { end -= 1 }
        receive(value: UnsafeRawBufferPointer(rebasing: line[(count + 1)..<end]))
    }

    /// Takes the value of a line. Proxies fold equal lines into one, so it may be a list.
    mutating func receive(value list: UnsafeRawBufferPointer) {
        var index = 0
        repeat {
            var end = index
            while end < list.count, list[end] != UInt8(ascii: ",") { end &+= 1 }
            let digits = HTTP1Bytes.trimmed(UnsafeRawBufferPointer(rebasing: list[index..<end]))
            guard let number = Self.number(digits), number == value ?? number else {
                isContradictory = true
                return
            }
            value = number
            index = end &+ 1
        } while index <= list.count
    }

    /// `nil` for no digits, other characters, and numbers above `Int64.max`.
    private static func number(_ digits: UnsafeRawBufferPointer) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard HTTP1Bytes.isDigit(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isStillTooLarge) = tens.addingReportingOverflow(Int64(digit &- UInt8(ascii: "0")))
            guard !isTooLarge, !isStillTooLarge else { return nil }
            number = sum
        }
        return number
    }
}
